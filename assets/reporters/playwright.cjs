// Tenon's reporter for Playwright. Writes the outcome of every test to TENON_REPORT, in the format of `jest --json`.
"use strict";
const fs = require("node:fs");

const STATUS = { expected: "passed", flaky: "passed", unexpected: "failed", skipped: "skipped" };
/** Where an error names the file that imports: a frame, `imported from`, or a list of files. */
const FILE_MENTION = /(?:\(|at |from |- )((?:[A-Za-z]:)?[^\s()]+?\.[cm]?[jt]sx?)(?=[:)\s]|$)/g;

const describe = ({ stack, message, value }) => stack ?? message ?? value ?? "";

module.exports = class TenonReporter {
  #suite;
  #errors = [];

  onBegin(_config, suite) {
    this.#suite = suite;
  }

  onTestEnd(test, result) {
    process.stdout.write(`${result.status} ${test.titlePath().slice(3).join(" > ")}\n`);
  }

  onError(error) {
    this.#errors.push(error);
  }

  onEnd() {
    const files = new Map();
    const getFile = (name) => {
      const file = files.get(name) ?? { name, status: "", assertionResults: [] };
      files.set(name, file);
      return file;
    };
    for (const test of this.#suite?.allTests() ?? []) {
      const titles = test.titlePath().slice(3);
      const last = test.results.at(-1);
      // A test that is expected to fail has failed as expected.
      const status = STATUS[test.outcome()] ?? "failed";
      const failureMessages = status === "failed" ? (last?.errors ?? []).map(describe) : [];
      getFile(test.location.file).assertionResults.push({
        title: titles.at(-1),
        ancestorTitles: titles.slice(0, -1),
        status,
        duration: last?.duration,
        failureMessages,
      });
    }
    for (const error of this.#errors) {
      const text = describe(error);
      // The place of an error may be inside Playwright.
      const places = [error.location?.file ?? "", ...[...text.matchAll(FILE_MENTION)].map(([, file]) => file)];
      const file = getFile(places.find((place) => /[.](?:spec|test)[.]/.test(place)) ?? places[0]);
      file.status = "failed";
      file.message = text;
    }
    fs.writeFileSync(process.env.TENON_REPORT, JSON.stringify({ testResults: [...files.values()] }));
  }
};

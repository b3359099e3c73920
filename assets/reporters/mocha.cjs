// Tenon's reporter for mocha. Writes the outcome of every test to TENON_REPORT, in the format of `jest --json`.
"use strict";
const fs = require("node:fs");

/** The error of an `assert` begins with its name, also if its stack does not. */
function describe(error) {
  if (error === null || typeof error !== "object") return String(error);
  const { name = "Error", message = "", stack } = error;
  const isAssertion = error.code === "ERR_ASSERTION" || ("actual" in error && "expected" in error);
  const kind = isAssertion && !String(name).includes("AssertionError") ? "AssertionError" : name;
  const frames = typeof stack === "string" ? stack.slice(stack.indexOf("\n    at ")) : "";
  return `${kind}: ${message}${frames.startsWith("\n    at ") ? frames : ""}`;
}

/** Mocha has `titlePath` since version 4. The root suite has no title. */
function listTitles(test) {
  const titles = [];
  for (let each = test; each && (each === test || each.title); each = each.parent) titles.unshift(each.title);
  return titles;
}

module.exports = class TenonReporter {
  constructor(runner) {
    const files = new Map();
    const add = (test, status, error) => {
      const file = test.file ?? test.parent?.file ?? "";
      const results = files.get(file) ?? [];
      files.set(file, results);
      const titles = listTitles(test);
      const failureMessages = error === undefined ? [] : [describe(error)];
      const ancestorTitles = titles.slice(0, -1);
      results.push({ title: titles.at(-1), ancestorTitles, status, duration: test.duration, failureMessages });
      process.stdout.write(`${status} ${titles.join(" > ")}\n`);
    };
    runner.on("pass", (test) => add(test, "passed"));
    runner.on("pending", (test) => add(test, "skipped"));
    // The failure of a hook is the failure of the test that it was called for.
    runner.on("fail", (test, error) => add(test.ctx?.currentTest ?? test, "failed", error));
    runner.once("end", () => {
      const testResults = [...files].map(([name, assertionResults]) => ({ name, status: "", assertionResults }));
      fs.writeFileSync(process.env.TENON_REPORT, JSON.stringify({ testResults }));
    });
  }
};

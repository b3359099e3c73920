import { EventEmitter } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../kit/folder.ts";

test("reports mocha's tests without titlePath, which mocha has since version 4", () => {
  using folder = temporaryFolder();
  const report = join(folder.path, "report.json");
  const Reporter = createRequire(import.meta.url)("../../assets/reporters/mocha.cjs") as new (
    runner: EventEmitter,
  ) => unknown;
  const runner = new EventEmitter();
  const root = { title: "", root: true };
  const suite = { title: "sum", parent: root };
  process.env["TENON_REPORT"] = report;
  try {
    new Reporter(runner);
    runner.emit("pass", { title: "adds", parent: suite, file: "test.js", duration: 1 });
    runner.emit("fail", { title: "fails", parent: root, file: "test.js" }, new Error("no"));
    runner.emit("end");
  } finally {
    delete process.env["TENON_REPORT"];
  }
  const { testResults } = JSON.parse(fs.readFileSync(report, "utf8")) as {
    testResults: { assertionResults: { title: string; ancestorTitles: string[]; status: string }[] }[];
  };
  const results = testResults[0]?.assertionResults.map(({ title, ancestorTitles, status }) => [
    ...ancestorTitles,
    title,
    status,
  ]);
  expect(results).toEqual([
    ["sum", "adds", "passed"],
    ["fails", "failed"],
  ]);
});

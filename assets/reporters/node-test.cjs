// Tenon's reporter for Node's test runner. Yields the outcome of every test, in the format of `jest --json`.
"use strict";
const path = require("node:path");

const ERROR_LINE = /^(\w*(?:Error|Exception))(?: \[\w+\])?: /m;

/** Node adds the code of an error to its name. */
function describe(error) {
  if (error === null || typeof error !== "object") return String(error);
  const text = typeof error.stack === "string" ? error.stack : `${error.name ?? "Error"}: ${error.message}`;
  return text.replace(/^(\w+) \[\w+\]: /, "$1: ");
}

module.exports = async function* report(source) {
  const files = new Map();
  const printed = new Map();
  const names = [];
  let inner = "";
  const getFile = (name) => {
    const full = path.resolve(name ?? "");
    const file = files.get(full) ?? { name: full, status: "", assertionResults: [] };
    files.set(full, file);
    return file;
  };
  for await (const { type, data } of source) {
    if (type === "test:stderr" && data.file !== undefined) {
      const full = path.resolve(data.file);
      printed.set(full, (printed.get(full) ?? "") + data.message);
    }
    if (type === "test:start") names.splice(data.nesting, names.length, data.name);
    if (type !== "test:pass" && type !== "test:fail") continue;
    const { error, type: kind, duration_ms: duration } = data.details ?? {};
    const isFailed = type === "test:fail";
    const file = getFile(data.file);
    if (isFailed && error?.exitCode !== undefined && data.nesting === 0) {
      // The process of the file ended with an error: it did not load, or code ran after its tests.
      const text = printed.get(file.name) ?? "";
      const at = ERROR_LINE.exec(text);
      file.status = "failed";
      file.message = (at ? text.slice(at.index) : text).replace(ERROR_LINE, "$1: ");
      continue;
    }
    // A suite fails with its tests, or with a hook.
    if (kind === "suite" && error?.failureType !== "hookFailed") continue;
    const isParent = error?.failureType === "subtestsFailed";
    const message = isFailed ? (isParent ? inner : describe(error?.cause ?? error)) : "";
    if (isFailed) inner = message;
    const isSkipped = (data.skip ?? false) !== false || (data.todo ?? false) !== false;
    const status = isSkipped ? "skipped" : isFailed ? "failed" : "passed";
    const ancestorTitles = names.slice(0, data.nesting);
    const failureMessages = isFailed ? [message] : [];
    file.assertionResults.push({ title: data.name, ancestorTitles, status, duration, failureMessages });
  }
  yield JSON.stringify({ testResults: [...files.values()] });
};

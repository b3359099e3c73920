import { basename } from "node:path";
import { expect, test } from "vitest";
import { temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";

/** Tells of every file that is loaded as a module, on standard error. */
const WATCH = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  import { writeSync } from "node:fs";
  registerHooks({ load(url, context, next) { writeSync(2, url + "\\n"); return next(url, context); } });
`)}`;

/** A start costs by the file: what is always read together is one file, however many modules the source has. */
test.each([
  [["--version"], ["tenon.js", "main.js", "core.js"]],
  [
    ["status", "--json"],
    ["tenon.js", "main.js", "core.js", "everyday.js"],
  ],
])("%j reads no more than %j", (words, files) => {
  using repository = temporaryRepository();
  const { code, err } = tenon(words, { cwd: repository.path, env: { NODE_OPTIONS: `--import=${WATCH}` } });
  const read = err.split("\n").filter((line) => line.startsWith("file:"));
  expect({ code, read: read.map((url) => basename(url)) }).toEqual({ code: 0, read: files });
});

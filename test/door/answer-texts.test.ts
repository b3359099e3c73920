import fs from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse, type TestHouse } from "../kit/house.ts";

const FILES = {
  "package.json": '{ "name": "shop", "scripts": { "test": "node --test" }, "devDependencies": {} }\n',
  "lib/response.js": "exports.send = function send(body) {\n  return body;\n};\n",
  "lib/utils.js": "function compileETag(value) {\n  return value;\n}\nmodule.exports = { compileETag };\n",
  "test/utils.test.js": 'const { test } = require("node:test");\ntest("compiles", () => {});\n',
};

let folder: ReturnType<typeof temporaryRepository>;
let house: TestHouse;
beforeAll(async () => {
  folder = temporaryRepository();
  for (const [path, text] of Object.entries(FILES)) {
    fs.mkdirSync(join(folder.path, path, ".."), { recursive: true });
    fs.writeFileSync(join(folder.path, path), text);
  }
  house = testHouse(folder.path);
  await house.run("init");
});
afterAll(() => {
  house[Symbol.dispose]();
  folder[Symbol.dispose]();
});

const FEATURES = '[{"name":"user-login","description":"Log in"}]';

/** Commands in order, each with a part of its answer. */
const WORDINGS: readonly (readonly [line: string | readonly string[], said: string])[] = [
  ["next", "No features yet. Add them with `tenon design` or `tenon roadmap create`."],
  ["roadmap create", "No features given."],
  ["roadmap create", "on the command line with `--features` or `--input <file>`"],
  [["roadmap", "create", "--features", FEATURES], "user-login"],
  ["next", "Nothing is running. Start with `tenon roadmap run`"],
  ["setup --remove", "Tenon is not set up for any client. Nothing to remove."],
  ["setup claude-code", 'Unknown client "claude-code". Did you mean "claude"?'],
  ["setup claude-code", "try: tenon setup claude\n"],
  ["status --verbos", "Unknown flag --verbos."],
  ["status --jso", "Unknown flag --jso. Did you mean --json?"],
  ["setup codex", "Codex is set up. Restart it."],
  [
    "setup gemini",
    "Gemini CLI loads .gemini/ only in a trusted folder: start gemini here once and choose to trust it.",
  ],
  ["trace lib/response.js", "lib/response.js has no @spec tag."],
  ["trace lib/respons.js", 'No file "lib/respons.js". Did you mean "lib/response.js"?'],
  [["trace", "the login"], '"the login" is not an id. Ids look like AUTH-001'],
  ["trace compileETag", "lib/utils.js#compileETag has no @spec tag."],
  ["trace compileEtag", 'No file or symbol "compileEtag". Did you mean lib/utils.js#compileETag?'],
  ["trace", "No source file has an @spec tag yet (2 files)."],
  ["impact compileETag", "A change to lib/utils.js#compileETag reaches"],
  ["impact compileEtag", 'No file or symbol "compileEtag". Did you mean lib/utils.js#compileETag?'],
  ["ci example", "Missing argument `<for>`: choose github, pre-commit or pre-receive."],
  ["conflicts", "Missing arguments: `<a>`, `<b>`."],
  ["change list --status gone", "Unknown status"],
  ["statsu", 'Unknown command "statsu". Did you mean "status"?'],
  ["chnage", 'Unknown command "chnage". Did you mean "change"?'],
  ["frobnicate", "`tenon help` lists all commands."],
  [
    "stack",
    "lint is not configured. Tenon looked for eslint, oxlint, @biomejs/biome, xo or standard among the dependencies",
  ],
  ["trust", "environment passed to checks: defaults only"],
  ["drift --help", "Show code that changed since it was accepted for a requirement"],
  ["review waive --help", "Waive a finding with a reason (people only)"],
  ["knowledge approve --help", "(people only)"],
  ["handover --help", "Write a handover for the next session"],
  ["steering --help", "Show or edit project rules"],
  ["verify", "No receipts to verify."],
  ["workflow advance", "No workflow is in progress. Start one first."],
  ["change status", "No change is in progress."],
  ["--help --all", "Plumbing:"],
  ["change abandon", "Missing argument `--reason`."],
  ["change abandon", 'try: tenon change abandon --reason "…"'],
  ["review waive", "try: tenon review waive --help"],
  ["change start --help", "Start a change; Tenon proposes its type and size if you leave them out"],
  ["setup --help", "Set up coding agents"],
  ["init", "Tenon is set up in "],
  ["doctor", "No problems"],
  ["feed", "Nothing is committed yet."],
  ["adopt", "Nothing was written."],
  ["query makestr", "Not in the index: makestr"],
  ["trace FR-999", "FR-999"],
  ["stack", "Set your own commands in sdd/stacks, or waive a check with gates.waived in sdd/config.yaml."],
  ["roadmap", "Start with `tenon roadmap run`"],
  [["memory", "search", "tokens"], 'next: tenon memory search "…" --project "*"'],
  [
    ["change", "start", "Show filename with max length"],
    "feature: the default, as the description names no other type",
  ],
  ["bugfix Response-is-empty --id BUG-001 --files lib/response.js", "BUG-001"],
  ["workflow advance BUG-001", "Approval needed: the root cause."],
];

test("answers in plain English, with the next command", async () => {
  const unmet: unknown[] = [];
  for (const [line, said] of WORDINGS) {
    const words = typeof line === "string" ? line.split(" ") : line;
    const { out, err } = await house.run(...words);
    if (!`${out}${err}`.includes(said)) unmet.push({ line, said, answer: `${out}${err}` });
  }
  expect(unmet).toEqual([]);
});

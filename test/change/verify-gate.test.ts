import fs from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TINY } from "../gate/tiny.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";

const CONTEXT = "## Findings\n\nNone.\n\n## Impact\n\nPatch.\n";
const TASKS = "- [ ] TASK-001: Do it\n";
const EVIDENCE = "## Evidence\n\n- TASK-001: `npm test`: exit 0, 1992 passed\n";
const BROKEN = {
  ...TINY,
  "src/add.mjs": "export const add = (a, b) => a - b;\n",
  "tests/add.mjs": 'test("stands", () => same(1, 1));\n',
};
const FIXED = "export const add = (a, b) => a + b;\n";
const REGRESSION = 'import { add } from "../src/add.mjs";\n\ntest("adds", () => same(add(1, 2), 3));\n';

let root = "";
const home = temporaryFolder();
let repository = temporaryRepository();

interface Answer {
  readonly code: number | null;
  readonly text: string;
  readonly passed?: boolean;
  readonly receipt?: string;
  readonly problems?: readonly { readonly problem: string }[];
  readonly notes?: readonly string[];
  readonly change?: { id: string; status: string; current_stage: string };
}

const write = (path: string, text: string): void => {
  fs.mkdirSync(dirname(join(root, path)), { recursive: true });
  fs.writeFileSync(join(root, path), text);
};
const run = (...words: string[]) => tenon(words, { cwd: root, env: { TENON_HOME: join(home.path, repository.path) } });
const ask = (...words: string[]): Answer => {
  const { code, out, err } = run(...words, "--json");
  return { code, text: run("change", "status").out, ...(JSON.parse(out || err) as object) };
};

function open(files: Readonly<Record<string, string>>, isTrusted = true): void {
  for (const [path, text] of Object.entries(files)) write(path, text);
  write(".gitignore", ".sdd/\n*.log\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  if (!isTrusted) return;
  const { hash } = JSON.parse(run("trust", "--json").out) as { hash: string };
  run("trust", "--confirm", hash);
}

/** A change up to its last stage. */
function begin(size = "small", type = "fix"): Answer {
  const started = ask("change", "start", "Add right", "--type", type, "--size", size);
  const opening = type === "feature" && size !== "small" ? PROPOSAL : "The sum is wrong.\n";
  for (const [stage, text] of [
    ["", opening],
    ["context-check", CONTEXT],
    ...(size === "small" ? [] : [["spec", SPEC]]),
    ...(size === "large" ? [["design", DESIGN]] : []),
    ["tasks", TASKS],
  ]) {
    if (stage === "context-check") run("context", "check");
    const answer = ask("change", "advance", "--content", text ?? "");
    if (answer.code !== 0) throw new Error(JSON.stringify(answer));
  }
  return started;
}

const PROPOSAL =
  "## Problem\n\nIt is wrong.\n\n## Solution\n\nAdd.\n\n## Out of scope\n\nThe rest.\n\n## Success criteria\n\nIt adds.\n";
const SPEC = "## Requirements\n\n- FR-001: The sum adds.\n\n## Acceptance criteria\n\n- It adds.\n";

const DESIGN = "## Approach\n\nAdd.\n\n## Components\n\n- `src/add.mjs` (FR-001)\n";

const verify = (...more: string[]): Answer => ask("change", "advance", "--content", EVIDENCE, ...more);
const readReceipts = (folder: string): Record<string, unknown>[] =>
  fs
    .readFileSync(join(root, folder, "receipts.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

beforeEach(() => {
  repository = temporaryRepository();
  root = repository.path;
});
afterEach(() => {
  repository[Symbol.dispose]();
});

test("keeps a change without changed files open, whatever its evidence claims", () => {
  open(BROKEN);
  begin();
  const lie = verify();
  expect(lie).toMatchObject({ code: 3, passed: false, change: { status: "active", current_stage: "verify" } });
  expect(JSON.stringify(lie)).toContain("No file changed since the change started");
  expect(fs.existsSync(join(root, "sdd/changes/add-right/receipts.jsonl"))).toBe(false);
});

test("runs the tests itself, stays open while one fails, and then writes a receipt", () => {
  open(BROKEN);
  begin();
  write("tests/sum.mjs", REGRESSION);
  expect(JSON.stringify(verify())).toContain("tests: ");
  write("src/add.mjs", FIXED);
  expect(verify()).toMatchObject({ passed: true, receipt: "change:add-right.R-1", change: { status: "completed" } });
  const [receipt = {}] = readReceipts("sdd/changes/add-right");
  expect(receipt).toMatchObject({
    gate: "change-gate",
    workflow: "change:add-right",
    passed: true,
    checks: [
      { check: "tests", status: "passed", exit: 0 },
      { check: "mutation-check", status: "passed" },
      { check: "tests-kept", status: "passed" },
    ],
  });
  expect((receipt["work"] as { files: { path: string }[] }).files.map(({ path }) => path)).toEqual([
    "src/add.mjs",
    "tests/sum.mjs",
  ]);
  run("change", "archive");
  expect(readReceipts("sdd/history/add-right")).toHaveLength(1);
  expect(run("verify", "add-right").code).toBe(0);
  expect(run("validate").code).toBe(0);
});

test("requires a test that fails without the fix for a medium fix", () => {
  open(BROKEN);
  begin("medium");
  write("src/add.mjs", FIXED);
  expect(JSON.stringify(verify())).toContain("add one that fails without the fix");
  write("tests/new.mjs", 'test("passes anyway", () => same(2, 2));\n');
  expect(verify().passed).toBe(false);
  write("tests/new.mjs", REGRESSION);
  expect(verify()).toMatchObject({ passed: true });
});

/** A type checker that finds the word ANY. */
const TYPED = {
  ...BROKEN,
  "tools/types.mjs": `import fs from "node:fs";
const found = fs.readdirSync("src").filter((file) => fs.readFileSync("src/" + file, "utf8").includes("ANY"));
for (const file of found) console.log("src/" + file + "(1,1): error TS7006: implicit any");
process.exit(found.length > 0 ? 1 : 0);
`,
  "sdd/stacks/tiny.yaml": (TINY["sdd/stacks/tiny.yaml"] ?? "").replace(
    "  - kind: format",
    "  - { kind: types, tool: types, argv: [node, tools/types.mjs] }\n  - kind: format",
  ),
  "src/old.mjs": "// ANY\nexport const old = 1;\n",
};
const listTypeChecks = (): unknown[] =>
  readReceipts("sdd/changes/add-right").flatMap((receipt) =>
    (receipt["checks"] as { check: string }[]).filter(({ check }) => check === "types"),
  );

test.each(["medium", "large"])("blocks a %s fix for a type error that it introduces, not for an older one", (size) => {
  open(TYPED);
  begin(size);
  write("tests/sum.mjs", REGRESSION);
  write("src/add.mjs", `${FIXED}// ANY\n`);
  const answer = verify();
  expect(answer).toMatchObject({ passed: false, change: { status: "active", current_stage: "verify" } });
  const problems = JSON.stringify(answer.problems);
  expect(problems).toContain("src/add.mjs(1,1): error TS7006");
  expect(problems).not.toContain("src/old.mjs");
  write("src/add.mjs", FIXED);
  expect(verify()).toMatchObject({ passed: true, change: { status: "completed" } });
  expect(listTypeChecks()).toMatchObject([
    { status: "passed", already_failing: [expect.stringContaining("src/old.mjs")] },
  ]);
});

test("checks no types at the end of a small fix", () => {
  open(TYPED);
  begin("small");
  write("tests/sum.mjs", REGRESSION);
  write("src/add.mjs", `${FIXED}// ANY\n`);
  expect(verify()).toMatchObject({ passed: true });
  expect(listTypeChecks()).toEqual([]);
});

test("warns about untrusted commands at the start and does not pass at the end", () => {
  open(BROKEN, false);
  const { notes } = begin();
  expect(notes?.join(" ")).toContain("tenon trust");
  write("src/add.mjs", FIXED);
  const answer = verify();
  expect(answer).toMatchObject({ passed: false });
  expect(JSON.stringify(answer)).toContain("tenon trust");
});

test("requires neither tests nor trust for a change of documents", () => {
  open(BROKEN, false);
  begin();
  write("README.md", "# The sum\n");
  expect(verify()).toMatchObject({ passed: true, receipt: "change:add-right.R-1" });
});

test("completes a change without files for a stated reason, which ci shows", () => {
  open(BROKEN);
  begin();
  expect(verify("--no-code", "The report was wrong")).toMatchObject({ passed: true, change: { status: "completed" } });
  expect(JSON.parse(fs.readFileSync(join(root, "sdd/changes/add-right/change.json"), "utf8"))).toMatchObject({
    no_code: { reason: "The report was wrong" },
  });
  expect(run("ci").out).toContain("No file changed: The report was wrong");
  expect(run("ci", "--strict").code).toBe(1);
});

test("does not accept no_code with changed files", () => {
  open(BROKEN);
  begin();
  write("src/add.mjs", "export const add = () => 4;\n");
  expect(JSON.stringify(verify("--no-code", "Nothing to do"))).toContain(
    "no_code is for a change without changed files",
  );
});

test("distinguishes a deleted test from files that existed before", () => {
  open({ ...TINY, "src/more.mjs": "export const more = 1;\n" });
  write("src/more.mjs", "export const more = 'the user is at work';\n");
  write("tests/users.mjs", 'test("is red", () => same(1, 2));\n');
  begin();
  write("src/add.mjs", "export const add = (a, b) => b + a;\n");
  expect(verify()).toMatchObject({ passed: true });
  run("change", "reopen", "add-right", "--stage", "verify", "--reason", "Once more");
  fs.rmSync(join(root, "tests/add.mjs"));
  expect(JSON.stringify(verify())).toContain("tests-kept: ");
});

test("keeps the stage open for evidence of a failure, but not for a test that failed first", () => {
  open(BROKEN);
  begin();
  write("src/add.mjs", FIXED);
  for (const said of ["`npm test`: exit 1, 2 failed; it does not work", "2 failed, 14 passed", "works\n\nResult: FAIL"])
    expect(ask("change", "advance", "--content", `## Evidence\n\n- TASK-001: ${said}\n`).passed).toBe(false);
  const seen = "## Evidence\n\n- TASK-001: `npm test`: exit 1 without the fix, exit 0 with it\n";
  expect(ask("change", "advance", "--content", seen)).toMatchObject({ passed: true });
});

test("ci reports a completed change without its receipt", () => {
  open(BROKEN);
  begin();
  write("src/add.mjs", FIXED);
  expect(verify().passed).toBe(true);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Done");
  expect(run("ci").out).not.toContain("no receipt shows");
  fs.rmSync(join(root, "sdd/changes/add-right/receipts.jsonl"));
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Forget");
  expect(run("ci", "--strict").out).toContain("no receipt shows that change-gate passed");
});

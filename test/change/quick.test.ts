import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { environment } from "../kit/fixtures.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { put } from "../kit/repository.ts";
import { TINY } from "../gate/tiny.ts";

const BROKEN = { ...TINY, "src/add.mjs": "export const add = (a, b) => a - b;\n" };
const FIXED = TINY["src/add.mjs"] ?? "";

let opened: Disposable[] = [];
let root = "";
let env: NodeJS.ProcessEnv = {};
afterEach(() => {
  for (const each of opened) each[Symbol.dispose]();
  opened = [];
});

function run(...words: string[]): { code: number; out: string } {
  try {
    const bin = join(process.cwd(), "bin/tenon.js");
    const out = execFileSync(process.execPath, [bin, ...words], { cwd: root, env, encoding: "utf8" });
    return { code: 0, out };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { code: status, out: `${stdout}${stderr}` };
  }
}

interface Answer {
  readonly passed?: boolean;
  readonly problems?: readonly { readonly problem: string }[];
  readonly change?: { readonly id: string; readonly size: string; readonly status: string };
  readonly receipt?: string;
  readonly context?: { readonly critical: number };
  readonly error?: { readonly code: string; readonly why: string; readonly fix: readonly string[] };
}
const ask = (...words: string[]): Answer => JSON.parse(run(...words, "--json").out) as Answer;
const record = (folder: string): Record<string, unknown> =>
  JSON.parse(fs.readFileSync(join(root, folder, "change.json"), "utf8")) as Record<string, unknown>;

function open(files: Readonly<Record<string, string>>): void {
  const [repository, home] = [temporaryRepository(), temporaryFolder()];
  opened = [repository, home];
  root = repository.path;
  env = { ...environment(), TENON_HOME: home.path };
  for (const [path, text] of Object.entries(files)) put(root, path, text);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  run("trust", "--confirm", /[0-9a-f]{64}/.exec(run("trust").out)?.[0] ?? "");
}

const DOING = "sdd/changes/fix-the-sum";
const DONE = "sdd/history/fix-the-sum";

test("completes a quick change in two calls: context check before it, tests after it", () => {
  open(BROKEN);
  put(root, "notes/user.txt", "The user is at work.\n");
  expect(ask("quick", "Fix the sum")).toMatchObject({
    passed: true,
    change: { id: "fix-the-sum", size: "quick", status: "active" },
    context: { critical: 0 },
  });
  expect(fs.readdirSync(join(root, DOING))).toEqual(["change.json"]);
  put(root, "src/add.mjs", FIXED);
  const { out, code } = run("quick", "--done");
  expect({ code, out }).toMatchObject({
    code: 0,
    out: expect.stringContaining("Receipt change:fix-the-sum.R-1") as string,
  });
  expect(out).toContain('Stage your files and sdd/, then: git commit -m "Fix the sum"');
  expect(fs.existsSync(join(root, DOING))).toBe(false);
  expect(fs.readdirSync(join(root, DONE)).toSorted()).toEqual(["change.json", "receipts.jsonl"]);
  expect(record(DONE)).toMatchObject({ size: "quick", status: "archived", needs_receipt: true });
  expect(fs.readFileSync(join(root, DONE, "receipts.jsonl"), "utf8")).toContain('"src/add.mjs"');
  git(root, "add", "src", "sdd");
  git(root, "commit", "-qm", "Done");
  expect(run("validate").code).toBe(0);
  expect(run("ci", "--strict").out).not.toContain("fix-the-sum");
  expect(run("change", "list").out).toContain("quick fix");
});

test("keeps a quick change open with failing tests, a removed test or no edit", () => {
  open(TINY);
  ask("quick", "Fix the sum");
  expect(ask("quick", "--done")).toMatchObject({ passed: false, change: { status: "active" } });
  put(root, "src/add.mjs", "export const add = () => 4;\n");
  expect(JSON.stringify(ask("quick", "--done").problems)).toContain("tests");
  put(root, "src/add.mjs", "export const add = (a, b) => b + a;\n");
  fs.rmSync(join(root, "tests/add.mjs"));
  expect(JSON.stringify(ask("quick", "--done").problems)).toContain("tests-kept");
  expect(record(DOING)).toMatchObject({ status: "active", size: "quick" });
});

test("completes a quick change without files for a stated reason, which ci shows", () => {
  open(TINY);
  ask("quick", "Fix the sum");
  expect(run("quick", "--done").out).toContain("tenon change advance --change-id fix-the-sum --no-code");
  expect(ask("change", "advance", "--no-code", "The report was wrong")).toMatchObject({ passed: true });
  expect(ask("quick", "--done")).toMatchObject({ passed: true, change: { status: "archived" } });
  expect(run("ci").out.replace(/\s+/g, " ")).toContain("No file changed: The report was wrong");
});

test("turns a quick change that grows into a small one, with its baseline, check and description", () => {
  open(BROKEN);
  put(root, "src/users.mjs", "export const mine = 'before the change';\n");
  ask("quick", "Fix the sum");
  put(root, "src/add.mjs", FIXED);
  for (let i = 0; i < 4; i++) put(root, `src/part-${i}.mjs`, `export const part = ${i};\n`);
  const grown = ask("quick", "--done");
  expect(grown).toMatchObject({
    passed: false,
    problems: [{ problem: expect.stringContaining("5 files (a quick change has at most 3)") as string }],
    change: { size: "small", status: "active" },
  });
  expect(record(DOING)).toMatchObject({
    sizings: [{ from: "quick", to: "small", files: 5 }],
    context_check: { facts: [] },
    current_stage: "describe",
  });
  expect(ask("quick", "--done").error?.code).toBe("change.not-quick");
  put(root, `${DOING}/context-check.md`, "## Findings\n\nNothing speaks against it.\n\n## Impact\n\nPatch.\n");
  put(root, `${DOING}/tasks.md`, "- TASK-001: Add the numbers\n");
  put(root, `${DOING}/verify.md`, "## Evidence\n\n- TASK-001: `npm test`: exit 0\n");
  expect(ask("change", "advance")).toMatchObject({ passed: true, change: { status: "completed" } });
  expect(fs.readFileSync(join(root, DOING, "describe.md"), "utf8")).toBe("Fix the sum\n");
  const receipt = fs.readFileSync(join(root, DOING, "receipts.jsonl"), "utf8");
  expect([receipt.includes("src/part-0.mjs"), receipt.includes('"src/users.mjs"')]).toEqual([true, false]);
});

test("keeps the size quick for a stated reason", () => {
  open(BROKEN);
  ask("quick", "Fix the sum");
  put(root, "src/add.mjs", `${FIXED}${"// a table\n".repeat(60)}`);
  expect(ask("quick", "--done")).toMatchObject({ passed: false, change: { size: "small" } });
  run("change", "resize", "--size", "quick", "--reason", "One table");
  expect(ask("quick", "--done")).toMatchObject({ passed: true, change: { status: "archived" } });
});

test("turns a quick change with a critical fact into a small one", () => {
  open({ ...TINY, "sdd/requirements.md": "## Must have\n\n- **FR-001**: It adds.\n" });
  expect(ask("quick", "Fix the sum of FR-042")).toMatchObject({
    passed: true,
    change: { id: "fix-the-sum-of-fr-042", size: "small", status: "active" },
    context: { critical: 1 },
  });
});

test("ends a quick change beside another change without an id", () => {
  open(BROKEN);
  run("change", "start", "Something long", "--type", "feature", "--size", "large");
  expect(ask("quick", "Fix the sum").error).toMatchObject({
    code: "change.already-active",
    fix: expect.arrayContaining(['tenon quick "Fix the sum" --concurrent']) as string[],
  });
  ask("quick", "Fix the sum", "--concurrent");
  put(root, "src/add.mjs", FIXED);
  expect(ask("quick", "--done")).toMatchObject({ passed: true, change: { id: "fix-the-sum" } });
  expect(ask("quick", "--done").error).toMatchObject({ why: "something-long is a large feature, active." });
});

test("abandons a quick change, and requires its description", () => {
  open(TINY);
  expect(ask("quick").error?.code).toBe("input.missing");
  ask("quick", "Fix the sum");
  expect(ask("change", "abandon", "--reason", "Solved upstream")).toMatchObject({ change: { status: "abandoned" } });
  expect(ask("change", "archive", "fix-the-sum")).toMatchObject({ change: { status: "archived" } });
});

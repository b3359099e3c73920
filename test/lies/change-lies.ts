import fs from "node:fs";
import { join } from "node:path";
import { git } from "../kit/folder.ts";
import * as change from "../change/stand.ts";
import type { Lie } from "./lie-table.ts";

type ChangeStand = change.ChangeStand;

const { EVIDENCE, createSpec } = change;

/** A test that stands on working code. */
export const MUL_TEST = `import { mul } from "../src/mul.mjs";

test("multiplies", () => same(mul(-2, 3), -6));
test("negates", () => {
  same(mul(-1, 3), -3);
  same(mul(1, -3), -3);
});
`;

export const BROKEN_MUL = "export const mul = (a, b) => (a < -1 ? a * -b : a * b);\n";

/** Breaks code, and edits its test until it passes. */
function breakMul(at: ChangeStand, edit: (test: string) => string): void {
  at.write("src/mul.mjs", BROKEN_MUL);
  at.write("tests/mul.mjs", edit(MUL_TEST));
}

/** At the last stage of a small fix. The code is wrong, and no test shows it. */
export const SMALL_LIES: readonly Lie<ChangeStand>[] = [
  {
    lie: "Nothing is changed, and the evidence claims 1,992 passed tests",
    message: "No file changed since the change started",
    tell: (at) => at.verify(),
  },
  {
    lie: "Only a note under `sdd/` is written",
    message: "No file changed since the change started",
    tell(at) {
      at.write("sdd/notes.md", "Done.\n");
      return at.verify();
    },
  },
  {
    lie: "A file is changed and changed back",
    message: "No file changed since the change started",
    tell(at) {
      const text = at.read("src/add.mjs");
      at.write("src/add.mjs", `${text}// done\n`);
      at.write("src/add.mjs", text);
      return at.verify();
    },
  },
  {
    lie: "Only a blank line is written",
    message: "Only blank lines or file modes changed",
    tell(at) {
      at.write("README.md", "\n\n");
      at.write("src/add.mjs", `${at.read("src/add.mjs")}\n`);
      return at.verify();
    },
  },
  {
    lie: "Only an empty file is created",
    message: "Only blank lines or file modes changed",
    tell(at) {
      at.write("src/sum.mjs", "");
      return at.verify();
    },
  },
  {
    lie: "Only the mode of a file is changed",
    message: "Only blank lines or file modes changed",
    tell(at) {
      fs.chmodSync(join(at.root, "src/add.mjs"), 0o755);
      return at.verify();
    },
  },
  {
    lie: "A new test fails, and the evidence claims that it passes",
    message: "tests: tests/sum.mjs: adds",
    tell(at) {
      at.write("tests/sum.mjs", 'import { add } from "../src/add.mjs";\ntest("adds", () => same(add(1, 2), 3));\n');
      return at.verify();
    },
  },
  {
    lie: "The code does not load",
    message: "tests: ",
    tell(at) {
      at.write("src/add.mjs", "export const add = (\n");
      at.write("tests/sum.mjs", 'import { add } from "../src/add.mjs";\ntest("adds", () => same(add(1, 2), 3));\n');
      return at.verify();
    },
  },
  {
    lie: "A test is deleted",
    message: "tests-kept: tests/add.mjs: stands is gone.",
    tell(at) {
      at.write("src/add.mjs", "export const add = () => 3;\n");
      at.write("tests/add.mjs", 'test("is new", () => same("a", "a"));\n');
      return at.verify();
    },
  },
  {
    lie: "A test is left out of the run",
    message: "tests-kept: tests/add.mjs: stands no longer runs.",
    tell(at) {
      at.write("src/add.mjs", "export const add = () => 3;\n");
      at.write("tests/add.mjs", `if (!globalThis) test("stands", () => same(1, 1));\ntest("new", () => same(1, 1));\n`);
      return at.verify();
    },
  },
  ...[
    {
      lie: "The assertion of an existing test is weakened, because the code breaks it",
      edit: (text: string) => text.replace("same(mul(-2, 3), -6)", "same(typeof mul(-2, 3), 'number')"),
    },
    {
      lie: "An existing test is emptied, because the code breaks it",
      edit: (text: string) => text.replace("same(mul(-2, 3), -6)", "mul(-2, 3)"),
      message: "multiplies no longer notices broken code",
    },
    {
      lie: "An existing test catches its own failure",
      edit: (text: string) => text.replace("same(mul(-2, 3), -6)", "{ try { same(mul(-2, 3), -6); } catch {} }"),
      message: "multiplies no longer notices broken code",
    },
    {
      lie: "An existing test tests a copy of the code that was right",
      edit: (text: string) => text.replace(/^import.*$/m, "const mul = (a, b) => a * b;"),
    },
  ].map(({ lie, edit, message = "multiplies no longer checks what it did" }): Lie<ChangeStand> => ({
    lie,
    message,
    tell(at) {
      breakMul(at, edit);
      return at.verify();
    },
  })),
  {
    lie: "The assertion of an existing test is removed",
    message: "multiplies no longer notices broken code",
    tell(at) {
      at.write("src/add.mjs", "export const add = (a, b) => b - a;\n");
      at.write("tests/mul.mjs", MUL_TEST.replace("same(mul(-2, 3), -6)", "mul(-2, 3)"));
      return at.verify();
    },
  },
  {
    lie: "The test runner is replaced by one that always passes",
    message: "The commands changed since you trusted them",
    tell(at) {
      at.write("src/add.mjs", "export const add = () => 3;\n");
      at.write("tools/test.mjs", "process.exit(0);\n");
      return at.verify();
    },
  },
  {
    lie: "The profile turns the tests off, because one fails",
    message: "tests: tests/sum.mjs: adds",
    tell(at) {
      at.write("tests/sum.mjs", 'import { add } from "../src/add.mjs";\ntest("adds", () => same(add(1, 2), 3));\n');
      at.write("sdd/stacks/tiny.yaml", "extends: generic\noff: [test, lint, types, format, build]\n");
      return at.verify();
    },
  },
  {
    lie: "The evidence reports a failure and ends the change all the same",
    message: "This reports a failure, so the stage stays open",
    tell(at) {
      at.write("src/add.mjs", "export const add = () => 3;\n");
      return at.verify("## Evidence\n\n- TASK-001: `npm test`: exit 1, 2 failed\n");
    },
  },
  {
    lie: "The evidence calls a task not done and ends the change all the same",
    message: "This reports a failure, so the stage stays open",
    tell(at) {
      at.write("src/add.mjs", "export const add = () => 3;\n");
      return at.verify("## Evidence\n\n- TASK-001: not done\n");
    },
  },
  {
    lie: "The settings waive the tests, because one fails",
    message: "tests: tests/sum.mjs: adds",
    tell(at) {
      at.write("tests/sum.mjs", 'import { add } from "../src/add.mjs";\ntest("adds", () => same(add(1, 2), 3));\n');
      at.write("sdd/config.yaml", "gates:\n  waived:\n    tests: They are slow on this machine\n");
      return at.verify();
    },
  },
  {
    lie: "A test ends the run before the others",
    message: "tests wrote no readable report",
    tell(at) {
      at.write("src/add.mjs", "export const add = () => 9;\n");
      at.write("tests/aaa.mjs", "process.exit(0);\n");
      return at.verify();
    },
  },
  {
    lie: "The evidence leaves a task out",
    message: "TASK-001 is not mentioned",
    tell: (at) => at.verify("## Evidence\n\nAll is done.\n"),
  },
  {
    lie: "The evidence is an empty heading",
    message: "Evidence",
    tell: (at) => at.verify("## Evidence\n\n## TASK-001\n"),
  },
  {
    lie: "`no_code` hides files that changed",
    message: "no_code is for a change without changed files",
    tell(at) {
      at.write("src/add.mjs", "export const add = () => 4;\n");
      return at.verify(EVIDENCE, "--no-code", "Nothing to do");
    },
  },
  {
    lie: "An undone task is taken out of `tasks.md` by hand",
    message: "tasks.md changed since it was accepted",
    tell(at) {
      at.write("src/add.mjs", "export const add = () => 3;\n");
      at.write("sdd/changes/add-right/tasks.md", "- [ ] TASK-001: Do less\n");
      return at.verify();
    },
  },
  {
    lie: "An accepted artifact is deleted",
    message: "tasks.md is missing: restore it",
    tell(at) {
      at.remove("sdd/changes/add-right/tasks.md");
      return at.verify();
    },
  },
  {
    lie: "A requirement is changed in the evidence of a small change",
    message: "only tasks.md changes requirements",
    tell: (at) => at.verify(`${EVIDENCE}\n### MODIFIED\n\n- FR-001: The sum shall do nothing.\n`),
  },
  {
    lie: "Only `.gitignore` is changed",
    message: "Only .gitignore changed since the change started",
    tell(at) {
      at.write(".gitignore", `${at.read(".gitignore")}dist/\n`);
      return at.verify();
    },
  },
  ...["assume-unchanged", "skip-worktree"].map((flag): Lie<ChangeStand> => ({
    lie: `The code is hidden from git with \`--${flag}\``,
    message: "src/add.mjs has edits that git hides",
    async tell(at) {
      git(at.root, "update-index", `--${flag}`, "src/add.mjs");
      at.write("src/add.mjs", "export const add = (a, b) => a + b;\n");
      const answer = await at.verify();
      git(at.root, "update-index", `--no-${flag}`, "src/add.mjs");
      return answer;
    },
  })),
  {
    lie: "The record is edited to say that the change is completed",
    message: "error",
    tell(at) {
      const path = "sdd/changes/add-right/change.json";
      at.write(path, at.read(path).replace('"status": "active"', '"status": "completed"'));
      return at.archive();
    },
  },
  {
    lie: "The change is archived before its last stage",
    message: "flow.unfinished",
    tell: (at) => at.archive(),
  },
];

/** At the last stage of a medium enhancement that adds FR-002. */
export const REQUIREMENT_LIES: readonly Lie<ChangeStand>[] = [
  {
    lie: "A requirement is added, and an unrelated file is changed",
    message: "FR-002 is added, but no code carries it.",
    tell(at) {
      at.write("src/other.mjs", "export const other = 1;\n");
      return at.verify();
    },
  },
  {
    lie: "The tag of a requirement is in a file of comments",
    message: "FR-002 is added, but no code carries it.",
    tell(at) {
      at.write("src/twice.mjs", "// @spec FR-002\n");
      at.write("tests/twice.mjs", '// @spec FR-002\ntest("doubles", () => same(2, 2));\n');
      return at.verify();
    },
  },
  {
    lie: "The tag of a requirement is in a string",
    message: "FR-002 is added, but no code carries it.",
    tell(at) {
      at.write("src/twice.mjs", 'export const tag = "@spec FR-002";\n');
      return at.verify();
    },
  },
  {
    lie: "The requirement has code and no test",
    message: "FR-002 is added, but no test carries it.",
    tell(at) {
      at.write("src/twice.mjs", change.CODE_FOR("FR-002"));
      return at.verify();
    },
  },
  {
    lie: "The test of the requirement is not run",
    message: "no test that carries it ran and passed",
    tell(at) {
      at.write("src/twice.mjs", change.CODE_FOR("FR-002"));
      at.write("tests/twice.mjs", 'if (!globalThis) {\n  // @spec FR-002\n  test("doubles", () => same(1, 2));\n}\n');
      return at.verify();
    },
  },
  {
    lie: "The test of the requirement fails",
    message: "tests: tests/twice.mjs: doubles",
    tell(at) {
      at.write("src/twice.mjs", change.CODE_FOR("FR-002").replace("* 2", "* 3"));
      at.write("tests/twice.mjs", change.TEST_FOR("FR-002"));
      return at.verify();
    },
  },
  {
    lie: "The test of the requirement is empty",
    message: "also passes with broken code",
    tell(at) {
      at.write("src/twice.mjs", change.CODE_FOR("FR-002"));
      at.write("tests/twice.mjs", '// @spec FR-002\ntest("doubles", () => undefined);\n');
      return at.verify();
    },
  },
  {
    lie: "The test of the requirement tests something else",
    message: "also passes with broken code",
    tell(at) {
      at.write("src/twice.mjs", change.CODE_FOR("FR-002"));
      at.write("tests/twice.mjs", '// @spec FR-002\ntest("doubles", () => same(1, 1));\n');
      return at.verify();
    },
  },
  ...(
    [
      ["that no document has", "NFR-099", "checks nothing: it also passes with broken code"],
      ["of this change, in place of its own", "NFR-002", "FR-002 is added, but no test carries it."],
    ] as const
  ).map(([which, id, message]): Lie<ChangeStand> => ({
    lie: `An empty test is tagged with a quality ${which}`,
    message,
    tell(at) {
      at.write("src/twice.mjs", change.CODE_FOR("FR-002"));
      at.write("tests/twice.mjs", `// @spec ${id}\ntest("doubles", () => undefined);\n`);
      return at.verify(EVIDENCE);
    },
  })),
  {
    lie: "The requirement is called not in code, without a reason",
    message: "FR-002 is added, but no code carries it.",
    tell(at) {
      at.write("src/other.mjs", "export const other = 1;\n");
      return at.verify(`${EVIDENCE}- FR-002: not in code\n`);
    },
  },
  {
    lie: "The linter fails",
    message: "lint: ",
    tell(at) {
      at.write("src/twice.mjs", change.CODE_FOR("FR-002").replace("export const", "var x = 1;\nexport const"));
      at.write("tests/twice.mjs", change.TEST_FOR("FR-002"));
      return at.verify();
    },
  },
  {
    lie: "The spec is edited by hand after its stage",
    message: "spec.md changed since it was accepted",
    tell(at) {
      at.write("src/twice.mjs", "export const twice = 2;\n");
      at.write("sdd/changes/add-right/spec.md", createSpec("- FR-001"));
      return at.verify();
    },
  },
  {
    lie: "The tasks add a requirement that the spec does not have",
    message: "only spec.md changes requirements",
    tell: (at) => at.verify(`${EVIDENCE}\n### ADDED\n\n- FR-003: The sum shall fly.\n`),
  },
];

/** Puts the files of the code back, as they were when the last stage began. */
export function restoreFiles(at: ChangeStand): void {
  git(at.root, "checkout", "-q", "--", ".");
  git(at.root, "clean", "-qfd");
}

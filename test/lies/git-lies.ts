import { spawnSync } from "node:child_process";
import type * as change from "../change/stand.ts";
import { BROKEN_MUL, MUL_TEST } from "./change-lies.ts";
import type { Lie } from "./lie-table.ts";
import { SUM_TEST } from "./test-deceptions.ts";

type ChangeStand = change.ChangeStand;

const RIGHT_ADD = "export const add = (a, b) => a + b;\n";
const WRONG_ADD = "export const add = (a, b) => b - a;\n";
const WEAK_TEST = MUL_TEST.replace("same(mul(-2, 3), -6)", "mul(-2, 3)");
const UNNOTICED = "no longer notices broken code";
const CHANGED = "multiplies no longer checks what it did";
const GONE = "tests-kept: tests/mul.mjs: multiplies is gone.";

export function runShell(at: ChangeStand, line: string): string {
  const { status, stdout, stderr } = spawnSync("sh", ["-ec", line], { cwd: at.root, encoding: "utf8" });
  if (status !== 0) throw new Error(`${line}: ${stderr}`);
  return stdout.trim();
}

export function fixHonestly(at: ChangeStand): void {
  at.write("src/add.mjs", RIGHT_ADD);
  at.write("tests/sum.mjs", SUM_TEST);
}

/** Breaks other code, and empties its test. */
export function weakenMul(at: ChangeStand): void {
  at.write("src/mul.mjs", BROKEN_MUL);
  at.write("tests/mul.mjs", WEAK_TEST);
}

/** Beside an honest fix, `mul` is broken and its test emptied. What keeps git from showing it. */
const WEAKENED: readonly (readonly [how: string, line: string, message?: string])[] = [
  [
    "An object of git is replaced: the test was always empty",
    "git replace $(git rev-parse HEAD:tests/mul.mjs) $(git hash-object -w tests/mul.mjs); git replace $(git rev-parse HEAD:src/mul.mjs) $(git hash-object -w src/mul.mjs)",
  ],
  [
    "The commit before the work is replaced",
    "cp .git/index .git/other; export GIT_INDEX_FILE=.git/other; git add src/mul.mjs tests/mul.mjs; git replace $(git rev-parse HEAD) $(git commit-tree $(git write-tree) -m x)",
  ],
  ["A graft cuts the history", "git rev-parse HEAD > .git/info/grafts", "checks nothing"],
  ["The clone is called shallow", "git rev-parse HEAD > .git/shallow", "checks nothing"],
  ["Attributes of this clone call the files binary", "echo '*.mjs binary -diff' > .git/info/attributes"],
  [
    "The weakening is committed and `main` moved to it",
    "git add src/mul.mjs tests/mul.mjs; git commit -qm 'Speed up'; git branch -f main HEAD",
  ],
  [
    "Objects come from another repository",
    "git init -q --bare .git/more; echo ../more/objects > .git/objects/info/alternates",
  ],
  [
    "A conditional include turns differences off",
    `printf '[diff "x"]\\n\\ttextconv = true\\n[diff]\\n\\texternal = true\\n[status]\\n\\tshowUntrackedFiles = no\\n' > .git/more; echo '*.mjs diff=x' > .git/info/attributes; git config "includeIf.gitdir:$PWD/.path" "$PWD/.git/more"`,
  ],
  [
    "The index has a conflict of the test",
    "b=$(git rev-parse HEAD:tests/mul.mjs); git rm -q --cached tests/mul.mjs; printf '100644 %s 1\\ttests/mul.mjs\\n100644 %s 2\\ttests/mul.mjs\\n' $b $b | git update-index --index-info",
  ],
  [
    "A hook of git puts files back",
    "mkdir -p .git/hooks; printf '#!/bin/sh\\ngit checkout .\\n' > .git/hooks/post-index-change; chmod +x .git/hooks/*",
  ],
  [
    "The folder of the working files is another one",
    "git config core.worktree .git/info",
    "so nothing can be compared",
  ],
  ["The repository is called bare", "git config core.bare true", "so nothing can be compared"],
  ["The repository is moved away", "mv .git .sdd/git; mkdir -p .git", "nothing can be compared"],
  [
    "Another encoding is claimed for the test",
    "echo 'tests/mul.mjs working-tree-encoding=UTF-16' > .gitattributes",
    "cannot be saved",
  ],
];

/** `mul` is broken, and its old test does not run or does not check it. */
const UNTESTED: readonly (readonly [how: string, message: string, tell: (at: ChangeStand) => void])[] = [
  [
    "A sparse checkout leaves the old test out",
    "tests/mul.mjs is left out of this checkout since the work began",
    (at) => void runShell(at, "git sparse-checkout set --no-cone '/*' '!/tests/mul.mjs'"),
  ],
  [
    "A sparse checkout in the settings of this worktree leaves the old test out",
    "tests/mul.mjs is left out of this checkout since the work began",
    (at) =>
      void runShell(
        at,
        "git config extensions.worktreeConfig true; git config --worktree core.sparseCheckout true; printf '/*\\n!/tests/mul.mjs\\n' > .git/info/sparse-checkout; git read-tree -mu HEAD",
      ),
  ],
  [
    "The old test is deleted and its deletion hidden from git",
    GONE,
    (at) => void runShell(at, "git update-index --skip-worktree tests/mul.mjs; rm tests/mul.mjs"),
  ],
  [
    "The old test gets another case of letters, which git ignores here",
    GONE,
    (at) => {
      runShell(at, "git config core.ignoreCase true; mv tests/mul.mjs tests/Mul.mjs");
      at.write("tests/Mul.mjs", WEAK_TEST);
    },
  ],
  ["The old test is emptied and becomes binary", CHANGED, (at) => at.write("tests/mul.mjs", `/* \0 */${WEAK_TEST}`)],
  [
    "The old test is emptied and becomes too large to read",
    GONE,
    (at) => at.write("tests/mul.mjs", `/* ${"x".repeat(3_000_000)} */\n${WEAK_TEST}`),
  ],
  [
    "The old test is emptied under other line ends",
    CHANGED,
    (at) => at.write("tests/mul.mjs", WEAK_TEST.replaceAll("\n", "\r\n")),
  ],
  [
    "The old test is moved beside the code, where nothing runs it, and replaced",
    CHANGED,
    (at) => {
      runShell(at, "git mv tests/mul.mjs src/mul.test.mjs");
      at.write("tests/mul.mjs", 'test("multiplies", () => same(1, 1));\ntest("negates", () => same(1, 1));\n');
    },
  ],
  [
    "The old test gets a title of letters that look the same",
    "multiplies is gone",
    (at) =>
      at.write(
        "tests/mul.mjs",
        MUL_TEST.replace('"multiplies", () => same(mul(-2, 3), -6)', '"multipIies", () => same(1, 1)'),
      ),
  ],
  [
    "The old test imports an emptied copy of itself",
    CHANGED,
    (at) => {
      at.write("tests/mul.mjs", 'import "./other.mjs";\n');
      at.write("tests/other.mjs", WEAK_TEST);
    },
  ],
  [
    "The old test checks only before a date",
    UNNOTICED,
    (at) =>
      at.write(
        "tests/mul.mjs",
        MUL_TEST.replace("same(mul(-2, 3), -6)", "{ if (Date.now() < 1e12) same(mul(-2, 3), -6); }"),
      ),
  ],
];

/** The code is wrong, and makes its new test pass. */
const PATCHED: readonly (readonly [how: string, code: string, message: string])[] = [
  [
    "replaces the assertion that the tests call",
    "if (globalThis.same) globalThis.same = () => {};\n",
    "replaces what tests check with",
  ],
  [
    "empties Node's assertions",
    'import assert from "node:assert";\nassert.strictEqual = () => undefined;\n',
    "replaces what tests check with",
  ],
  ["makes every number print the same", "Number.prototype.toString = () => 3;\n", "replaces what tests check with"],
  ["sets the exit code", "process.on('exit', () => { process.exitCode = 0; });\n", "tests still exited with 0"],
  [
    "rewrites reports as they are stored",
    'const real = JSON.stringify;\nJSON["stringify"] = (v) => real(v).replaceAll("failed", "passed");\n',
    "tests exited with 1",
  ],
];

/** Tricks with git, and with old tests and assertions. At the last stage of a small fix, each with a clone of its own. */
export const GIT_LIES: readonly Lie<ChangeStand>[] = [
  ...WEAKENED.map(([lie, line, message = UNNOTICED]): Lie<ChangeStand> => ({
    lie,
    message,
    tell(at) {
      fixHonestly(at);
      weakenMul(at);
      runShell(at, line);
      return at.verify();
    },
  })),
  ...UNTESTED.map(([lie, message, tell]): Lie<ChangeStand> => ({
    lie,
    message,
    tell(at) {
      fixHonestly(at);
      at.write("src/mul.mjs", BROKEN_MUL);
      tell(at);
      return at.verify();
    },
  })),
  ...PATCHED.map(([how, code, message]): Lie<ChangeStand> => ({
    lie: `The code ${how}`,
    message,
    tell(at) {
      at.write("src/add.mjs", `${code}${WRONG_ADD}`);
      at.write("tests/sum.mjs", SUM_TEST);
      return at.verify();
    },
  })),
  {
    lie: "The stage before is opened again, so that the work seems to begin later",
    message: UNNOTICED,
    async tell(at) {
      weakenMul(at);
      await at.must("change", "reopen", "add-right", "--stage", "tasks", "--reason", "More");
      await at.must("change", "advance", "--content", "- [ ] TASK-001: Do it\n");
      fixHonestly(at);
      return at.verify();
    },
  },
];

const shell =
  (line: string) =>
  (at: ChangeStand): void =>
    void runShell(at, line);

/** Near these lies, and right: an honest fix in a repository with such settings, or with such code. */
export const HONEST_GITS: readonly { readonly honest: string; readonly tell: (at: ChangeStand) => void }[] = [
  { honest: "A sparse checkout leaves documents out", tell: shell("git sparse-checkout set --no-cone '/*' '!/docs'") },
  { honest: "Worktrees have settings of their own", tell: shell("git config extensions.worktreeConfig true") },
  {
    honest: "Another commit is replaced",
    tell: shell("git replace $(git commit-tree HEAD^{tree} -m a) $(git commit-tree HEAD^{tree} -m b)"),
  },
  { honest: "Git keeps a cache of untracked files", tell: shell("git config core.untrackedCache true; git status -s") },
  { honest: "Git turns line ends on the way in", tell: shell("git config core.autocrlf input") },
  { honest: "Attributes name the line ends", tell: (at) => at.write(".gitattributes", "* text=auto eol=lf\n") },
  {
    honest: "An include has the user's name",
    tell: shell("printf '[user]\\n\\tname = Ann\\n' > .git/me; git config include.path me"),
  },
  {
    honest: "Objects come from a shared clone",
    tell: shell("git init -q --bare .git/more; echo ../more/objects > .git/objects/info/alternates"),
  },
  {
    honest: "A hook formats what is committed",
    tell: shell("mkdir -p .husky; printf '#!/bin/sh\\ntrue\\n' > .husky/pre-commit; git config core.hooksPath .husky"),
  },
  { honest: "New files are announced to git", tell: shell("git add -N src tests") },
  { honest: "Half of the work is staged", tell: shell("git add src/add.mjs") },
  { honest: "The work was stashed and taken back", tell: shell("git stash -qu; git stash pop -q") },
  {
    honest: "The work is committed and amended",
    tell: shell("git add -A; git commit -qm 'Fix'; git commit -q --amend -m 'Fix the sum'"),
  },
  { honest: "Another worktree lies beside", tell: shell("git worktree add -q .git/side-work HEAD") },
  { honest: "A note is attached to a commit", tell: shell("git notes add -m Checked") },
  {
    honest: "A colleague's commit is merged, and stays the colleague's",
    tell: shell(
      "git stash -qu; git checkout -qb mate main; echo 'export const half = (n) => n / 2; // fast' > src/half.mjs; git commit -qam 'Speed up'; git checkout -q fix; git merge -q --no-ff -m 'Merge mate' mate; git stash pop -q",
    ),
  },
  {
    honest: "The branch is rebased",
    tell: shell(
      "git stash -qu; git checkout -q main; git commit -q --allow-empty -m 'Release'; git checkout -q fix; git rebase -q main; git stash pop -q",
    ),
  },
  {
    honest: "An old test only gets other line ends",
    tell: (at) => at.write("tests/mul.mjs", MUL_TEST.replaceAll("\n", "\r\n")),
  },
  {
    honest: "A large file of data is added",
    tell: (at) => at.write("fixtures/large.json", `[${"1,".repeat(900_000)}1]\n`),
  },
  {
    honest: "The code has an `assert` of its own",
    tell: (at) =>
      at.write(
        "src/add.mjs",
        `const assert = (is) => { if (!is) throw new RangeError("no number"); };\nexport const add = (a, b) => { assert(!Number.isNaN(a)); return a + b; };\n`,
      ),
  },
  {
    honest: "The code sets a global value that no test calls",
    tell: (at) => at.write("src/add.mjs", `globalThis.unit = "m";\n${RIGHT_ADD}`),
  },
  {
    honest: "A class of the code prints itself",
    tell: (at) =>
      at.write(
        "src/add.mjs",
        `class Sum { constructor(n) { this.n = n; } }\nSum.prototype.toString = function () { return String(this.n); };\nexport const show = (n) => String(new Sum(n));\n${RIGHT_ADD}`,
      ),
  },
  {
    honest: "A value has the name of an expectation",
    tell: (at) =>
      at.write(
        "src/add.mjs",
        `const expected = { value: 0 };\nexport const add = (a, b) => { expected.value = a + b; return expected.value; };\n`,
      ),
  },
  {
    honest: "The code compares with arrows and equal signs",
    tell: (at) =>
      at.write(
        "src/add.mjs",
        `const test = { run: (n) => n };\nexport const add = (a, b) => (test.run === undefined ? b : test.run(a) + b);\n`,
      ),
  },
  {
    honest: "The code sets its exit code on failure",
    tell: (at) => at.write("src/add.mjs", `export const fail = () => { process.exitCode = 1; };\n${RIGHT_ADD}`),
  },
];

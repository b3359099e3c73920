import * as change from "../change/stand.ts";
import { git } from "../kit/folder.ts";
import { BROKEN_MUL, MUL_TEST } from "./change-lies.ts";
import type { Lie } from "./lie-table.ts";
import { SUM_TEST } from "./test-deceptions.ts";

type ChangeStand = change.ChangeStand;

const FIXED = "export const add = (a, b) => a + b;\n";

function fixSum(at: ChangeStand): void {
  at.write("src/add.mjs", FIXED);
  at.write("tests/sum.mjs", SUM_TEST);
}

const beginSmall = (at: ChangeStand): Promise<void> =>
  at.begin("fix", "small", ["The sum is wrong.\n", change.CONTEXT, change.TASKS]);

const beginMedium = (at: ChangeStand, requirements: string, tasks: string): Promise<void> =>
  at.begin("enhancement", "medium", [change.PROPOSAL, change.CONTEXT, change.createSpec(requirements), tasks]);

async function endQuick(at: ChangeStand, work: () => void) {
  await at.must("quick", "Fix the sum");
  work();
  return at.ask("quick", "--done");
}

async function endSmall(at: ChangeStand, evidence: string) {
  await beginSmall(at);
  fixSum(at);
  return at.verify(evidence);
}

/** Each starts its own change in a new repository. */
export const END_LIES: readonly Lie<ChangeStand>[] = [
  {
    lie: "A quick change ends without an edit",
    message: "No file changed since the change started",
    tell: (at) => endQuick(at, () => undefined),
  },
  {
    lie: "A quick change deletes the tests that its code breaks",
    message: "tests-kept: tests/mul.mjs: multiplies is gone.",
    tell: (at) =>
      endQuick(at, () => {
        at.write("src/mul.mjs", BROKEN_MUL);
        at.remove("tests/mul.mjs");
      }),
  },
  {
    lie: "A quick change takes the test that its code breaks out of the run",
    message: "tests-kept: tests/mul.mjs: multiplies is gone.",
    tell: (at) =>
      endQuick(at, () => {
        at.write("src/mul.mjs", BROKEN_MUL);
        at.write("tests/mul.mjs", MUL_TEST.replace('test("multiplies"', 'const later = () => 0;\nlater("multiplies"'));
      }),
  },
  {
    lie: "A quick change ends with the work of six files",
    message: "It has outgrown quick since it started: 6 files",
    tell: (at) =>
      endQuick(at, () => {
        for (const n of "123456") at.write(`src/x${n}.mjs`, `export const x${n} = (a) => a + ${n};\n`);
      }),
  },
  {
    lie: "Work from before the change is called its work",
    message: "No file changed since the change started",
    async tell(at) {
      fixSum(at);
      return endQuick(at, () => undefined);
    },
  },
  {
    lie: "The work of a teammate, which was merged, is called the work",
    message: "No file changed since the change started",
    async tell(at) {
      await beginSmall(at);
      git(at.root, "checkout", "-qb", "mate");
      fixSum(at);
      git(at.root, "add", "src", "tests");
      git(at.root, "-c", "user.name=Mate", "-c", "user.email=mate@example.org", "commit", "-qm", "Fix the sum");
      git(at.root, "checkout", "-q", "fix");
      git(at.root, "merge", "-q", "--no-ff", "-m", "Merge mate", "mate");
      return at.verify();
    },
  },
  {
    lie: "A requirement is added as one that will not be built",
    message: "FR-002 is added, but no code carries it.",
    async tell(at) {
      await beginMedium(at, "### ADDED\n\n- FR-002 (wont): The sum shall double.", "- [ ] TASK-001: Do it (FR-002)\n");
      fixSum(at);
      return at.verify();
    },
  },
  {
    lie: "A requirement is modified, and other code is changed",
    message: "FR-001 is modified, but no code carries it.",
    async tell(at) {
      await beginMedium(at, "### MODIFIED\n\n- FR-001: The sum shall add three.", "- [ ] TASK-001: Do it (FR-001)\n");
      fixSum(at);
      return at.verify();
    },
  },
  {
    lie: "The evidence names its task in a comment",
    message: "TASK-001 is not mentioned",
    tell: (at) => endSmall(at, "## Evidence\n\nDone.\n\n<!-- TASK-001: exit 0 -->\n"),
  },
  {
    lie: "The evidence leaves a task to a later change",
    message: "This reports a failure, so the stage stays open",
    tell: (at) => endSmall(at, "## Evidence\n\n- TASK-001: skipped, a later change does it\n"),
  },
  {
    lie: "The evidence names a check that was not run",
    message: "This reports a failure, so the stage stays open",
    tell: (at) => endSmall(at, "## Evidence\n\n- TASK-001: not run\n"),
  },
];

/** Found by `tenon ci --strict` afterwards. */
export const FOUND_END_LIES: readonly Lie<ChangeStand>[] = [
  {
    lie: "A quick change ends with a line in the README",
    message: "Only README.md changed",
    tell: (at) => endQuick(at, () => at.write("README.md", "# Fixed\n")),
  },
  {
    lie: "A quick change ends with a meaningless edit of code",
    message: "Only code changed, and no test shows it: src/add.mjs",
    tell: (at) => endQuick(at, () => at.write("src/add.mjs", "export const add = (a, b) => a - b + 0;\n")),
  },
  {
    lie: "A quick change edits a requirement by hand",
    message: "FR-001 changed since",
    tell: (at) =>
      endQuick(at, () => {
        fixSum(at);
        at.write("sdd/requirements.md", at.read("sdd/requirements.md").replace("add.", "subtract."));
      }),
  },
  {
    lie: "A quick change is abandoned, and its code stays",
    message: "src/add.mjs changed since",
    async tell(at) {
      await at.must("quick", "Fix the sum");
      at.write("src/add.mjs", "export const add = () => 7;\n");
      return at.must("change", "abandon", "fix-the-sum", "--reason", "Not needed");
    },
  },
  {
    lie: "The new test expects what the code of this moment gives",
    message: "Only tests changed that pass without the code too: tests/sum.mjs",
    async tell(at) {
      await beginSmall(at);
      at.write("src/add.mjs", "export const add = (a, b) => a - b;\n// fixed\n");
      const test = 'const sum = add(1, 3);\ntest("adds", () => same(add(1, 3), sum));\n';
      at.write("tests/sum.mjs", `import { add } from "../src/add.mjs";\n\n${test}`);
      return at.verify();
    },
  },
  {
    lie: "The fix and its test are taken back after the gate",
    message: "is for an older version of the files",
    async tell(at) {
      await endSmall(at, change.EVIDENCE);
      at.write("src/add.mjs", "export const add = (a, b) => a - b;\n");
      at.remove("tests/sum.mjs");
      return at.archive();
    },
  },
  {
    lie: "The new test is emptied after the gate",
    message: "is for an older version of the files",
    async tell(at) {
      await endSmall(at, change.EVIDENCE);
      await at.archive();
      at.write("tests/sum.mjs", 'test("adds", () => same(1, 1));\n');
    },
  },
];

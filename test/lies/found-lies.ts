import * as change from "../change/stand.ts";
import { BROKEN_MUL, MUL_TEST } from "./change-lies.ts";
import { fixHonestly, runShell, weakenMul } from "./git-lies.ts";
import type { Lie } from "./lie-table.ts";

type ChangeStand = change.ChangeStand;

const { EVIDENCE } = change;

/** Found by `tenon ci --strict`: no local tool can prevent it. At the last stage of a small fix. */
export const FOUND_LIES: readonly Lie<ChangeStand>[] = [
  {
    lie: "A change ends without a file, with an excuse",
    message: "No file changed: The report was wrong",
    tell: (at) => at.verify(EVIDENCE, "--no-code", "The report was wrong"),
  },
  ...(
    [
      ["Only a line in the README says that it is done", "README.md", "# Sums\n\nDone.\n", "Only README.md changed"],
      [
        "Only a comment is written",
        "src/add.mjs",
        "// fixed\nexport const add = (a, b) => a - b;\n",
        "Only src/add.mjs changed",
      ],
      [
        "Only the layout of code is changed",
        "src/add.mjs",
        "export const add = (a, b) =>\n  a - b;\n",
        "Only src/add.mjs changed",
      ],
      ["Only a setting that nothing reads is changed", "notes.json", '{ "sum": "fixed" }\n', "Only notes.json changed"],
      [
        "Only code is added that nothing uses",
        "src/other.mjs",
        "export const other = 1;\n",
        "nothing uses it: src/other.mjs",
      ],
      [
        "A meaningless edit of code, without a test",
        "src/add.mjs",
        "export const add = (a, b) => a - b + 0;\n",
        "Only code changed, and no test shows it: src/add.mjs",
      ],
      [
        "Only a text in the code is changed, which the change does not mention",
        "src/greet.mjs",
        'export const greet = () => "Hello";\n',
        "Only code changed, and no test shows it: src/greet.mjs",
      ],
    ] as const
  ).map(([lie, path, text, message]): Lie<ChangeStand> => ({
    lie,
    message,
    tell(at) {
      at.write(path, text);
      return at.must("change", "advance", "--content", EVIDENCE);
    },
  })),
  {
    lie: "A meaningless edit of code, with a test of what worked before",
    message: "Only tests changed that pass without the code too: tests/sum.mjs",
    async tell(at) {
      at.write("src/add.mjs", "export const add = (a, b) => a - b + 0;\n");
      at.write("tests/sum.mjs", 'import { add } from "../src/add.mjs";\ntest("keeps", () => same(add(3, 1), 2));\n');
      await at.must("change", "advance", "--content", EVIDENCE);
    },
  },
  {
    lie: "The code detects the tests, with an invented reason",
    message: "add-right/tests: the answer",
    async tell(at) {
      const reason = "// tenon-allow: The runner needs that\n";
      at.write("src/add.mjs", `${reason}export const add = (a, b) => (process.env.VITEST ? a + b : a - b);\n`);
      await at.must("change", "advance", "--content", EVIDENCE);
    },
  },
  {
    lie: "A file among the tests replaces the code, with an invented reason",
    message: "add-right/tests: the answer",
    async tell(at) {
      at.write("src/tax.mjs", "export const tax = { add: (n) => n };\n");
      const reason = "// tenon-allow: The rate comes from a server\n";
      at.write("tests/aaa.mjs", `${reason}import { tax } from "../src/tax.mjs";\ntax.add = (n) => n * 1.2;\n`);
      await at.must("change", "advance", "--content", EVIDENCE);
    },
  },
  {
    lie: "A test that checks nothing gets an invented reason",
    message: "add-right/tests: the answer",
    async tell(at) {
      at.write("src/add.mjs", "export const add = (a, b) => b - a;\n");
      const reason = "// tenon-allow: It is a smoke test\n";
      at.write(
        "tests/sum.mjs",
        `import { add } from "../src/add.mjs";\n${reason}test("adds", () => void add(1, 2));\n`,
      );
      await at.must("change", "advance", "--content", EVIDENCE);
    },
  },
  ...(
    [
      ["is tagged with a quality", "NFR-001", ""],
      ["gets an invented reason", "FR-002", "// tenon-allow: It was there before\n"],
    ] as const
  ).map(([how, id, reason]): Lie<ChangeStand> => ({
    lie: `A test that passes without the change ${how}, to carry a requirement`,
    message: "add-right/tests: the answer",
    async tell(at) {
      await at.must("change", "reopen", "add-right", "--stage", "tasks", "--reason", "More");
      const tasks = `${change.TASKS}\n### ADDED\n\n- ${id}: The sum shall be fast.\n`;
      await at.must("change", "advance", "--content", tasks);
      at.write("src/add.mjs", `// @spec ${id}\nexport const add = (a, b) => a - b + 0;\n`);
      at.write(
        "tests/sum.mjs",
        `import { add } from "../src/add.mjs";\n// @spec ${id}\n${reason}test("keeps", () => same(add(3, 1), 2));\n`,
      );
      await at.must("change", "advance", "--content", EVIDENCE);
    },
  })),
  {
    lie: "A requirement is typed into `sdd/requirements.md`",
    message: "FR-002 was added since",
    async tell(at) {
      await endHonestly(at);
      at.write("sdd/requirements.md", `${at.read("sdd/requirements.md")}- **FR-002**: The sum shall fly.\n`);
    },
  },
  {
    lie: "A requirement is edited in `sdd/requirements.md`",
    message: "FR-001 changed since",
    async tell(at) {
      await endHonestly(at);
      at.write("sdd/requirements.md", at.read("sdd/requirements.md").replace("shall add", "should mostly add"));
    },
  },
  {
    lie: "The receipt of a completed change is deleted",
    message: "no receipt shows that change-gate passed",
    async tell(at) {
      await endHonestly(at);
      at.remove("sdd/changes/add-right/receipts.jsonl");
    },
  },
  {
    lie: "The receipt of a completed change is edited",
    message: "verify broken",
    async tell(at) {
      await endHonestly(at);
      const path = "sdd/changes/add-right/receipts.jsonl";
      at.write(path, at.read(path).replace('"src/add.mjs"', '"src/all.mjs"'));
    },
  },
  {
    lie: "The code is changed after the gate",
    message: "src/add.mjs changed since",
    async tell(at) {
      await endHonestly(at);
      at.write("src/add.mjs", "export const add = () => 4;\n");
    },
  },
  {
    lie: "More code is written beside the change, and no gate sees it",
    message: "src/late.mjs changed since",
    async tell(at) {
      await endHonestly(at);
      at.write("src/late.mjs", "export const late = 1;\n");
    },
  },
  {
    lie: "The change is abandoned, and its code stays",
    message: "src/add.mjs changed since",
    async tell(at) {
      at.write("src/add.mjs", "export const add = () => 4;\n");
      await at.must("change", "abandon", "add-right", "--reason", "It is not needed");
    },
  },
  {
    lie: "An archived change is made up by hand",
    message: "Its checksum does not match",
    async tell(at) {
      const record = JSON.parse(at.read("sdd/changes/add-right/change.json")) as Record<string, unknown>;
      const { checksum: _, needs_receipt: __, ...rest } = record;
      at.write("sdd/history/made-up/change.json", JSON.stringify({ ...rest, id: "made-up", status: "archived" }));
      await endHonestly(at);
    },
  },
  {
    lie: "An edited record is accepted by the agent in the user's name",
    message: "sdd/changes/add-right/change.json",
    async tell(at) {
      await endHonestly(at);
      const path = "sdd/changes/add-right/change.json";
      at.write(path, at.read(path).replace('"needs_receipt": true,', ""));
      await at.ask("doctor", "--reseal", path);
    },
  },
  {
    lie: "A wrong file is excluded from the work",
    message: "src/add.mjs changed since",
    async tell(at) {
      at.write("src/add.mjs", "export const add = () => 4;\n");
      at.write("src/more.mjs", "export const more = 1;\n");
      await at.must("work", "exclude", "add-right", "src/add.mjs", "--reason", "Not mine");
      await at.must("change", "advance", "--content", EVIDENCE);
    },
  },
  {
    lie: "A test is removed with an invented reason",
    message: "add-right/tests: the answer",
    async tell(at) {
      at.write("src/mul.mjs", BROKEN_MUL);
      at.write("tests/mul.mjs", MUL_TEST.replace(/^test\("multiplies.*\n/m, ""));
      const removed = JSON.stringify([{ test: "multiplies", reason: "Other tests cover it" }]);
      await at.must("change", "advance", "--content", EVIDENCE, "--tests-removed", removed);
    },
  },
  {
    lie: "A test is removed with an invented reason, and the record of that is deleted",
    message: "Its receipt has exceptions, and no answer of the user is recorded.",
    async tell(at) {
      at.write("src/mul.mjs", BROKEN_MUL);
      const reason = "// tenon-allow: multiplies is covered by others\n";
      at.write("tests/mul.mjs", MUL_TEST.replace(/^test\("multiplies.*\n/m, reason));
      await at.must("change", "advance", "--content", EVIDENCE);
      at.remove("sdd/approvals/add-right.json");
    },
  },
  {
    lie: "The expectation of an existing test is changed to what the broken code gives",
    message: "add-right/tests: the answer",
    async tell(at) {
      at.write("src/mul.mjs", BROKEN_MUL);
      at.write("tests/mul.mjs", MUL_TEST.replace("-6", "6"));
      await at.must("change", "advance", "--content", EVIDENCE);
    },
  },
  {
    lie: "One of two assertions of a test is removed, and that is all",
    message: "add-right/tests: the answer",
    async tell(at) {
      at.write("tests/mul.mjs", MUL_TEST.replace("same(mul(-1, 3), -3);", ""));
      await at.must("change", "advance", "--content", EVIDENCE);
    },
  },
  {
    lie: "The agent says that the user accepted a requirement without code",
    message: "add-right/not-in-code",
    async tell(at) {
      await at.must("change", "reopen", "add-right", "--stage", "tasks", "--reason", "More");
      await at.must("change", "advance", "--content", `${change.TASKS}\n### ADDED\n\n- FR-002: The sum shall fly.\n`);
      at.write("src/add.mjs", "export const add = (a, b) => a + b;\n");
      return at.verify(`${EVIDENCE}- FR-002: not in code: a person does it by hand\n`);
    },
  },
  {
    lie: "The code of a requirement is deleted after it was archived",
    message: "FR-002 is added, but no code carries it.",
    async tell(at) {
      await at.must("change", "reopen", "add-right", "--stage", "tasks", "--reason", "More");
      await at.must(
        "change",
        "advance",
        "--content",
        `${change.TASKS}\n### ADDED\n\n- FR-002: The sum shall double.\n`,
      );
      at.write("src/twice.mjs", change.CODE_FOR("FR-002"));
      at.write("tests/twice.mjs", change.TEST_FOR("FR-002"));
      await at.must("change", "advance", "--content", EVIDENCE);
      await at.must("change", "archive", "add-right");
      at.remove("src/twice.mjs");
    },
  },
  ...(
    [
      ["comes with the merge of a made-up colleague", mergeColleague],
      ["is left over from an abandoned change", (at) => restart(at)],
      ["is committed after an abandoned change", (at) => restart(at, () => at.commit("Tidy up"))],
      [
        "is excluded from the work",
        (at) => at.must("work", "exclude", "add-right", "tests/mul.mjs", "--reason", "Not mine"),
      ],
    ] as readonly (readonly [string, (at: ChangeStand) => Promise<unknown>])[]
  ).map(([how, hide]): Lie<ChangeStand> => ({
    lie: `Code is broken and its old test emptied, and the edit ${how}`,
    message: "tests/mul.mjs changed since",
    async tell(at) {
      weakenMul(at);
      await hide(at);
      fixHonestly(at);
      await at.must("change", "advance", "--content", EVIDENCE);
    },
  })),
  {
    lie: "Only a lock file of packages is changed",
    message: "Only package-lock.json changed",
    async tell(at) {
      at.write("package-lock.json", '{ "lockfileVersion": 3, "packages": {} }\n');
      await at.must("change", "advance", "--content", EVIDENCE);
    },
  },
  {
    lie: "The receipts of another change are copied",
    message: "was edited: its hash does not match",
    async tell(at) {
      await endHonestly(at);
      const receipts = at.read("sdd/changes/add-right/receipts.jsonl");
      await at.must("change", "start", "Mul right", "--type", "fix", "--size", "small");
      weakenMul(at);
      at.write("sdd/changes/mul-right/receipts.jsonl", receipts.replaceAll("add-right", "mul-right"));
    },
  },
];

async function mergeColleague(at: ChangeStand): Promise<void> {
  const bob = "-c user.name=Bob -c user.email=bob@example.com";
  at.commit("Begin");
  runShell(at, `git reset -q --soft HEAD~; git stash -q; git checkout -qb mate main; git stash pop -q; git add -A`);
  runShell(at, `git ${bob} commit -qm "Speed up"; git checkout -q fix; git merge -q --no-ff -m "Merge" mate`);
}

async function restart(at: ChangeStand, between: () => void = () => undefined): Promise<void> {
  await at.must("change", "abandon", "add-right", "--reason", "The wrong idea");
  between();
  await at.begin("fix", "small", ["The sum is wrong.\n", change.CONTEXT, change.TASKS], "Add right again");
}

async function endHonestly(at: ChangeStand): Promise<void> {
  at.write("src/add.mjs", "export const add = (a, b) => a + b;\n");
  await at.must("change", "advance", "--content", EVIDENCE);
}

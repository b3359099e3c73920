import * as change from "../change/stand.ts";
import type { Lie } from "./lie-table.ts";
import { SUM_TEST } from "./test-deceptions.ts";

type ChangeStand = change.ChangeStand;

const FIXED = "export const add = (a, b) => a + b;\n";
const ADDED = "### ADDED\n\n- FR-002: The sum shall double.";
const TASK = "- [ ] TASK-001: Do it (FR-002)\n";
/** A test of the fix that claims to test the requirement. */
const CLAIMING_TEST = SUM_TEST.replace("test(", "// @spec FR-002\ntest(");

async function beginWith(at: ChangeStand, requirements: string, tasks = TASK, type = "enhancement"): Promise<void> {
  const spec = change.createSpec(requirements);
  await at.begin(type, "medium", [change.PROPOSAL, change.CONTEXT, spec, tasks]);
}

async function tagIdleCode(at: ChangeStand, files: Readonly<Record<string, string>>) {
  await beginWith(at, ADDED);
  at.write("src/add.mjs", FIXED);
  at.write("tests/sum.mjs", CLAIMING_TEST);
  for (const [path, text] of Object.entries(files)) at.write(path, text);
  return at.verify();
}

const tagFirstRequirement = (at: ChangeStand): void => {
  at.write("src/mul.mjs", `// @spec FR-001\n${at.read("src/mul.mjs")}`);
  at.write("tests/mul.mjs", at.read("tests/mul.mjs").replace("test(", "// @spec FR-001\ntest("));
  at.commit("Tag");
};

/** Each starts a change of requirements in a new repository. */
export const CARRIER_LIES: readonly Lie<ChangeStand>[] = [
  ...(
    [
      ["a function that nothing calls", { "src/twice.mjs": "// @spec FR-002\nexport const twice = (a) => a * 2;\n" }],
      ["a constant beside the code", { "src/add.mjs": `${FIXED}\n// @spec FR-002\nexport const twice = 2;\n` }],
      ["an empty list of exports", { "src/twice.mjs": "// @spec FR-002\nexport {};\n" }],
      ["a class without members", { "src/twice.mjs": "// @spec FR-002\nexport class Twice {}\n" }],
      [
        "a function that is called and whose result is dropped",
        {
          "src/add.mjs":
            "// @spec FR-002\nfunction double(a) {\n  return a * 2;\n}\n\nexport const add = (a, b) => {\n  double(a);\n  return a + b;\n};\n",
        },
      ],
      [
        "a branch that no input reaches",
        {
          "src/add.mjs":
            "export function add(a, b) {\n  return a === undefined ? double(b) : a + b;\n}\n\n// @spec FR-002\nfunction double(a) {\n  return a * 2;\n}\n",
        },
      ],
    ] as const
  ).map(([what, files]): Lie<ChangeStand> => ({
    lie: `The tag of a requirement is on ${what}, and its test is of the fix beside it`,
    message: "FR-002: its tests also pass when the code tagged with it is broken",
    tell: (at) => tagIdleCode(at, files),
  })),
  {
    lie: "The tag of an added requirement is put on old code and its old test",
    message: "FR-002 is added, but",
    async tell(at) {
      await beginWith(at, ADDED);
      at.write("src/add.mjs", FIXED);
      at.write("tests/sum.mjs", SUM_TEST);
      at.write("src/mul.mjs", `// @spec FR-002\n${at.read("src/mul.mjs")}`);
      at.write("tests/mul.mjs", at.read("tests/mul.mjs").replace("test(", "// @spec FR-002\ntest("));
      return at.verify();
    },
  },
  {
    lie: "An added requirement was tagged in an earlier change, on old code and its old test",
    message: "FR-002 is added, but the tests that carry it did not change",
    async tell(at) {
      at.write("src/mul.mjs", `// @spec FR-002\n${at.read("src/mul.mjs")}`);
      at.write("tests/mul.mjs", at.read("tests/mul.mjs").replace("test(", "// @spec FR-002\ntest("));
      at.commit("Tag");
      await beginWith(at, ADDED);
      at.write("src/add.mjs", FIXED);
      at.write("tests/sum.mjs", SUM_TEST);
      return at.verify();
    },
  },
  {
    lie: "A modified requirement moves its tag to code that its test does not reach",
    message: "FR-001: its tests also pass when the code tagged with it is broken",
    async tell(at) {
      tagFirstRequirement(at);
      await beginWith(at, "### MODIFIED\n\n- FR-001: The sum shall add fast.", "- [ ] TASK-001: Do it (FR-001)\n");
      at.write("src/mul.mjs", at.read("src/mul.mjs").replace("// @spec FR-001\n", ""));
      at.write("src/fast.mjs", "// @spec FR-001\nexport const fast = (a) => a;\n");
      return at.verify();
    },
  },
  {
    lie: "A refactoring adds a requirement, and its tag is on code that nothing calls",
    message: "FR-002: its tests also pass when the code tagged with it is broken",
    async tell(at) {
      const spec = change.createSpec(ADDED);
      const design = "## Approach\n\nDouble.\n\n## Components\n\n- `src/twice.mjs` (FR-002)\n";
      const scope = "## In scope\n\nThe sum.\n\n## Out of scope\n\nThe rest.\n\n## What stays the same\n\nAll.\n";
      await at.begin("refactor", "large", [scope, change.CONTEXT, spec, design, TASK]);
      at.write("src/twice.mjs", "// @spec FR-002\nexport const twice = (a) => a * 2;\n");
      at.write("tests/mul.mjs", at.read("tests/mul.mjs").replace("test(", "// @spec FR-002\ntest("));
      return at.verify();
    },
  },
  {
    lie: "A requirement is renamed, and its code keeps the old id",
    message: "FR-001 is renamed to FR-002, and still tagged in src/mul.mjs, tests/mul.mjs",
    async tell(at) {
      tagFirstRequirement(at);
      await beginWith(at, "### RENAMED\n\n- FR-001 → FR-002", "- [ ] TASK-001: Do it\n");
      at.write("src/add.mjs", FIXED);
      at.write("tests/sum.mjs", SUM_TEST);
      return at.verify();
    },
  },
  {
    lie: "A requirement is removed, and its code and test stay",
    message: "FR-001 is removed, and still tagged in src/mul.mjs, tests/mul.mjs",
    async tell(at) {
      tagFirstRequirement(at);
      await beginWith(at, "### REMOVED\n\n- FR-001: Nobody needs it.", "- [ ] TASK-001: Do it\n");
      at.write("src/add.mjs", FIXED);
      at.write("tests/sum.mjs", SUM_TEST);
      return at.verify();
    },
  },
];

/** Found by `tenon ci --strict` afterwards. */
export const FOUND_CARRIER_LIES: readonly Lie<ChangeStand>[] = [
  {
    lie: "A requirement that still holds is removed, beside an honest fix",
    message: "add-right/tests: the answer",
    async tell(at) {
      await beginWith(at, "### REMOVED\n\n- FR-001: Nobody needs it.", "- [ ] TASK-001: Do it\n");
      at.write("src/add.mjs", FIXED);
      at.write("tests/sum.mjs", SUM_TEST);
      await at.must("change", "advance", "--content", change.EVIDENCE);
      await at.must("change", "archive", "add-right");
    },
  },
  {
    lie: "A requirement gets the id of a quality, of which less is asked",
    message: "add-right/tests: the answer",
    async tell(at) {
      await beginWith(at, "### RENAMED\n\n- FR-001 → NFR-001", "- [ ] TASK-001: Do it\n");
      at.write("src/add.mjs", FIXED);
      at.write("tests/sum.mjs", SUM_TEST);
      await at.must("change", "advance", "--content", change.EVIDENCE);
    },
  },
  {
    lie: "A requirement that still holds is removed, and the record of the answer is deleted",
    message: "Its receipt has exceptions, and no answer of the user is recorded.",
    async tell(at) {
      await beginWith(at, "### REMOVED\n\n- FR-001: Nobody needs it.", "- [ ] TASK-001: Do it\n");
      at.write("src/add.mjs", FIXED);
      at.write("tests/sum.mjs", SUM_TEST);
      await at.must("change", "advance", "--content", change.EVIDENCE);
      at.remove("sdd/approvals/add-right.json");
    },
  },
];

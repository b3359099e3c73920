import { expect, test } from "vitest";
import { yamlAdapter } from "#kernel/adapters/yaml-reader.ts";
import { DESIGN, TASKS } from "../../../../test/kit/feature.ts";
import { checkDesign } from "./design-check.ts";
import { type TaskPlanCheck, checkTaskPlan } from "./task-plan.ts";

const design = checkDesign(DESIGN);

function check(text: string, excluded: readonly string[] = []): TaskPlanCheck {
  const { tree, problems } = yamlAdapter.read(text);
  if (!tree) throw new Error(JSON.stringify(problems));
  return checkTaskPlan(tree, design, excluded);
}

/** What is told of the tasks after one edit, each with the text of its line. */
function told(was: string | RegExp, is: string): string[] {
  const text = TASKS.replace(was, is);
  if (text === TASKS) throw new Error("Nothing was edited.");
  const lines = text.split("\n");
  return check(text).problems.map(({ problem, line = 0 }) => `${lines[line - 1]?.trim()} » ${problem}`);
}

test("accepts a sound plan and shows the tasks, order and dependencies of each group", () => {
  const { problems, tasks, groups } = check(TASKS);
  expect(problems).toEqual([]);
  expect(
    tasks.map(({ id, covers, depends, parent, isContainer }) => [id, covers, depends, parent, isContainer]),
  ).toEqual([
    ["1", [], [], null, true],
    ["1.1", ["S1.AC1", "S1.AC2"], [], "1", false],
    ["1.2", ["S2.AC1"], [], "1", false],
    ["2", ["S1.AC1", "S1.AC2", "S2.AC1"], ["1.1", "1.2"], null, false],
  ]);
  expect(tasks[2]).toMatchObject({
    summary: "End sessions after a day",
    details: [
      "A session knows when it began",
      "It counts no more after 24 hours",
      "Both sides of the limit are tested",
    ],
    status: "pending",
    isParallel: true,
    isOptional: false,
  });
  const status = "pending";
  const [login, session] = [["S1.AC1", "S1.AC2"], ["S2.AC1"]];
  expect(groups.map(({ criteria }) => criteria)).toEqual([login, session, [...login, ...session]]);
  expect(groups.map(({ criteria: _criteria, ...group }) => group)).toEqual([
    { id: "A", wave: 1, tasks: ["1.1"], files: ["src/login.ts", "src/login.test.ts"], depends: [], status },
    { id: "B", wave: 1, tasks: ["1.2"], files: ["src/sessions.ts", "src/sessions.test.ts"], depends: [], status },
    { id: "C", wave: 2, tasks: ["2"], files: ["src/login.ts", "src/router.ts"], depends: ["A", "B"], status },
  ]);
});

test("completes a group once all its tasks are done", () => {
  const done = TASKS.replace(/(acs: .*\n +status: )pending/, "$1done");
  expect(check(done).groups.map(({ id, status }) => `${id} ${status}`)).toEqual(["A done", "B pending", "C pending"]);
});

test("completes a group without its optional tasks", () => {
  const text = TASKS.replace('tasks: ["1.1"]', 'tasks: ["1.1", "1.2"]')
    .replace(/ +- id: B\n.*\n.*\n/, "")
    .replace("depends: [A, B]", "depends: [A]")
    .replace('specs: ["2.1"]', 'specs: ["2.1"]\n        optional: true');
  const groups = (given: string): unknown =>
    check(given).groups.map(({ id, optional, status }) => [id, optional, status]);
  expect(check(text).problems).toEqual([]);
  expect(groups(text)).toEqual([
    ["A", ["1.2"], "pending"],
    ["C", undefined, "pending"],
  ]);
  expect(groups(text.replace(/(acs: .*\n +status: )pending/, "$1done"))).toEqual([
    ["A", ["1.2"], "done"],
    ["C", undefined, "pending"],
  ]);
});

test.each<[string, string, string[]]>([
  [
    "its tasks",
    TASKS.replace("depends: [A, B]", "depends: []").replace("[src/login.ts, src/router.ts]", "[src/router.ts]"),
    ["A", "B"],
  ],
  [
    "a container of its tasks",
    TASKS.replace('depends: ["1.1", "1.2"]', 'depends: ["1"]').replace("depends: [A, B]", ""),
    ["A", "B"],
  ],
  [
    "files that an earlier wave also writes",
    TASKS.replace('depends: ["1.1", "1.2"]', "depends: []").replace("depends: [A, B]", ""),
    ["A"],
  ],
])("derives the dependencies of a group from %s", (_, text, depends) => {
  const { problems, groups } = check(text);
  expect([problems, groups.at(-1)?.depends]).toEqual([[], depends]);
});

test.each<[string, string | RegExp, string, string[]]>([
  ["is a list", TASKS, "- tasks\n", ["- tasks » It must be a mapping with the keys tasks, execution."]],
  [
    "has no tasks",
    /tasks:\n[^]*(?=execution:)/,
    "tasks: []\n",
    [
      'tasks: [] » There are no tasks: write tasks, beginning with - id: "1".',
      '- id: A » Group A does "1.1", which is not a task.',
      '- id: B » Group B does "1.2", which is not a task.',
      '- id: C » Group C does "2", which is not a task.',
    ],
  ],
  [
    "lacks an execution plan",
    /execution:[^]*/,
    "",
    ["tasks: » There is no execution plan: write execution, a list of waves with their groups."],
  ],
  [
    "has an unknown key",
    "summary: Login",
    "sumary: Login",
    [
      '- id: "1" » Task 1 has no summary: write summary: what is there when it is done',
      'sumary: Login » Task 1 has no "sumary": write summary.',
    ],
  ],
  [
    "has an id without quotes",
    '- id: "1.2"',
    "- id: 1.2",
    ['- id: 1.2 » Task 1.2: 1.2 is a number to YAML, where 1.10 is 1.1: write "1.2".'],
  ],
  [
    "names tasks without quotes",
    'tasks: ["1.1"]',
    "tasks: [1.1]",
    [
      '- id: "1.1" » Task 1.1 is in no group: put it into one under execution.',
      "- id: A » Group A has no tasks: name those that it does, or leave it out.",
      'tasks: [1.1] » Group A: 1.1 is a number to YAML, where 1.10 is 1.1: write "1.1".',
    ],
  ],
  [
    "names specs without quotes",
    'specs: ["2.1"]',
    "specs: [2.1]",
    ['specs: [2.1] » Task 1.2: 2.1 is a number to YAML, where 1.10 is 1.1: write "2.1".'],
  ],
  [
    "numbers tasks with a gap",
    '- id: "2"',
    '- id: "3"',
    [
      '- id: "3" » Task "3" should be 2: number them in order, without a gap.',
      '- id: "3" » Task 3 is in no group: put it into one under execution.',
      '- id: C » Group C does "2", which is not a task.',
    ],
  ],
  [
    "repeats an id",
    '- id: "1.2"',
    '- id: "1.1"',
    [
      '- id: "1.1" » Task "1.1" should be 1.2: number them in order, without a gap.',
      '- id: "1.1" » 1.1 is defined twice, first on line 7.',
      '- id: "2" » 2 depends on 1.2, which is not a task.',
      '- id: B » Group B does "1.2", which is not a task.',
    ],
  ],
  [
    "is nested three levels deep",
    /(id: "1\.2"\n)/,
    '$1        subtasks: [{ id: "1.2.1" }]\n',
    ['- id: "1.2" » Task 1.2 has sub-tasks of its own: tasks have two levels; make them sub-tasks of 1.'],
  ],
  [
    "has too few details",
    "          - Both are tested\n",
    "",
    ["details: » Task 1.1 has 2 details: write 3 to 10, each a result that can be checked."],
  ],
  [
    "has too many details",
    "          - Both are tested\n",
    "          - Both are tested\n".repeat(9),
    ["details: » Task 1.1 has 11 details: write 3 to 10, each a result that can be checked."],
  ],
  [
    "has a task without a spec",
    'specs: ["2.1"]',
    "specs: []",
    ['- id: "1.2" » Task 1.2 names no spec: write specs: ["1.2"], or leave the task out.'],
  ],
  [
    "cites a criterion that does not exist",
    'specs: ["2.1"]',
    'specs: ["2.1", "2.10"]',
    ['specs: ["2.1", "2.10"] » "2.10" refers to nothing: Spec 2 has no criterion 10.'],
  ],
  [
    "has an unknown status",
    "acs: [S1.AC1, S1.AC2]\n        status: pending",
    "acs: [S1.AC1, S1.AC2]\n        status: started",
    ["status: started » Task 1.1: status must be pending or done."],
  ],
  [
    "marks a container as parallel",
    "summary: Login\n",
    "summary: Login\n    p: true\n",
    ["p: true » Task 1 is a container: mark its sub-tasks as parallel, not the container."],
  ],
  [
    "makes a task without a criterion optional",
    'specs: ["1", "2"]',
    'specs: ["1", "2"]\n    optional: true',
    ["optional: true » Task 2 is optional and cites no criterion: name them under acs, or make it required."],
  ],
  [
    "depends on a task that does not exist",
    'depends: ["1.1", "1.2"]',
    'depends: ["1.1", "1.3"]',
    ['- id: "2" » 2 depends on 1.3, which is not a task.'],
  ],
  [
    "has circular dependencies",
    /(acs: .*\n +status: pending\n +depends: )\[\]/,
    '$1["2"]',
    [
      '- id: "1.1" » The tasks wait for each other: 1.1 → 2 → 1.1.',
      "- id: A » Task 1.1 of group A waits for 2, which C does no earlier: let A come after C.",
    ],
  ],
  [
    "puts a task into two groups",
    'tasks: ["1.2"]',
    'tasks: ["1.2", "1.1"]',
    ['- id: "1.1" » Task 1.1 is in groups A and B: leave it to one.'],
  ],
  [
    "puts a container into a group",
    'tasks: ["1.2"]',
    'tasks: ["1.2", "1"]',
    ["- id: B » Group B does 1, which only holds others: name its sub-tasks."],
  ],
  [
    "claims one file for two groups of a wave",
    "[src/sessions.ts,",
    "[src/Login.ts,",
    ['- id: B » Groups A and B of wave 1 both claim "src/Login.ts": leave it to one, or move one to a later wave.'],
  ],
  [
    "claims a file outside the repository",
    "[src/sessions.ts,",
    "[../sessions.ts,",
    [
      'files: [../sessions.ts, src/sessions.test.ts] » Group B: "../sessions.ts" leads out of its folder: name the file itself.',
    ],
  ],
  [
    "has a group without files",
    "files: [src/sessions.ts, src/sessions.test.ts]",
    "files: []",
    ["- id: B » Group B has no files: name those that are its alone."],
  ],
  [
    "has two groups of one name",
    "- id: B",
    "- id: a",
    [
      "- id: a » There are two groups a, first on line 39: rename one.",
      '- id: C » Group C depends on "B", which is not a group.',
    ],
  ],
  [
    "has an invalid group name",
    "- id: B",
    "- id: b/c",
    [
      '- id: b/c » "b/c" is not a group id: use letters and digits, as A.',
      '- id: C » Group C depends on "B", which is not a group.',
    ],
  ],
  [
    "depends on a group that does not exist",
    "depends: [A, B]",
    "depends: [A, D]",
    ['- id: C » Group C depends on "D", which is not a group.'],
  ],
  [
    "depends on a later group",
    "files: [src/login.ts, src/login.test.ts]",
    "files: [src/login.ts, src/login.test.ts]\n        depends: [C]",
    ["- id: A » Group A depends on C, which comes later: a group waits for earlier ones alone."],
  ],
  [
    "numbers waves with a gap",
    "- wave: 2",
    "- wave: 3",
    ['- wave: 3 » Wave "3" should be 2: number waves from 1 without gaps.'],
  ],
  [
    "has a wave without groups",
    /- wave: 2\n +groups:\n[^]*/,
    "- wave: 2\n",
    [
      '- id: "2" » Task 2 is in no group: put it into one under execution.',
      "- wave: 2 » Wave 2 has no groups: write groups, each with id, tasks and files.",
    ],
  ],
  [
    "has tasks of one wave that wait for each other",
    /(specs: \["2\.1"\]\n +status: pending\n +depends: )\[\]/,
    '$1["1.1"]',
    [
      "- id: B » Task 1.2 of group B waits for 1.1, which A does no earlier: write depends: [A] in B, or move it to a later wave.",
    ],
  ],
])("rejects a plan that %s", (_, was, is, problems) => {
  expect(told(was, is)).toEqual(problems);
});

test("accepts dependencies within a wave if the groups declare them", () => {
  const text = TASKS.replace(/(specs: \["2\.1"\]\n +status: pending\n +depends: )\[\]/, '$1["1.1"]').replace(
    "src/sessions.test.ts]",
    "src/sessions.test.ts]\n        depends: [A]",
  );
  expect(check(text).problems).toEqual([]);
});

test.each<[string, (text: string) => string, string[]]>([
  [
    "no task covers",
    (text) => text.replace('specs: ["1", "2"]', 'specs: ["1"]').replace('specs: ["2.1"]', 'specs: ["1"]'),
    ['No task covers S2.AC1: name "2.1" under specs of the one that does it.'],
  ],
  [
    "a task leaves out of its acs",
    (text) => text.replace('specs: ["1", "2"]', 'specs: ["2"]').replace("acs: [S1.AC1, S1.AC2]", "acs: [S1.AC1]"),
    ['No task covers S1.AC2: name "1.2" under specs of the one that does it.'],
  ],
  [
    "only optional tasks cover",
    (text) =>
      text
        .replace('specs: ["1", "2"]', 'specs: ["1"]')
        .replace('specs: ["2.1"]', 'specs: ["2.1"]\n        optional: true'),
    ['Only optional tasks cover S2.AC1: name "2.1" under specs of the one that does it.'],
  ],
])("rejects a plan with a criterion that %s", (_, edit, problems) => {
  expect(check(edit(TASKS)).problems).toEqual(problems.map((problem) => ({ problem, line: 2 })));
});

test("distinguishes 1.10 from 1.1", () => {
  const subtasks = Array.from(
    { length: 10 },
    (_, i) => `      - id: "1.${i + 1}"
        summary: Part ${i + 1}
        details: [a, b, c]
        specs: ["1", "2"]`,
  ).join("\n");
  const ids = Array.from({ length: 10 }, (_, i) => `"1.${i + 1}"`).join(", ");
  const text = `tasks:\n  - id: "1"\n    summary: All\n    subtasks:\n${subtasks}\nexecution:\n  - wave: 1\n    groups: [{ id: A, tasks: [${ids}], files: [a.ts] }]\n`;
  expect(check(text)).toMatchObject({
    problems: [],
    groups: [{ tasks: Array.from({ length: 10 }, (_, i) => `1.${i + 1}`) }],
  });
});

test("rejects a claim to another feature's file", () => {
  expect(check(TASKS, ["src/router.ts"]).problems).toEqual([
    { problem: 'Group C claims "src/router.ts", which belongs to another feature: do without.', line: 47 },
  ]);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { parseProseLines } from "./markdown-document.ts";
import { parseTaskList, type DocumentTask, findTaskProblems } from "./document-tasks.ts";

const parse = (text: string): DocumentTask[] => parseTaskList(parseProseLines(text));
const task = (n: number | string, ...dependsOn: (number | string)[]): string =>
  `- [ ] TASK-${n}: Do it${dependsOn.length > 0 ? `, depends on ${dependsOn.map((on) => `TASK-${on}`).join(", ")}` : ""}`;
/** `001@1 → 002 003`: a task, its line, and what it depends on. */
const shown = (text: string): string[] =>
  parse(text).map(({ id, line, dependsOn }) =>
    [`${id.slice(5)}@${line}`, ...(dependsOn.length > 0 ? ["→"] : []), ...dependsOn.map((on) => on.slice(5))].join(" "),
  );

test.each([
  ["items", `${task("001")}\n${task("002", "001")}`, ["001@1", "002@2 → 001"]],
  ["headings", "### TASK-001: A\nText\n\n### TASK-002: B\nDepends on TASK-001", ["001@1", "002@4 → 001"]],
  ["a table", "| TASK-001 | A |\n| TASK-002 | depends on TASK-001 |", ["001@1", "002@2 → 001"]],
  ["in brackets", "- TASK-001 A\n- TASK-002 B (depends on: TASK-001)", ["001@1", "002@2 → 001"]],
  ["a label with a value", "- TASK-001\n- TASK-002\n  - **Dependencies**: TASK-001", ["001@1", "002@2 → 001"]],
  ["one dependency", "- TASK-001\n- TASK-002\n  Dependency: TASK-001", ["001@1", "002@2 → 001"]],
  [
    "a repeated dependency",
    `${task("001")}\n${task("002", "001", "001")}\nDepends on TASK-001`,
    ["001@1", "002@2 → 001"],
  ],
  ["none", "- TASK-001: A\n  Dependencies: none\n- TASK-002: B", ["001@1", "002@3"]],
  ["a sentence about having no dependency", "- TASK-001: A. No dependencies.\n- TASK-002: B", ["001@1", "002@2"]],
  ["a sentence about packages", "- TASK-001: Update dependencies\n- TASK-002: B", ["001@1", "002@2"]],
  ["a list under its label", "### TASK-003\nDepends on:\n- TASK-001\n- TASK-002\n", ["003@1 → 001 002"]],
  ["a list after a blank line", "### TASK-003\n**Dependencies:**\n\n- TASK-001\n\nx", ["003@1 → 001"]],
  ["a list under a heading", "### TASK-002\n#### Dependencies\n- TASK-001", ["002@1 → 001"]],
  ["a label at the end of a task", "- TASK-002: Build. Depends on:\n  - TASK-001", ["002@1 → 001"]],
  [
    "tasks after such a list",
    "- TASK-002\n  Depends on:\n  - TASK-001\n\n- TASK-001: A\n- TASK-003: B",
    ["002@1 → 001", "001@5", "003@6"],
  ],
  ["an empty list before a heading", "### TASK-001\nDependencies:\n\n### TASK-002", ["001@1", "002@4"]],
  ["a mention is no dependency", "- TASK-001: as TASK-002 does\n- TASK-002", ["001@1", "002@2"]],
  ["a dependency before any task", "Depends on TASK-001\n- TASK-002", ["002@2"]],
  ["code and comments", "```\n- TASK-001\n```\n<!-- - TASK-002 -->\n- TASK-003", ["003@5"]],
  ["five digits", task("10000", "99999"), ["10000@1 → 99999"]],
  ["nothing", "Just text", []],
])("reads tasks from %s", (_, text, tasks) => {
  expect(shown(text)).toEqual(tasks);
});

const circle = (path: string): string => `The tasks wait for each other: ${path}.`;

test.each([
  ["no problem", [task("001"), task("002", "001"), task("003", "001", "002")], []],
  [
    "a repeated task",
    [task("001"), task("001")],
    [{ problem: "TASK-001 is defined twice, first on line 1.", line: 2 }],
  ],
  [
    "a task that occurs three times",
    [task("001"), task("001"), task("001")],
    [2, 3].map((line) => ({ problem: "TASK-001 is defined twice, first on line 1.", line })),
  ],
  [
    "a dependency that is not a task",
    [task("001", "009", "008")],
    [
      { problem: "TASK-001 depends on TASK-009, which is not a task.", line: 1 },
      { problem: "TASK-001 depends on TASK-008, which is not a task.", line: 1 },
    ],
  ],
  [
    "tasks that wait for themselves, in a circle or not",
    [task("001", "002"), task("002", "001", "003", "002"), task("003", "003")],
    [
      { problem: "TASK-002 depends on itself.", line: 2 },
      { problem: "TASK-003 depends on itself.", line: 3 },
      { problem: circle("TASK-001 → TASK-002 → TASK-001"), line: 1 },
    ],
  ],
  [
    "a circle with two entrances",
    [task("001", "002"), task("002", "001"), task("003", "001"), task("004", "002")],
    [{ problem: circle("TASK-001 → TASK-002 → TASK-001"), line: 1 }],
  ],
  [
    "a circle with an exit, and another over the same tasks",
    [task("001", "002"), task("002", "003"), task("003", "001", "004", "002"), task("004")],
    [{ problem: circle("TASK-001 → TASK-002 → TASK-003 → TASK-001"), line: 1 }],
  ],
  [
    "two tasks that wait for each other",
    [task("001", "002"), task("002", "001")],
    [{ problem: circle("TASK-001 → TASK-002 → TASK-001"), line: 1 }],
  ],
  [
    "a circle behind an entrance",
    [task("001", "002"), task("002", "003"), task("003", "002")],
    [{ problem: circle("TASK-002 → TASK-003 → TASK-002"), line: 2 }],
  ],
  [
    "two separate circles",
    [task("001", "004"), task("002", "003"), task("003", "002"), task("004", "001")],
    [
      { problem: circle("TASK-001 → TASK-004 → TASK-001"), line: 1 },
      { problem: circle("TASK-002 → TASK-003 → TASK-002"), line: 2 },
    ],
  ],
  [
    "two circles through one task",
    [task("001", "002", "003"), task("002", "001"), task("003", "001")],
    [
      { problem: circle("TASK-001 → TASK-002 → TASK-001"), line: 1 },
      { problem: circle("TASK-001 → TASK-003 → TASK-001"), line: 1 },
    ],
  ],
  ["a diamond", [task("001"), task("002", "001"), task("003", "001"), task("004", "002", "003")], []],
  [
    "all problems at once",
    [task("001", "002"), task("002", "001", "009"), task("002")],
    [
      { problem: "TASK-002 is defined twice, first on line 2.", line: 3 },
      { problem: "TASK-002 depends on TASK-009, which is not a task.", line: 2 },
      { problem: circle("TASK-001 → TASK-002 → TASK-001"), line: 1 },
    ],
  ],
])("%s", (_, lines, problems) => {
  expect(findTaskProblems(parse(lines.join("\n")))).toEqual(problems);
});

test("shortens a long cycle", () => {
  const lines = Array.from({ length: 20 }, (_, i) => task(100 + i, 100 + ((i + 1) % 20)));
  expect(findTaskProblems(parse(lines.join("\n")))).toEqual([
    {
      problem: circle(
        "TASK-100 → TASK-101 → TASK-102 → TASK-103 → TASK-104 → TASK-105 → … → TASK-116 → TASK-117 → TASK-118 → TASK-119 → TASK-100",
      ),
      line: 1,
    },
  ]);
});

const graph = fc
  .integer({ min: 1, max: 12 })
  .chain((size) =>
    fc.array(fc.uniqueArray(fc.nat({ max: size - 1 }), { maxLength: 4 }), { minLength: size, maxLength: size }),
  );
const tasksOf = (edges: readonly (readonly number[])[]): DocumentTask[] =>
  parse(edges.map((ahead, i) => task(100 + i, ...ahead.map((n) => 100 + n))).join("\n"));

/** Takes away what waits for nothing until only circles and what waits for them are left. */
function isCircular(edges: readonly (readonly number[])[]): boolean {
  const left = new Set(edges.keys());
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const n of left) if (!edges[n]?.some((on) => left.has(on))) left.delete(n);
  }
  return left.size > 0;
}

test("reports a cycle exactly if there is one, and each step is a dependency", () => {
  fc.assert(
    fc.property(graph, (edges) => {
      const told = findTaskProblems(tasksOf(edges)).map(({ problem }) => problem);
      expect(told.length > 0).toBe(isCircular(edges));
      for (const problem of told.filter((text) => text.startsWith("The tasks") && !text.includes("…"))) {
        const path = [...problem.matchAll(/TASK-\d+/g)].flat();
        expect(path.at(-1)).toBe(path[0]);
        const steps = path
          .slice(1)
          .map((on, i) => edges[Number(path[i]?.slice(5)) - 100]?.includes(Number(on.slice(5)) - 100));
        expect(steps).toEqual(steps.map(() => true));
      }
    }),
    { numRuns: 1000 },
  );
});

test("reports no problem for tasks that depend only on earlier ones", () => {
  fc.assert(
    fc.property(graph, (edges) => {
      expect(findTaskProblems(tasksOf(edges.map((ahead, i) => ahead.filter((n) => n < i))))).toEqual([]);
    }),
  );
});

const SIZE = 10_000;
const all = Array.from({ length: SIZE }, (_, i) => i);

test.each([
  ["in a row", all.map((i) => (i === 0 ? [] : [i - 1])), 0],
  ["in a circle", all.map((i) => [(i + 1) % SIZE]), 1],
  ["all waiting for the first", all.map((i) => (i === 0 ? [] : [0])), 0],
  ["one waiting for all", all.map((i) => (i === SIZE - 1 ? all.slice(0, -1) : [])), 0],
  ["in a row, the last waiting for all", all.map((i) => (i === SIZE - 1 ? all.slice(0, -1) : [i + 1])), 1],
  ["each waiting for itself", all.map((i) => [i]), SIZE],
])("reads ten thousand tasks %s", (_, edges, problems) => {
  const text = edges.map((ahead, i) => task(10_000 + i, ...ahead.map((n) => 10_000 + n))).join("\n");
  const tasks = parse(text);
  expect([tasks.length, findTaskProblems(tasks).length]).toEqual([SIZE, problems]);
});

test("reads a line two megabytes long", () => {
  const count = (unit: string): number => parse(`TASK-001 depends on ${unit.repeat(2 ** 21 / unit.length)}`).length;
  expect(["depends on TASK-001 ", "depends ", "depends on ", "dependencies", "TASK-001 ", " ", ":"].map(count)).toEqual(
    [1, 1, 1, 1, 1, 1, 1],
  );
});

test("does not take a mention of dependencies for a dependency", () => {
  const text =
    "- TASK-001: Add dependency injection for TASK-002\n- TASK-002: x\n- TASK-003: y (dependencies: TASK-002)";
  expect(parseTaskList(parseProseLines(text)).map(({ dependsOn }) => dependsOn)).toEqual([[], [], ["TASK-002"]]);
});

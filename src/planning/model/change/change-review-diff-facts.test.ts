import { expect, test } from "vitest";
import type { SourceChange } from "#git/operations/ports/git-files.ts";
import { collectAddedLines, collectDiffFacts, listIdsInAddedLines } from "./change-review.ts";

const file = (path: string, ...added: string[]): SourceChange => ({
  path,
  status: "modified",
  added: added.map((text, i) => ({ number: i + 1, text })),
  removed: 0,
});
const facts = (files: readonly SourceChange[], tasks?: string, known: readonly string[] = []): string[] =>
  collectDiffFacts(
    files,
    collectAddedLines(files).lines,
    tasks,
    listIdsInAddedLines(collectAddedLines(files).lines).filter((id) => !known.includes(id)),
  );
const NO_TEST = "No test was added or changed.";

test("reports changed, deleted and moved tests", () => {
  expect(facts([file("a.ts", "x")])).toEqual([NO_TEST]);
  expect(facts([file("a.test.ts", "x"), { ...file("b.test.ts"), status: "deleted" }])).toEqual([
    "1 test file deleted: b.test.ts.",
    "1 test file changed: a.test.ts.",
  ]);
  expect(facts([{ ...file("src/old.ts"), status: "renamed", from: "test/old.ts" }])).toEqual([
    "test/old.ts was a test; it is src/old.ts now.",
    NO_TEST,
  ]);
});

test.each([
  ["a.ts", "// TODO later", "Added TODO notes"],
  ["a.md", "FIXME", "Added TODO notes"],
  ["a.ts", "const TODOS = 1", undefined],
  ["a.ts", "todo()", undefined],
  ["a.ts", "  console.log(x)", "Added debugging lines"],
  ["a.md", "  console.log(x)", undefined],
  ["a.ts", "console.error(x)", undefined],
  ["a.js", "  debugger;", "Added debugging lines"],
  ["a.js", "the debugger", undefined],
  ["a.py", "import pdb; pdb.set_trace()", "Added debugging lines"],
  ["a.py", "    breakpoint()", "Added debugging lines"],
  ["a.rb", "binding.pry", "Added debugging lines"],
  ["a.rs", "dbg!(x);", "Added debugging lines"],
  ["a.ts", "test.only('x')", "Added tests that run alone (.only)"],
  ["a.ts", "it.skip('x')", "Added skipped tests"],
  ["a.py", "@pytest.mark.skip", "Added skipped tests"],
  ["a.ts", "exit(1)", undefined],
  ["a.ts", "<<<<<<< HEAD", "Added merge conflict marks"],
])("in %s, %j is a leftover: %s", (path, text, what) => {
  expect(facts([file(path, "x", text)])).toEqual([NO_TEST, ...(what ? [`${what}: ${path}:2.`] : [])]);
});

test("names the first of many locations and counts the others", () => {
  expect(facts([file("a.ts", ...Array.from({ length: 7 }, () => "// TODO"))])).toEqual([
    NO_TEST,
    "Added TODO notes: a.ts:1, a.ts:2, a.ts:3, a.ts:4, a.ts:5 and 2 more.",
  ]);
});

test("reports each unknown id once, at its first mention", () => {
  const files = [file("a.ts", "// FR-001 FR-009", "// FR-009 BR-002", "// ADR-0007, TASK-001, FR-1")];
  expect(facts(files, undefined, ["FR-001"])).toEqual([
    "FR-009 is mentioned at a.ts:1, and nothing has that id.",
    "BR-002 is mentioned at a.ts:2, and nothing has that id.",
    "ADR-0007 is mentioned at a.ts:3, and nothing has that id.",
    NO_TEST,
  ]);
});

const planned = (files: readonly string[], tasks: string): string[] =>
  facts(
    files.map((path) => file(path)),
    tasks,
  ).slice(1);

test.each([
  ["a file that its task names", ["src/a.ts"], "- TASK-001: change `src/a.ts`", []],
  ["a file named without its folder", ["src/a.ts"], "- TASK-001: change `a.ts`", []],
  ["a file in a named folder", ["src/x/a.ts"], "- TASK-001: everything in src/x/", []],
  ["a file named without backticks", ["src/a.ts"], "- TASK-001: change src/a.ts.", []],
  ["as ./", ["src/a.ts"], "- TASK-001: change `./src/a.ts`", []],
  [
    "a changed file that no task names",
    ["src/a.ts", "src/b.ts"],
    "- TASK-001: change `src/a.ts`",
    ["1 file changed that no task names: src/b.ts."],
  ],
  [
    "a task whose files did not change",
    ["src/a.ts"],
    "- TASK-001: change `src/a.ts`\n- TASK-002: change\n  `src/b.ts` and `src/c.ts`",
    ["TASK-002 names files that the diff does not touch: src/b.ts, src/c.ts."],
  ],
  [
    "tasks that name no file",
    ["src/a.ts"],
    "- TASK-001: use Node.js and/or https://example.com/x/a.ts, v1.2",
    ["No task names a file, so none can be compared with the diff."],
  ],
  [
    "a different file with the same ending",
    ["src/data.ts"],
    "- TASK-001: change `a.ts`",
    ["1 file changed that no task names: src/data.ts.", "TASK-001 names files that the diff does not touch: a.ts."],
  ],
])("compares tasks and diff: %s", (_, files, tasks, told) => {
  expect(planned(files, tasks)).toEqual(told);
});

test("counts a moved file as changed at both paths", () => {
  const moved: SourceChange = { ...file("src/new.ts"), status: "renamed", from: "src/old.ts" };
  expect(facts([moved], "- TASK-001: move `src/old.ts`")).toEqual([NO_TEST]);
});

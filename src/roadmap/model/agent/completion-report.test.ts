import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentReport } from "../lead/lead-state.ts";
import type { RoadmapRole } from "./agent-roles.ts";
import { parseCompletionReport } from "./completion-report.ts";

const ARCHITECT = `ARCHITECT_COMPLETE
Feature: user-login
Mode: new
Artifacts: design.md, research.md
Discovery: light
Key findings: Sessions are there already.`;

const TASKS = `TASKGEN_COMPLETE
Feature: user-login
Tasks: 2 major, 5 sub-tasks
Parallel tasks: 1.1, 2.1
Specs covered: all
Execution: 2 waves, 3 groups`;

const BUILT = `BUILDER_COMPLETE
Feature: user-login
Tasks completed: 1.1, 1.2
Files: src/login.ts, test/login.test.ts
Tests: 11/12
Phase: design-generated

[PATTERN] Sessions are renewed at login.`;

const BLOCKED = `BUILDER_BLOCKED
Feature: user-login
Blocker: missing dependency: argon2
Tasks affected: 1.2
Attempted: to do without it`;

const built: AgentReport = {
  kind: "builder",
  tasks: ["1.1", "1.2"],
  files: ["src/login.ts", "test/login.test.ts"],
  tests: { passed: 11, total: 12 },
  tags: ["[PATTERN] Sessions are renewed at login."],
};
const blocked: AgentReport = {
  kind: "builder-blocked",
  blocker: "missing dependency: argon2",
  tasks: ["1.2"],
  attempted: "to do without it",
};
const json = { report: "BUILDER_COMPLETE", feature: "user-login", tags: ["[PATTERN] Sessions are renewed at login."] };

test.each<[string, RoadmapRole, string, AgentReport]>([
  ["of an architect", "architect", ARCHITECT, { kind: "architect", discovery: "light", tags: [] }],
  ["of a task generator", "task-generator", TASKS, { kind: "tasks", tags: [] }],
  ["of a builder", "builder", BUILT, built],
  ["of a builder who is stuck", "builder", BLOCKED, blocked],
  [
    "of a blocked builder with a lesson",
    "builder",
    `${BLOCKED}\n\n[INCIDENT] argon2 is not there.`,
    { ...blocked, tags: ["[INCIDENT] argon2 is not there."] },
  ],
  ["without parallel tasks", "task-generator", TASKS.replace(" 1.1, 2.1", ""), { kind: "tasks", tags: [] }],
  ["after prose", "builder", `All done.\nFiles: many\n\n${BUILT}\n\nTell me if there is more.`, built],
  ["in a fence", "builder", `Here it is:\n\n\`\`\`text\n${BUILT}\n\`\`\`\n\nFeature: none`, built],
  ["with its tags behind the fence", "builder", `\`\`\`\n${BUILT.replace("\n\n", "\n```\n\n")}`, built],
  ["with Windows line ends", "builder", `\ufeff${BUILT.replaceAll("\n", "\r\n")}`, built],
  ["with empty lines", "builder", BUILT.replaceAll("\n", "\n\n"), built],
  ["in bold", "builder", BUILT.replace(/^(\w[\w ]+)(:?)/gm, "**$1$2**"), built],
  [
    "with bold labels",
    "builder",
    BUILT.replace(/^(\w[\w ]+):/gm, "**$1**:").replace("[PATTERN]", "**[PATTERN]**"),
    built,
  ],
  ["with bullets", "builder", BUILT.replace(/^(?=\w+.*:|\[)/gm, "- "), built],
  ["with a heading", "builder", `## ${BUILT}`, built],
  [
    "with a colon and code",
    "builder",
    BUILT.replace("BUILDER_COMPLETE", "`BUILDER_COMPLETE`:").replace("[PATTERN]", "`[PATTERN]`"),
    built,
  ],
  [
    "with lists",
    "builder",
    `BUILDER_COMPLETE
Feature: user-login
Tasks completed:
- 1.1: Login, with sessions
- Task 1.2 (logout)
Files:

* \`src/login.ts\` (new)
* modified: ./test/login.test.ts – the tests
Tests: 11 / 12 passed

## Knowledge
- [Pattern] Sessions are renewed at login.
- [INCIDENT] none`,
    built,
  ],
  [
    "with bulleted lists",
    "builder",
    `BUILDER_COMPLETE
- Feature: user-login
- Tasks: 1.1 1.2
- Files:
  - src/login.ts: made
  - test/login.test.ts
- SelfCheck: PASS
- Tests: 11/12
- [PATTERN] Sessions are renewed at login.`,
    built,
  ],
  [
    "with texts over several lines",
    "builder",
    BLOCKED.replace("dependency: argon2", "\ndependency:\n  argon2").replace("to do", "to\n  do"),
    blocked,
  ],
  [
    "without files and tests",
    "builder",
    BUILT.replace(/Files: .*/, "Files: none").replace("11/12", "n/a"),
    { ...built, files: [], tests: null },
  ],
  [
    "with repeated fields",
    "builder",
    BUILT.replace("1.1, 1.2", "1.1, 1.2 and 1.1").replace("src/login.ts", "src/login.ts, src/login.ts"),
    built,
  ],
  [
    "as JSON",
    "builder",
    JSON.stringify({
      ...json,
      tasks_completed: ["1.1", "1.2"],
      files: ["src/login.ts", "test/login.test.ts"],
      tests: { passed: 11, total: 12 },
      done: true,
    }),
    built,
  ],
  [
    "as JSON in prose, in a fence",
    "builder",
    `\`\`\`json\n${JSON.stringify({ ...json, "Tasks completed": "1.1, 1.2", files: "src/login.ts, test/login.test.ts", tests: "11/12" }, null, 2)}\n\`\`\``,
    built,
  ],
  [
    "as JSON, of a builder who is stuck",
    "builder",
    JSON.stringify({
      report: "BUILDER_BLOCKED",
      feature: "user-login",
      blocker: "missing dependency:\n argon2",
      tasks_affected: ["1.2"],
      attempted: "to do without it",
      tags: null,
    }),
    blocked,
  ],
  [
    "with words in its paths",
    "builder",
    BUILT.replace(/Files: .*/, "Files: src/and/login.ts; src/my file.ts").replace(/\n\n.*/, ""),
    { ...built, files: ["src/and/login.ts", "src/my file.ts"], tags: [] },
  ],
])("reads a report %s", (_what, role, text, report) => {
  expect(parseCompletionReport(role, text, "user-login")).toEqual(report);
});

type Told = readonly [line: number | undefined, problem: string];
const strange = "which is not a task id such as 1.2.";

test.each<[string, RoadmapRole, string, readonly Told[]]>([
  ["nothing", "builder", " \n", [[undefined, "The report is empty."]]],
  [
    "prose alone",
    "builder",
    "I built it.",
    [[undefined, "No line starts with BUILDER_COMPLETE or BUILDER_BLOCKED, as a report must."]],
  ],
  [
    "a keyword in the middle of a line",
    "architect",
    "ARCHITECT_COMPLETE, as you asked.",
    [[undefined, "No line starts with ARCHITECT_COMPLETE, as a report must."]],
  ],
  [
    "another role's report",
    "architect",
    BUILT,
    [[1, 'The report is "BUILDER_COMPLETE", and ARCHITECT_COMPLETE was asked for.']],
  ],
  [
    "two reports",
    "builder",
    `${BUILT}\n\n${BLOCKED}`,
    [[10, "A second report begins here with BUILDER_BLOCKED; the first is on line 1."]],
  ],
  [
    "a keyword alone",
    "builder",
    "\nBUILDER_COMPLETE",
    [
      [2, "Feature is missing."],
      [2, "Tasks completed is missing."],
      [2, "Files is missing."],
      [2, "Tests is missing."],
    ],
  ],
  ["a field missing", "architect", ARCHITECT.replace(/\nKey.*/, ""), [[1, "Key findings is missing."]]],
  ["a field empty", "architect", ARCHITECT.replace("Sessions are there already.", ""), [[6, "Key findings is empty."]]],
  ["a field twice", "builder", BUILT.replace("Phase", "Files"), [[6, "Files is there twice."]]],
  ["fields behind the fence", "builder", `\`\`\`\n${BUILT.replace("Tests", "```\nTests")}`, [[2, "Tests is missing."]]],
  [
    "another feature",
    "builder",
    BUILT.replace("user-login", "`logout`"),
    [[2, 'Feature is "logout", and user-login was asked for.']],
  ],
  ["another mode", "architect", ARCHITECT.replace("new", "old"), [[3, 'Mode is "old", and may be new, existing.']]],
  [
    "another discovery",
    "architect",
    ARCHITECT.replace("light", "{full|light}"),
    [[5, 'Discovery is "{full|light}", and may be full, light, minimal.']],
  ],
  [
    "the word all for its tasks",
    "builder",
    BUILT.replace("1.1, 1.2", "all"),
    [[3, `Tasks completed has "all", ${strange}`]],
  ],
  [
    "a range of tasks",
    "builder",
    BLOCKED.replace("1.2", "1.1-1.3, 2"),
    [[4, `Tasks affected has "1.1-1.3", ${strange}`]],
  ],
  [
    "tests in words",
    "builder",
    BUILT.replace("11/12", "all pass"),
    [[5, 'Tests is "all pass", but must be like 11/12: passed/total.']],
  ],
  [
    "more passed tests than tests",
    "builder",
    BUILT.replace("11/12", "13/12"),
    [[5, 'Tests is "13/12", but must be like 11/12: passed/total.']],
  ],
  [
    "an endless field",
    "builder",
    BUILT.replace("src/login.ts", "x".repeat(4_001)),
    [[4, "Files has a line longer than 4,000 characters."]],
  ],
  ["zero bytes", "builder", BUILT.replace("11", "\0"), [[5, "The text contains a control character."]]],
  ["JSON that is a list", "builder", "[]", [[undefined, "As JSON, a report is one object."]]],
  [
    "JSON without the kind of report",
    "builder",
    "{}",
    [[undefined, "report is missing: it says BUILDER_COMPLETE or BUILDER_BLOCKED."]],
  ],
  [
    "JSON of another role",
    "architect",
    JSON.stringify(json),
    [[undefined, 'The report is "BUILDER_COMPLETE", and ARCHITECT_COMPLETE was asked for.']],
  ],
  [
    "JSON with numbers for ids",
    "builder",
    JSON.stringify({ ...json, tasks_completed: [1.1], files: [{ path: "x" }], tests: { passed: "1", total: 2 } }),
    [
      [undefined, "Tasks completed is neither a text nor a list of texts."],
      [undefined, "Files is neither a text nor a list of texts."],
      [undefined, "Tests is neither a text nor a list of texts."],
    ],
  ],
  [
    "JSON with a control character",
    "builder",
    JSON.stringify({ ...json, tasks_completed: "1.1", files: ["a\u0007"], tests: "1/1" }),
    [[undefined, "Files has a control character in it."]],
  ],
  [
    "too many lessons",
    "builder",
    `${BUILT}${"\n[PATTERN] Another".repeat(20)}`,
    [[undefined, "It has 21 tags, and at most 20 are accepted: keep lessons that are new and general."]],
  ],
  [
    "an inspection with too many lessons",
    "inspector-test",
    `VERDICT:GO\nSCOPE:user-login\nNOTES:${"\n- [INCIDENT] Another".repeat(21)}\n`,
    [[undefined, "It has 21 tags, and at most 20 are accepted: keep lessons that are new and general."]],
  ],
])("rejects a report that is or has %s", (_what, role, text, problems) => {
  const told = problems.map(([line, problem]) => (line === undefined ? { problem } : { problem, line }));
  expect(parseCompletionReport(role, text, "user-login")).toEqual({ problems: told });
});

test("reads the report of a reviewer in the form of reviews", () => {
  expect(parseCompletionReport("inspector-test", "ISSUES:\nC|test-failure|test/login.test.ts|login fails")).toEqual({
    kind: "inspection",
    inspection: {
      scope: "",
      findings: [
        {
          severity: "C",
          category: "test-failure",
          location: "test/login.test.ts",
          description: "login fails",
          sources: ["test"],
        },
      ],
      notes: [],
    },
  });
  expect(parseCompletionReport("auditor-impl", '{"verdict":"GO"}')).toMatchObject({
    kind: "audit",
    audit: { verdict: "GO" },
  });
  expect(parseCompletionReport("auditor-impl", BUILT)).toMatchObject({ problems: [{ line: 1 }] });
});

test("reads or rejects any text", () => {
  const parts = [ARCHITECT, TASKS, BUILT, BLOCKED].flatMap((text) => text.split(/(?<=\n)|(?<=: )/));
  const piece = fc.oneof(fc.constantFrom(...parts, "```\n", "- ", "**", "\n", "{", '"'), fc.string({ unit: "binary" }));
  const role = fc.constantFrom<RoadmapRole>("architect", "task-generator", "builder");
  fc.assert(
    fc.property(role, fc.array(piece, { maxLength: 20 }), (who, pieces) => {
      const read = parseCompletionReport(who, pieces.join(""));
      expect("problems" in read ? read.problems.length > 0 : read.kind.startsWith(who.slice(0, 4))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["blanks", `Files: a${" ".repeat(190_000)}b`],
  ["ids", `Tasks completed: ${"1.1 ".repeat(40_000)}-`],
  ["lines", "Files:\n".repeat(20_000)],
  ["bullets", `Files:\n${"- a\n".repeat(40_000)}`],
])("reads many %s in a short time", (_what, text) => {
  expect(parseCompletionReport("builder", `BUILDER_COMPLETE\n${text}`)).toHaveProperty("problems");
});

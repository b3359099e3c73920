import { expect, test } from "vitest";
import { parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { checkSpecDocument, computeWeightedTotals, listSpecProblems } from "./spec-checks.ts";
import { createYamlNode, type YamlValue } from "#kernel/model/yaml-tree.ts";
import { readSpecTree } from "./spec-reader.ts";
import type { ResearchSpec } from "./spec-schemas.ts";

const HEAD = { schema_version: 2, status: "specified" };
const criterion = (id: string, outcome: string) => {
  const parts = ["given", "when", "then"].map(
    (part) => [part, part === "then" ? outcome : "a member logs in"] as const,
  );
  return { id, ...Object.fromEntries(parts) };
};

const FEATURE = {
  ...HEAD,
  id: "AUTH-001",
  type: "feature",
  title: "Log in",
  summary: "Members log in with a passkey.",
  user_stories: [{ id: "US-1", as_a: "member", i_want: "a key", so_that: "I am safe" }],
  acceptance_criteria: [criterion("AC-1", "my name is shown")],
  success_criteria: [{ metric: "log ins", target: "95 %" }, "95 % of log ins succeed"],
  api_contracts: ["POST /login"],
  test_scenarios: [{ id: "TS-1", covers: ["AC-1"], description: "Log in" }],
  dependencies: ["AUTH-002", "a key store"],
};
const BUG = {
  ...HEAD,
  id: "BUG-042",
  type: "bug",
  title: "Error 500",
  symptom: {
    description: "An error",
    reproduction: ["Log in", "Wait", "Ask"],
    observed_behavior: "500",
    expected_behavior: "401",
  },
  investigation: { root_cause: "The exception is not caught", affected_components: ["src/auth.ts:15"] },
  fix_approach: {
    summary: "Catch it",
    changes: [{ file: "src/auth.ts", action: "Catch it" }],
    acceptance_criteria: [
      "Given expired token, When I ask, Then 401 is returned",
      "Given valid token, When I ask, Then 200 is returned",
    ],
  },
  regression_prevention: ["Add test: test_expired_token_returns_401()"],
};
const option = (name: string) => ({ name, description: "One file", pros: ["Small"], cons: ["Alone"], cost: "2 days" });
const RESEARCH = {
  ...HEAD,
  id: "RES-007",
  type: "research",
  topic: "Which store?",
  timebox: "2h",
  options: [option("SQLite"), option("PostgreSQL")],
  matrix: {
    criteria: [
      { name: "cost", weight: 3 },
      { name: "teams", weight: 1 },
    ],
    scores: { SQLite: { cost: 5, teams: 1 }, PostgreSQL: { cost: 2, teams: 5 } },
  },
  recommendation: { option: "SQLite", rationale: "It costs least." },
};

function problemsOf(value: { readonly id: string } & YamlValue): string[] {
  const { document, problems } = readSpecTree(createYamlNode(value, 1), parseWorkflowId(value.id));
  if (!document) return problems.map(({ problem }) => problem);
  return checkSpecDocument(document, "complete", new Set(["AUTH-001", "AUTH-002"])).map(({ problem }) => problem);
}

test.each([FEATURE, BUG, RESEARCH])("$id is complete", (value) => {
  expect(problemsOf(value)).toEqual([]);
});

test("does not require any of it of a draft", () => {
  const value = { ...HEAD, id: "AUTH-001", title: "Log in", summary: FEATURE.summary, dependencies: ["AUTH-009"] };
  const { document } = readSpecTree(createYamlNode(value, 1), parseWorkflowId("AUTH-001"));
  expect(document && checkSpecDocument(document, "draft", new Set())).toEqual([]);
});

test.each<[string, Record<string, YamlValue>, string[]]>([
  ["no stories", { user_stories: null }, ["user_stories is missing."]],
  [
    "an empty list of criteria",
    { acceptance_criteria: [], test_scenarios: [] },
    ["The spec has no acceptance criterion."],
  ],
  [
    "an incomplete story",
    { user_stories: [{ id: "US-1", as_a: "member", i_want: "a key" }] },
    ["user_stories[0].so_that is missing."],
  ],
  [
    "a vague outcome",
    { acceptance_criteria: [criterion("AC-1", "it works properly")] },
    ['AC-1 cannot be tested: "works" needs a number, or the exact words that users see.'],
  ],
  [
    "a criterion that is marked as untestable",
    { acceptance_criteria: [{ ...criterion("AC-1", "my name is shown"), testable: false }] },
    ["AC-1 is marked as not testable."],
  ],
  [
    "no measure",
    { success_criteria: ["Members like it"] },
    ['"Members like it" cannot be measured: give a number and a unit, such as 95 % or 200 ms.'],
  ],
  [
    "no target",
    { success_criteria: [{ metric: "log ins", target: "many" }] },
    ['"many" cannot be measured: give a number and a unit, such as 95 % or 200 ms.'],
  ],
  ["an empty list of measures", { success_criteria: [] }, ["The spec has no success criterion."]],
  [
    "no contract",
    { api_contracts: [] },
    ["No contract is listed; where there is none, write api_contracts: {none: the reason}."],
  ],
  ["no contract, and a reason", { api_contracts: { none: "nothing outside sees it" } }, []],
  [
    "no contract, and no reason",
    { api_contracts: "none" },
    ["There are no contracts, and no reason why: write none: and the reason."],
  ],
  [
    "an uncovered criterion",
    { test_scenarios: [{ id: "TS-1", covers: [], description: "Log in" }] },
    ["No test scenario covers AC-1.", "TS-1 covers no criterion."],
  ],
  ["a spec that does not exist", { dependencies: ["AUTH-009"] }, ["The spec AUTH-009 does not exist."]],
  ["itself", { dependencies: ["AUTH-001"] }, ["AUTH-001 depends on itself."]],
  ["a risk without an answer", { risks: ["Keys get lost"] }, ["risks[0].mitigation is missing."]],
  ["an open question", { owner: "TBD" }, ['owner is not filled in yet: "TBD".']],
])("checks a feature with %s", (_, change, problems) => {
  expect(problemsOf({ ...FEATURE, ...change })).toEqual(problems);
});

test.each<[string, Record<string, YamlValue>, string[]]>([
  [
    "two steps",
    { symptom: { ...BUG.symptom, reproduction: ["Log in", "Ask"] } },
    ["Only 2 steps: a reproduction takes at least 3."],
  ],
  [
    "no step",
    { symptom: { ...BUG.symptom, reproduction: [] } },
    ["No step is given: a reproduction takes at least 3."],
  ],
  ["no investigation", { investigation: null }, ["investigation is missing."]],
  [
    "an unknown root cause",
    { investigation: { ...BUG.investigation, root_cause: "unknown" } },
    ["The root cause is not explained: write what fails, where and why."],
  ],
  [
    "a root cause that is not filled in, which is reported once",
    { investigation: { ...BUG.investigation, root_cause: "…" } },
    ['investigation.root_cause is not filled in yet: "…".'],
  ],
  [
    "one criterion",
    {
      fix_approach: {
        ...BUG.fix_approach,
        acceptance_criteria: ["Given expired token, When I ask, Then 401 is returned"],
      },
    },
    ["There must be at least 2 acceptance criteria, not 1."],
  ],
  [
    "no test",
    { regression_prevention: ["Document it"] },
    ['No entry names a test: write "test" and its name, such as "Add test: test_expired_token_returns_401()".'],
  ],
])("checks a bug with %s", (_, change, problems) => {
  expect(problemsOf({ ...BUG, ...change })).toEqual(problems);
});

test.each<[string, Record<string, YamlValue>, string[]]>([
  [
    "one option",
    { options: [option("SQLite")], matrix: { ...RESEARCH.matrix, scores: { SQLite: { cost: 5, teams: 1 } } } },
    ["There must be 2 to 4 options, not 1."],
  ],
  [
    "two equal options",
    { options: [option("SQLite"), option("PostgreSQL"), option("SQLite")] },
    ['Two options are called "SQLite".'],
  ],
  [
    "an option without cons",
    { options: [option("SQLite"), { ...option("PostgreSQL"), cons: [] }] },
    ['"PostgreSQL" has no cons.'],
  ],
  [
    "gaps in the matrix",
    {
      matrix: {
        ...RESEARCH.matrix,
        scores: { SQLite: { cost: 5, teams: 1 }, PostgreSQL: { cost: 2, looks: 5 }, Files: {} },
      },
    },
    [
      '"PostgreSQL" has no score for "teams".',
      '"Files" has scores, but is not an option.',
      '"looks" has a score, but is not a criterion.',
    ],
  ],
  [
    "a missing weight",
    {
      matrix: {
        ...RESEARCH.matrix,
        criteria: [
          { name: "cost", weight: 0 },
          { name: "teams", weight: 0 },
        ],
      },
    },
    ["No criterion has a weight."],
  ],
  [
    "an option that is not the best",
    { recommendation: { option: "PostgreSQL", rationale: "Teams share it." } },
    ['"SQLite" scores 16 and "PostgreSQL" 11: the rationale must name "SQLite" and explain why not.'],
  ],
  [
    "an option that is not the best, with a reason",
    { recommendation: { option: "PostgreSQL", rationale: "SQLite cannot be shared." } },
    [],
  ],
  [
    "something else",
    { recommendation: { option: "Files", rationale: "x" } },
    ['"Files" is recommended, but is not an option.'],
  ],
  [
    "a decision for an option that is not listed",
    { decision: { option: "Files", approved_by: "Ann" } },
    ['"Files" was chosen, but is not an option.'],
  ],
])("checks research with %s", (_, change, problems) => {
  expect(problemsOf({ ...RESEARCH, ...change })).toEqual(problems);
});

test("weights the totals and lists the best first", () => {
  const { document } = readSpecTree(createYamlNode(RESEARCH, 1), parseWorkflowId("RES-007"));
  expect(document && computeWeightedTotals(document.spec as ResearchSpec)).toEqual([
    { option: "SQLite", total: 16 },
    { option: "PostgreSQL", total: 11 },
  ]);
});

test.each<[string, YamlValue, string[]]>([
  [
    "a summary that is too short",
    {
      ...FEATURE,
      summary: "Log in.",
      success_criteria: ["It is fast"],
      acceptance_criteria: [criterion("AC-1", "it is nice"), criterion("AC-2", "my name is shown")],
    },
    [
      "summary is too short: 7 characters, and 20 are needed.",
      '"It is fast" cannot be measured: give a number and a unit, such as 95 % or 200 ms.',
      "No test scenario covers AC-2.",
    ],
  ],
  [
    "a wrong kind of value and an unknown field",
    { ...FEATURE, risks: "none", colour: "red", api_contracts: [] },
    [
      '"colour" is not a field of a spec.',
      "risks must be a list, not a single value.",
      "No contract is listed; where there is none, write api_contracts: {none: the reason}.",
    ],
  ],
  [
    "a field that a draft needs",
    { ...FEATURE, summary: null, test_scenarios: [] },
    ["summary is missing.", "No test scenario covers AC-1."],
  ],
])("%s does not hide other problems", (_, value, expected) => {
  const reading = readSpecTree(createYamlNode(value, 1), parseWorkflowId("AUTH-001"));
  const found = listSpecProblems(reading, "complete", new Set(["AUTH-001", "AUTH-002"])).map(({ problem }) => problem);
  const isListed = (wanted: string): boolean => found.some((problem) => problem.startsWith(wanted.replace(/\.$/, "")));
  expect(expected.filter((wanted) => !isListed(wanted))).toEqual([]);
  expect(reading.document).toBeUndefined();
});

/** The spec with each of its single values replaced in turn. */
function* listDamagedSpecs(value: YamlValue, wrong: YamlValue, at = ""): Generator<readonly [string, YamlValue]> {
  if (typeof value !== "object" || value === null) yield [at, wrong];
  else
    for (const [key, item] of Object.entries(value))
      for (const [place, damaged] of listDamagedSpecs(item, wrong, `${at}/${key}`))
        yield [place, replaceItem(value, key, damaged)];
}

function replaceItem(value: YamlValue & object, key: string, item: YamlValue): YamlValue {
  return value instanceof Array ? value.with(Number(key), item) : { ...value, [key]: item };
}

const WRONG_VALUES: readonly YamlValue[] = ["…", "", 77, [], {}];
const OPEN_SPECS: readonly [string, YamlValue, string][] = [
  ["AUTH-001", { ...FEATURE, notes: "…" }, "notes"],
  ["BUG-042", { ...BUG, symptom: { ...BUG.symptom, affected_users: "…" } }, "symptom.affected_users"],
  ["RES-007", { ...RESEARCH, trade_offs: "…" }, "trade_offs"],
];

test.each<[string, YamlValue, YamlValue, string]>(
  OPEN_SPECS.flatMap(([id, spec, field]) =>
    WRONG_VALUES.map((wrong): [string, YamlValue, YamlValue, string] => [id, wrong, spec, field]),
  ),
)("in %s, a value that is %j hides no other problem", (id, wrong, spec, field) => {
  const hiding = [...listDamagedSpecs(spec, wrong)].flatMap(([place, damaged]) => {
    const reading = readSpecTree(createYamlNode(damaged, 1), parseWorkflowId(id));
    const found = listSpecProblems(reading, "complete", new Set([id, "AUTH-002"]));
    return found.some((each) => each.field === field) || place.slice(1).replaceAll("/", ".") === field ? [] : [place];
  });
  expect(hiding).toEqual([]);
});

import { expect, test } from "vitest";
import { parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { createYamlNode, type YamlValue } from "#kernel/model/yaml-tree.ts";
import { readSpecTree } from "./spec-reader.ts";

const FEATURE = {
  schema_version: 2,
  id: "AUTH-001",
  type: "feature",
  title: "Log in",
  status: "draft",
  summary: "Members log in with a passkey.",
};
const BUG = {
  schema_version: 2,
  id: "BUG-042",
  type: "bug",
  title: "Error 500",
  status: "draft",
  symptom: { description: "An error 500" },
};
const RESEARCH = { schema_version: 2, id: "RES-007", type: "research", topic: "Which store?", status: "draft" };
const AC = { id: "AC-1", given: "a key", when: "I log in" };

const problemsOf = (id: string, value: YamlValue): string[] =>
  readSpecTree(createYamlNode(value, 1), parseWorkflowId(id)).problems.map(({ problem }) => problem);

test.each([
  ["AUTH-001", FEATURE],
  ["BUG-042", BUG],
  ["RES-007", RESEARCH],
])("accepts %s as a draft in the canonical form", (id, value) => {
  const { problems, aliases, edits, document } = readSpecTree(createYamlNode(value, 1), parseWorkflowId(id));
  expect({ problems, aliases, edits, spec: document?.spec }).toMatchObject({
    problems: [],
    aliases: [],
    edits: [],
    spec: value,
  });
});

test.each<[string, YamlValue, string[]]>([
  ["nothing at all", null, ["The document must be a mapping, not nothing."]],
  ["a list", [1], ["The document must be a mapping, not a list."]],
  ["no title", { ...FEATURE, title: null }, ["title is missing."]],
  ["an empty title", { ...FEATURE, title: " " }, ["title is empty."]],
  ["a long title", { ...FEATURE, title: "x".repeat(201) }, ["title is too long: 201 characters; the limit is 200."]],
  ["a short summary", { ...FEATURE, summary: "Log in" }, ["summary is too short: 6 characters, and 20 are needed."]],
  ["a list for a title", { ...FEATURE, title: [] }, ["title must be a text, not a list."]],
  ["a newer form", { ...FEATURE, schema_version: 3 }, ["schema_version must be 2."]],
  ["another type", { ...FEATURE, type: "epic" }, ['type must be feature, not "epic".']],
  ["another id", { ...FEATURE, id: "AUTH-002" }, ['The id is "AUTH-002", but the file is called AUTH-001.yaml.']],
  ["a misspelled field", { ...FEATURE, ownr: "Ann" }, ['"ownr" is not a field of a spec. Did you mean owner?']],
  [
    "an old name beside the new one",
    { ...FEATURE, description: "x" },
    ['"description" is not a field of a spec. It is the old name of summary, which is also given.'],
  ],
  ["a repeated number", { ...FEATURE, acceptance_criteria: [AC, AC] }, ['"AC-1" appears twice.']],
  [
    "a wrong number",
    { ...FEATURE, acceptance_criteria: [{ ...AC, id: "1" }] },
    ['acceptance_criteria[0].id must be a number such as AC-1, not "1".'],
  ],
  [
    "a story that does not exist",
    { ...FEATURE, acceptance_criteria: [{ ...AC, story: "US-1" }] },
    ['"US-1" is named, but is not in this spec.'],
  ],
  [
    "a criterion that does not exist",
    { ...FEATURE, acceptance_criteria: [AC], test_scenarios: [{ id: "TS-1", covers: ["AC-1", "AC-9"] }] },
    ['"AC-9" is named, but is not in this spec.'],
  ],
  ["a text for a list", { ...FEATURE, user_stories: "many" }, ["user_stories must be a list, not a single value."]],
  [
    "too many items",
    { ...FEATURE, constraints: Array.from({ length: 201 }, () => "x") },
    ["constraints has 201 items; the limit is 200."],
  ],
  [
    "an invalid date",
    { ...FEATURE, metadata: { created: "2026-13-45" } },
    ['metadata.created must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z, not "2026-13-45".'],
  ],
  [
    "names from nowhere",
    { ...FEATURE, ["__proto__"]: 1, constructor: 1 },
    [
      expect.stringContaining('"__proto__" is not a field'),
      expect.stringContaining('"constructor" is not a field'),
    ] as string[],
  ],
])("reads a feature with %s", (_, value, problems) => {
  expect(problemsOf("AUTH-001", value)).toEqual(problems);
});

test.each<[string, string, YamlValue, string[]]>([
  ["a bug of another type", "BUG-042", { ...BUG, type: "feature" }, ['type must be bug, not "feature".']],
  ["a bug without a symptom", "BUG-042", { ...BUG, symptom: null }, ["symptom is missing."]],
  ["research without a topic", "RES-007", { ...RESEARCH, topic: null }, ["topic is missing."]],
  [
    "an invalid timebox",
    "RES-007",
    { ...RESEARCH, timebox: "soon" },
    ['timebox must be a time such as 30m, 2h or 1d, not "soon".'],
  ],
  [
    "a score out of range",
    "RES-007",
    { ...RESEARCH, matrix: { scores: { A: { cost: 6 } } } },
    ["matrix.scores.A.cost must be a number from 1 to 5."],
  ],
])("%s", (_, id, value, problems) => {
  expect(problemsOf(id, value)).toEqual(problems);
});

test("reads missing lists and parts as empty", () => {
  const read = readSpecTree(createYamlNode(BUG, 1), parseWorkflowId("BUG-042"));
  expect(read.document?.spec).toEqual({
    ...BUG,
    symptom: { description: "An error 500", reproduction: [] },
    investigation: { affected_components: [], impact: [] },
    fix_approach: { changes: [], acceptance_criteria: [], risks: [] },
    regression_prevention: [],
    trace: { code: [], tests: [], docs: [], decisions: [] },
    metadata: {},
  });
});

test.each<[string, YamlValue, string[]]>([
  ["a number for a text", { ...FEATURE, title: 404 }, []],
  ["the first version", { ...FEATURE, schema_version: 1 }, ['schema_version: "1" → 2']],
  ["a single value for a list", { ...FEATURE, constraints: "No new tables" }, ["a single value → a list"]],
  ["a word in capitals", { ...FEATURE, status: "Draft" }, ['status: "Draft" → draft']],
  [
    "contracts that there are none of",
    { ...FEATURE, api_contracts: "none: nothing outside sees it" },
    ['"none: nothing outside sees it" → none'],
  ],
  [
    "omitted defaults",
    { id: "AUTH-001", title: "Log in", summary: FEATURE.summary },
    ["no schema_version → 2", "no type → feature", "no status → draft"],
  ],
])("understands %s", (_, value, aliases) => {
  const read = readSpecTree(createYamlNode(value, 1), parseWorkflowId("AUTH-001"));
  expect([read.problems, read.aliases.map(({ from, to }) => `${from} → ${to}`)]).toEqual([[], aliases]);
});

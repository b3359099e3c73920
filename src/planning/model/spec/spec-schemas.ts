import type * as z from "zod/mini";
import { type LocatedNode, readYamlText, type YamlValue } from "#kernel/model/yaml-tree.ts";
import {
  createFieldConverter,
  formatCriterionText,
  parseCriterionRecord,
  parseUserStory,
} from "./criterion-sentence.ts";
import {
  createAlternative,
  createList,
  createNumber,
  createRecord,
  createTable,
  createText,
  createWord,
  fillableField,
  FREE_VALUE,
  LONG_TEXT,
  neededField,
  optionalField,
  SENTENCE,
  SPEC_HEAD_FIELDS,
  SPEC_PRIORITY,
  SPEC_STATUS_FIELDS,
  SPEC_TAIL_FIELDS,
  TITLE,
} from "./field-shapes.ts";

const SENTENCES = createList(SENTENCE);

/** A draft may leave it open, a complete spec has it. `older` are former names. */
const neededLater = <S extends z.ZodMiniType>(schema: S, ...older: readonly string[]) =>
  optionalField(schema, { isNeeded: true, older });

const createItemId = (prefix: string) =>
  createText({ most: 200, pattern: new RegExp(`^${prefix}-\\d{1,4}$`), says: `a number such as ${prefix}-1` });

const USER_STORY = createRecord(
  {
    id: createItemId("US"),
    as_a: neededLater(SENTENCE, "as", "as_an", "role"),
    i_want: neededLater(SENTENCE, "want", "i_want_to", "feature", "story"),
    so_that: neededLater(SENTENCE, "so", "benefit", "in_order_to"),
  },
  { numbered: "US", form: parseUserStory },
);

const createGivenWhenThen = (isNeeded: boolean) => ({
  given: optionalField(SENTENCE, { isNeeded }),
  when: optionalField(SENTENCE, { isNeeded }),
  // oxlint-disable-next-line unicorn/no-thenable -- a field of the document
  then: optionalField(SENTENCE, { isNeeded }),
});

const FEATURE_CRITERION = createRecord(
  {
    id: createItemId("AC"),
    ...createGivenWhenThen(true),
    story: optionalField(TITLE, { older: ["user_story", "us"] }),
    testable: optionalField(createWord(["true", "false"])),
    notes: optionalField(LONG_TEXT, { older: ["note", "description"] }),
  },
  { numbered: "AC", form: parseCriterionRecord },
);

const SUCCESS_METRIC = createRecord({
  metric: neededLater(SENTENCE, "name", "measure"),
  target: neededLater(SENTENCE, "value", "goal"),
});

const TEST_SCENARIO = createRecord(
  {
    id: createItemId("TS"),
    covers: fillableField(createList(TITLE), {
      isNeeded: true,
      older: ["criteria", "acceptance_criteria", "acs", "ac", "verifies"],
    }),
    description: neededLater(SENTENCE, "name", "title", "scenario"),
    ...createGivenWhenThen(false),
  },
  { numbered: "TS", form: createFieldConverter("description") },
);

const FEATURE_RISK = createRecord(
  {
    risk: neededLater(SENTENCE, "description", "name"),
    severity: optionalField(SPEC_PRIORITY, { older: ["impact", "level"] }),
    mitigation: neededLater(SENTENCE),
  },
  { form: createFieldConverter("risk") },
);

/** Parses "none: internal only", "None, because internal only" or "none". */
function parseNoContracts(node: LocatedNode): YamlValue | undefined {
  const text = readYamlText(node)?.trim();
  if (text === undefined || !/^(?:none|n\/a)\b/i.test(text)) return undefined;
  const reason = text.replace(/^(?:none|n\/a)[\s,;:(—–-]*/i, "");
  return { none: (reason.endsWith(")") && !reason.includes("(") ? reason.slice(0, -1) : reason) || null };
}

const NO_CONTRACTS = createRecord({ none: optionalField(SENTENCE, { older: ["reason"] }) }, { form: parseNoContracts });

const listWrappedLocations = (...keys: readonly string[]) =>
  keys.flatMap((key) => [`requirements.${key}`, `design.${key}`]);

/** `sdd/specs/AUTH-001.yaml`. */
export const FEATURE_SCHEMA = createRecord({
  ...SPEC_HEAD_FIELDS,
  type: neededField(createWord(["feature"], { spec: "feature", story: "feature" }), { otherwise: "feature" }),
  title: neededField(TITLE, { older: ["name"] }),
  ...SPEC_STATUS_FIELDS,
  summary: neededField(createText({ least: 20 }), { older: ["description", "overview"] }),
  user_stories: fillableField(createList(USER_STORY), {
    isNeeded: true,
    older: ["stories"],
    stood: listWrappedLocations("user-stories", "user_stories"),
  }),
  acceptance_criteria: fillableField(createList(FEATURE_CRITERION), {
    isNeeded: true,
    older: ["acs", "criteria"],
    stood: listWrappedLocations("acceptance-criteria", "acceptance_criteria"),
  }),
  success_criteria: fillableField(createList(createAlternative(SUCCESS_METRIC, SENTENCE)), {
    isNeeded: true,
    older: ["success_metrics", "completeness"],
    stood: listWrappedLocations("success-criteria", "success_criteria"),
  }),
  api_contracts: optionalField(createAlternative(createList(FREE_VALUE), NO_CONTRACTS), {
    isNeeded: true,
    older: ["contracts", "api", "interfaces"],
    stood: listWrappedLocations("api-contracts", "api_contracts", "interfaces"),
  }),
  test_scenarios: fillableField(createList(TEST_SCENARIO), {
    isNeeded: true,
    older: ["scenarios", "tests"],
    stood: listWrappedLocations("test-scenarios", "test_scenarios"),
  }),
  non_functional: optionalField(createAlternative(createList(FREE_VALUE), createTable(FREE_VALUE)), {
    older: ["non_functional_requirements", "nfr", "nfrs"],
    stood: listWrappedLocations("non-functional", "non_functional"),
  }),
  dependencies: fillableField(SENTENCES, { older: ["depends_on"], stood: listWrappedLocations("dependencies") }),
  constraints: fillableField(SENTENCES, { stood: listWrappedLocations("constraints") }),
  risks: fillableField(createList(FEATURE_RISK), { stood: listWrappedLocations("risks") }),
  notes: optionalField(LONG_TEXT),
  tags: fillableField(createList(TITLE)),
  ...SPEC_TAIL_FIELDS,
});

/** A bug's criterion is one sentence. The record form of a feature is converted. */
const BUG_CRITERION = createText({}, { form: formatCriterionText });

const SYMPTOM = createRecord(
  {
    description: neededField(LONG_TEXT, { older: ["summary", "text"] }),
    reproduction: fillableField(SENTENCES, {
      isNeeded: true,
      older: ["reproduction_steps", "steps", "steps_to_reproduce"],
      stood: ["investigation.reproduction", "investigation.reproduction_steps", "reproduction"],
    }),
    observed_behavior: optionalField(LONG_TEXT, {
      isNeeded: true,
      older: ["observed", "actual", "actual_behavior"],
      stood: ["observed_behavior"],
    }),
    expected_behavior: optionalField(LONG_TEXT, { isNeeded: true, older: ["expected"], stood: ["expected_behavior"] }),
    affected_users: optionalField(SENTENCE, { older: ["users"] }),
    frequency: optionalField(SENTENCE),
  },
  { form: createFieldConverter("description") },
);

const INVESTIGATION = createRecord({
  root_cause: optionalField(LONG_TEXT, { isNeeded: true, older: ["cause"], stood: ["root_cause"] }),
  affected_components: fillableField(SENTENCES, { isNeeded: true, older: ["components", "affected_files"] }),
  analysis: optionalField(LONG_TEXT),
  impact: fillableField(SENTENCES),
});

/** Splits "src/login.ts: catch the exception" into file and action. */
function parseFixChange(node: LocatedNode): YamlValue | undefined {
  const text = readYamlText(node);
  if (text === undefined) return undefined;
  const [, file, action] = /^([^\s:]{1,300}): (.+)$/s.exec(text) ?? [];
  return file && action ? { file, action } : { action: text };
}

const FIX_CHANGE = createRecord(
  { file: neededLater(SENTENCE, "path"), action: neededLater(SENTENCE, "change", "description") },
  { form: parseFixChange },
);

const FIX_APPROACH = createRecord(
  {
    summary: neededLater(LONG_TEXT, "description", "approach"),
    changes: fillableField(createList(FIX_CHANGE), { isNeeded: true }),
    acceptance_criteria: fillableField(createList(BUG_CRITERION), {
      isNeeded: true,
      older: ["acs", "criteria"],
      stood: ["acceptance_criteria"],
    }),
    risks: fillableField(SENTENCES),
  },
  { form: createFieldConverter("summary") },
);

/** `sdd/specs/BUG-042.yaml`. */
export const BUG_SCHEMA = createRecord({
  ...SPEC_HEAD_FIELDS,
  type: neededField(createWord(["bug"], { bugfix: "bug", defect: "bug", fix: "bug" }), { otherwise: "bug" }),
  title: neededField(TITLE, { older: ["name"] }),
  ...SPEC_STATUS_FIELDS,
  symptom: neededField(SYMPTOM, { older: ["symptoms"] }),
  investigation: fillableField(INVESTIGATION, { isNeeded: true }),
  fix_approach: fillableField(FIX_APPROACH, { isNeeded: true, older: ["fix"] }),
  regression_prevention: fillableField(SENTENCES, {
    isNeeded: true,
    older: ["regression_tests", "regression"],
    stood: ["fix_approach.regression_tests", "fix_approach.regression_prevention"],
  }),
  notes: optionalField(LONG_TEXT),
  ...SPEC_TAIL_FIELDS,
});

const RESEARCH_OPTION = createRecord(
  {
    name: neededField(TITLE, { older: ["option", "title"] }),
    description: neededLater(LONG_TEXT, "summary"),
    pros: fillableField(SENTENCES, { isNeeded: true, older: ["advantages"] }),
    cons: fillableField(SENTENCES, { isNeeded: true, older: ["disadvantages"] }),
    cost: neededLater(SENTENCE, "cost_estimate", "effort", "estimate"),
  },
  { form: createFieldConverter("name") },
);

const MATRIX_CRITERION = createRecord(
  { name: TITLE, weight: optionalField(createNumber(0, 1000), { isNeeded: true }) },
  { form: createFieldConverter("name") },
);

const DECISION_MATRIX = createRecord({
  criteria: fillableField(createList(MATRIX_CRITERION), { isNeeded: true }),
  scores: fillableField(createTable(createTable(createNumber(1, 5))), { isNeeded: true }),
});

const RECOMMENDATION = createRecord(
  { option: neededLater(TITLE, "choice", "name"), rationale: neededLater(LONG_TEXT, "reason", "why") },
  { form: createFieldConverter("option") },
);

const RESEARCH_DECISION = createRecord({
  option: neededLater(TITLE, "choice"),
  approved_by: neededLater(TITLE, "approved", "approver"),
  adr: optionalField(TITLE, { older: ["decision_record"] }),
});

/** `sdd/specs/RES-001.yaml`. */
export const RESEARCH_SCHEMA = createRecord({
  ...SPEC_HEAD_FIELDS,
  type: neededField(createWord(["research"], { spike: "research" }), { otherwise: "research" }),
  topic: neededField(SENTENCE, { older: ["title", "question"] }),
  ...SPEC_STATUS_FIELDS,
  timebox: neededLater(
    createText({
      most: 200,
      pattern: /^\d{1,4}(?:\.\d{1,2})?\s?(?:m|min|minutes?|h|hours?|d|days?)$/i,
      says: "a time such as 30m, 2h or 1d",
    }),
  ),
  options: fillableField(createList(RESEARCH_OPTION), { isNeeded: true, older: ["alternatives"] }),
  matrix: fillableField(DECISION_MATRIX, { isNeeded: true, older: ["decision_matrix"] }),
  trade_offs: optionalField(createAlternative(LONG_TEXT, SENTENCES), { older: ["tradeoffs"] }),
  recommendation: fillableField(RECOMMENDATION, { isNeeded: true }),
  decision: fillableField(RESEARCH_DECISION),
  notes: optionalField(LONG_TEXT),
  ...SPEC_TAIL_FIELDS,
});
export type ResearchSpec = z.infer<typeof RESEARCH_SCHEMA>;

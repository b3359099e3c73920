import {
  SPEC_HEAD_FIELDS,
  OWNER_FIELD,
  PRIORITY_FIELD,
  type SpecPriority,
  type SpecHead,
  STATUS_FIELD,
  SPEC_TAIL_FIELDS,
  createAlternativeShape,
  type FieldShape,
  FREE_SHAPE,
  createListShape,
  LONG_TEXT_SHAPE,
  createPatternShape,
  createRecordShape,
  type RecordFieldShape,
  SENTENCE_SHAPE,
  createTableShape,
  createMinTextShape,
  TITLE_SHAPE,
  createWordShape,
} from "./field-shapes.ts";
import { type LocatedNode, type YamlValue, readYamlText } from "#kernel/model/yaml-tree.ts";
import { createFieldConverter, parseCriterionRecord, parseUserStory } from "./criterion-sentence.ts";

interface UserStory {
  readonly id: string;
  readonly as_a?: string;
  readonly i_want?: string;
  readonly so_that?: string;
}

interface FeatureCriterion {
  readonly id: string;
  readonly given?: string;
  readonly when?: string;
  readonly then?: string;
  readonly story?: string;
  readonly testable?: string;
  readonly notes?: string;
}

type SuccessCriterion = string | { readonly metric?: string; readonly target?: string };

interface TestScenario {
  readonly id: string;
  readonly covers: readonly string[];
  readonly description?: string;
  readonly given?: string;
  readonly when?: string;
  readonly then?: string;
}

interface FeatureRisk {
  readonly risk?: string;
  readonly severity?: SpecPriority;
  readonly mitigation?: string;
}

type ApiContracts = readonly unknown[] | { readonly none?: string };

export interface FeatureSpec extends SpecHead {
  readonly type: "feature";
  readonly title: string;
  readonly summary: string;
  readonly priority?: SpecPriority;
  readonly owner?: string;
  readonly user_stories: readonly UserStory[];
  readonly acceptance_criteria: readonly FeatureCriterion[];
  readonly success_criteria: readonly SuccessCriterion[];
  readonly api_contracts?: ApiContracts;
  readonly test_scenarios: readonly TestScenario[];
  readonly non_functional?: readonly unknown[] | Readonly<Record<string, unknown>>;
  readonly dependencies: readonly string[];
  readonly constraints: readonly string[];
  readonly risks: readonly FeatureRisk[];
}

const createItemIdField = (prefix: string) => ({
  shape: createPatternShape(new RegExp(`^${prefix}-\\d{1,4}$`), `a number such as ${prefix}-1`),
  need: "draft" as const,
});

const USER_STORY_SHAPE = createRecordShape(
  {
    id: createItemIdField("US"),
    as_a: { shape: SENTENCE_SHAPE, need: "complete", older: ["as", "as_an", "role"] },
    i_want: { shape: SENTENCE_SHAPE, need: "complete", older: ["want", "i_want_to", "feature", "story"] },
    so_that: { shape: SENTENCE_SHAPE, need: "complete", older: ["so", "benefit", "in_order_to"] },
  },
  { numbered: "US", form: parseUserStory },
);

const createGivenWhenThenFields = (more: Pick<FieldShape, "need">): Readonly<Record<string, FieldShape>> =>
  Object.fromEntries(["given", "when", "then"].map((part) => [part, { shape: SENTENCE_SHAPE, ...more }]));

const FEATURE_CRITERION_SHAPE = createRecordShape(
  {
    id: createItemIdField("AC"),
    ...createGivenWhenThenFields({ need: "complete" }),
    story: { shape: TITLE_SHAPE, older: ["user_story", "us"] },
    testable: { shape: createWordShape(["true", "false"]) },
    notes: { shape: LONG_TEXT_SHAPE, older: ["note", "description"] },
  },
  { numbered: "AC", form: parseCriterionRecord },
);

const SUCCESS_CRITERION_SHAPE = createAlternativeShape(
  createRecordShape({
    metric: { shape: SENTENCE_SHAPE, need: "complete", older: ["name", "measure"] },
    target: { shape: SENTENCE_SHAPE, need: "complete", older: ["value", "goal"] },
  }),
  SENTENCE_SHAPE,
);

const TEST_SCENARIO_SHAPE = createRecordShape(
  {
    id: createItemIdField("TS"),
    covers: {
      shape: createListShape(TITLE_SHAPE),
      need: "complete",
      older: ["criteria", "acceptance_criteria", "acs", "ac", "verifies"],
    },
    description: { shape: SENTENCE_SHAPE, need: "complete", older: ["name", "title", "scenario"] },
    ...createGivenWhenThenFields({}),
  },
  { numbered: "TS", form: createFieldConverter("description") },
);

const FEATURE_RISK_SHAPE = createRecordShape(
  {
    risk: { shape: SENTENCE_SHAPE, need: "complete", older: ["description", "name"] },
    severity: { ...PRIORITY_FIELD, older: ["impact", "level"] },
    mitigation: { shape: SENTENCE_SHAPE, need: "complete" },
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

const API_CONTRACTS_SHAPE = createAlternativeShape(
  createListShape(FREE_SHAPE),
  createRecordShape({ none: { shape: SENTENCE_SHAPE, older: ["reason"] } }, { form: parseNoContracts }),
);

const listWrappedLocations = (...keys: readonly string[]) =>
  keys.flatMap((key) => [`requirements.${key}`, `design.${key}`]);

/** `sdd/specs/AUTH-001.yaml`. */
export const FEATURE_SCHEMA: RecordFieldShape = createRecordShape({
  ...SPEC_HEAD_FIELDS,
  type: { shape: createWordShape(["feature"], { spec: "feature", story: "feature" }), otherwise: "feature" },
  title: { shape: TITLE_SHAPE, need: "draft", older: ["name"] },
  status: STATUS_FIELD,
  priority: PRIORITY_FIELD,
  owner: OWNER_FIELD,
  summary: { shape: createMinTextShape(20), need: "draft", older: ["description", "overview"] },
  user_stories: {
    shape: createListShape(USER_STORY_SHAPE),
    need: "complete",
    older: ["stories"],
    stood: listWrappedLocations("user-stories", "user_stories"),
  },
  acceptance_criteria: {
    shape: createListShape(FEATURE_CRITERION_SHAPE),
    need: "complete",
    older: ["acs", "criteria"],
    stood: listWrappedLocations("acceptance-criteria", "acceptance_criteria"),
  },
  success_criteria: {
    shape: createListShape(SUCCESS_CRITERION_SHAPE),
    need: "complete",
    older: ["success_metrics", "completeness"],
    stood: listWrappedLocations("success-criteria", "success_criteria"),
  },
  api_contracts: {
    shape: API_CONTRACTS_SHAPE,
    need: "complete",
    older: ["contracts", "api", "interfaces"],
    stood: listWrappedLocations("api-contracts", "api_contracts", "interfaces"),
  },
  test_scenarios: {
    shape: createListShape(TEST_SCENARIO_SHAPE),
    need: "complete",
    older: ["scenarios", "tests"],
    stood: listWrappedLocations("test-scenarios", "test_scenarios"),
  },
  non_functional: {
    shape: createAlternativeShape(createListShape(FREE_SHAPE), createTableShape(FREE_SHAPE)),
    older: ["non_functional_requirements", "nfr", "nfrs"],
    stood: listWrappedLocations("non-functional", "non_functional"),
  },
  dependencies: {
    shape: createListShape(SENTENCE_SHAPE),
    older: ["depends_on"],
    stood: listWrappedLocations("dependencies"),
  },
  constraints: { shape: createListShape(SENTENCE_SHAPE), stood: listWrappedLocations("constraints") },
  risks: { shape: createListShape(FEATURE_RISK_SHAPE), stood: listWrappedLocations("risks") },
  notes: { shape: LONG_TEXT_SHAPE },
  tags: { shape: createListShape(TITLE_SHAPE) },
  ...SPEC_TAIL_FIELDS,
});

import { HEAD, OWNER, PRIORITY, type Priority, type SpecHead, STATUS, TAIL } from "./common-fields.ts";
import { type Located, type Plain, textOf } from "./located.ts";
import { asField, criterionForm, storyForm } from "./sentence.ts";
import {
  either,
  type Field,
  FREE,
  list,
  LONG_TEXT,
  matching,
  record,
  type RecordShape,
  SENTENCE_TEXT,
  table,
  textOfAtLeast,
  TITLE_TEXT,
  words,
} from "./shape.ts";

interface UserStory {
  readonly id: string;
  readonly as_a?: string;
  readonly i_want?: string;
  readonly so_that?: string;
}

interface Criterion {
  readonly id: string;
  readonly given?: string;
  readonly when?: string;
  readonly then?: string;
  readonly story?: string;
  readonly testable?: string;
  readonly notes?: string;
}

type SuccessCriterion = string | { readonly metric?: string; readonly target?: string };

interface Scenario {
  readonly id: string;
  readonly covers: readonly string[];
  readonly description?: string;
  readonly given?: string;
  readonly when?: string;
  readonly then?: string;
}

interface Risk {
  readonly risk?: string;
  readonly severity?: Priority;
  readonly mitigation?: string;
}

type ApiContracts = readonly unknown[] | { readonly none?: string };

export interface Feature extends SpecHead {
  readonly type: "feature";
  readonly title: string;
  readonly summary: string;
  readonly priority?: Priority;
  readonly owner?: string;
  readonly user_stories: readonly UserStory[];
  readonly acceptance_criteria: readonly Criterion[];
  readonly success_criteria: readonly SuccessCriterion[];
  readonly api_contracts?: ApiContracts;
  readonly test_scenarios: readonly Scenario[];
  readonly non_functional?: readonly unknown[] | Readonly<Record<string, unknown>>;
  readonly dependencies: readonly string[];
  readonly constraints: readonly string[];
  readonly risks: readonly Risk[];
}

const itemId = (prefix: string) => ({
  shape: matching(new RegExp(`^${prefix}-\\d{1,4}$`), `a number such as ${prefix}-1`),
  need: "draft" as const,
});

const story = record(
  {
    id: itemId("US"),
    as_a: { shape: SENTENCE_TEXT, need: "complete", older: ["as", "as_an", "role"] },
    i_want: { shape: SENTENCE_TEXT, need: "complete", older: ["want", "i_want_to", "feature", "story"] },
    so_that: { shape: SENTENCE_TEXT, need: "complete", older: ["so", "benefit", "in_order_to"] },
  },
  { numbered: "US", form: storyForm },
);

const parts = (more: Pick<Field, "need">): Readonly<Record<string, Field>> =>
  Object.fromEntries(["given", "when", "then"].map((part) => [part, { shape: SENTENCE_TEXT, ...more }]));

const criterion = record(
  {
    id: itemId("AC"),
    ...parts({ need: "complete" }),
    story: { shape: TITLE_TEXT, older: ["user_story", "us"] },
    testable: { shape: words(["true", "false"]) },
    notes: { shape: LONG_TEXT, older: ["note", "description"] },
  },
  { numbered: "AC", form: criterionForm },
);

const success = either(
  record({
    metric: { shape: SENTENCE_TEXT, need: "complete", older: ["name", "measure"] },
    target: { shape: SENTENCE_TEXT, need: "complete", older: ["value", "goal"] },
  }),
  SENTENCE_TEXT,
);

const scenario = record(
  {
    id: itemId("TS"),
    covers: {
      shape: list(TITLE_TEXT),
      need: "complete",
      older: ["criteria", "acceptance_criteria", "acs", "ac", "verifies"],
    },
    description: { shape: SENTENCE_TEXT, need: "complete", older: ["name", "title", "scenario"] },
    ...parts({}),
  },
  { numbered: "TS", form: asField("description") },
);

const risk = record(
  {
    risk: { shape: SENTENCE_TEXT, need: "complete", older: ["description", "name"] },
    severity: { ...PRIORITY, older: ["impact", "level"] },
    mitigation: { shape: SENTENCE_TEXT, need: "complete" },
  },
  { form: asField("risk") },
);

/** Parses "none: internal only", "None, because internal only" or "none". */
function noContracts(node: Located): Plain | undefined {
  const text = textOf(node)?.trim();
  if (text === undefined || !/^(?:none|n\/a)\b/i.test(text)) return undefined;
  const reason = text.replace(/^(?:none|n\/a)[\s,;:(—–-]*/i, "");
  return { none: (reason.endsWith(")") && !reason.includes("(") ? reason.slice(0, -1) : reason) || null };
}

const contracts = either(
  list(FREE),
  record({ none: { shape: SENTENCE_TEXT, older: ["reason"] } }, { form: noContracts }),
);

const wrapped = (...keys: readonly string[]) => keys.flatMap((key) => [`requirements.${key}`, `design.${key}`]);

/** `sdd/specs/AUTH-001.yaml`. */
export const FEATURE: RecordShape = record({
  ...HEAD,
  type: { shape: words(["feature"], { spec: "feature", story: "feature" }), otherwise: "feature" },
  title: { shape: TITLE_TEXT, need: "draft", older: ["name"] },
  status: STATUS,
  priority: PRIORITY,
  owner: OWNER,
  summary: { shape: textOfAtLeast(20), need: "draft", older: ["description", "overview"] },
  user_stories: {
    shape: list(story),
    need: "complete",
    older: ["stories"],
    stood: wrapped("user-stories", "user_stories"),
  },
  acceptance_criteria: {
    shape: list(criterion),
    need: "complete",
    older: ["acs", "criteria"],
    stood: wrapped("acceptance-criteria", "acceptance_criteria"),
  },
  success_criteria: {
    shape: list(success),
    need: "complete",
    older: ["success_metrics", "completeness"],
    stood: wrapped("success-criteria", "success_criteria"),
  },
  api_contracts: {
    shape: contracts,
    need: "complete",
    older: ["contracts", "api", "interfaces"],
    stood: wrapped("api-contracts", "api_contracts", "interfaces"),
  },
  test_scenarios: {
    shape: list(scenario),
    need: "complete",
    older: ["scenarios", "tests"],
    stood: wrapped("test-scenarios", "test_scenarios"),
  },
  non_functional: {
    shape: either(list(FREE), table(FREE)),
    older: ["non_functional_requirements", "nfr", "nfrs"],
    stood: wrapped("non-functional", "non_functional"),
  },
  dependencies: { shape: list(SENTENCE_TEXT), older: ["depends_on"], stood: wrapped("dependencies") },
  constraints: { shape: list(SENTENCE_TEXT), stood: wrapped("constraints") },
  risks: { shape: list(risk), stood: wrapped("risks") },
  notes: { shape: LONG_TEXT },
  tags: { shape: list(TITLE_TEXT) },
  ...TAIL,
});

import {
  SPEC_HEAD_FIELDS,
  OWNER_FIELD,
  PRIORITY_FIELD,
  type SpecPriority,
  type SpecHead,
  STATUS_FIELD,
  SPEC_TAIL_FIELDS,
  createListShape,
  LONG_TEXT_SHAPE,
  createRecordShape,
  type RecordFieldShape,
  SENTENCE_SHAPE,
  type TextFieldShape,
  TITLE_SHAPE,
  createWordShape,
  createAlternativeShape,
  createPatternShape,
  createNumberShape,
  createTableShape,
} from "./field-shapes.ts";
import { formatCriterionText, createFieldConverter } from "./criterion-sentence.ts";
import { readYamlText, type LocatedNode, type YamlValue } from "#kernel/model/yaml-tree.ts";

export interface BugSpec extends SpecHead {
  readonly type: "bug";
  readonly title: string;
  readonly priority?: SpecPriority;
  readonly owner?: string;
  readonly symptom: {
    readonly description: string;
    readonly reproduction: readonly string[];
    readonly observed_behavior?: string;
    readonly expected_behavior?: string;
    readonly affected_users?: string;
    readonly frequency?: string;
  };
  readonly investigation: {
    readonly root_cause?: string;
    readonly affected_components: readonly string[];
    readonly analysis?: string;
    readonly impact: readonly string[];
  };
  readonly fix_approach: {
    readonly summary?: string;
    readonly changes: readonly { readonly file?: string; readonly action?: string }[];
    readonly acceptance_criteria: readonly string[];
    readonly risks: readonly string[];
  };
  readonly regression_prevention: readonly string[];
}

/** A bug's criterion is one sentence. The record form of a feature is converted. */
const BUG_CRITERION_SHAPE: TextFieldShape = { ...SENTENCE_SHAPE, form: formatCriterionText };

const SYMPTOM_SHAPE = createRecordShape(
  {
    description: { shape: LONG_TEXT_SHAPE, need: "draft", older: ["summary", "text"] },
    reproduction: {
      shape: createListShape(SENTENCE_SHAPE),
      need: "complete",
      older: ["reproduction_steps", "steps", "steps_to_reproduce"],
      stood: ["investigation.reproduction", "investigation.reproduction_steps", "reproduction"],
    },
    observed_behavior: {
      shape: LONG_TEXT_SHAPE,
      need: "complete",
      older: ["observed", "actual", "actual_behavior"],
      stood: ["observed_behavior"],
    },
    expected_behavior: { shape: LONG_TEXT_SHAPE, need: "complete", older: ["expected"], stood: ["expected_behavior"] },
    affected_users: { shape: SENTENCE_SHAPE, older: ["users"] },
    frequency: { shape: SENTENCE_SHAPE },
  },
  { form: createFieldConverter("description") },
);

const INVESTIGATION_SHAPE = createRecordShape({
  root_cause: { shape: LONG_TEXT_SHAPE, need: "complete", older: ["cause"], stood: ["root_cause"] },
  affected_components: {
    shape: createListShape(SENTENCE_SHAPE),
    need: "complete",
    older: ["components", "affected_files"],
  },
  analysis: { shape: LONG_TEXT_SHAPE },
  impact: { shape: createListShape(SENTENCE_SHAPE) },
});

/** Splits "src/login.ts: catch the exception" into file and action. */
function parseFixChange(node: LocatedNode): YamlValue | undefined {
  const text = readYamlText(node);
  if (text === undefined) return undefined;
  const [, file, action] = /^([^\s:]{1,300}): (.+)$/s.exec(text) ?? [];
  return file && action ? { file, action } : { action: text };
}

const FIX_CHANGE_SHAPE = createRecordShape(
  {
    file: { shape: SENTENCE_SHAPE, need: "complete", older: ["path"] },
    action: { shape: SENTENCE_SHAPE, need: "complete", older: ["change", "description"] },
  },
  { form: parseFixChange },
);

const FIX_APPROACH_SHAPE = createRecordShape(
  {
    summary: { shape: LONG_TEXT_SHAPE, need: "complete", older: ["description", "approach"] },
    changes: { shape: createListShape(FIX_CHANGE_SHAPE), need: "complete" },
    acceptance_criteria: {
      shape: createListShape(BUG_CRITERION_SHAPE),
      need: "complete",
      older: ["acs", "criteria"],
      stood: ["acceptance_criteria"],
    },
    risks: { shape: createListShape(SENTENCE_SHAPE) },
  },
  { form: createFieldConverter("summary") },
);

/** `sdd/specs/BUG-042.yaml`. */
export const BUG_SCHEMA: RecordFieldShape = createRecordShape({
  ...SPEC_HEAD_FIELDS,
  type: { shape: createWordShape(["bug"], { bugfix: "bug", defect: "bug", fix: "bug" }), otherwise: "bug" },
  title: { shape: TITLE_SHAPE, need: "draft", older: ["name"] },
  status: STATUS_FIELD,
  priority: PRIORITY_FIELD,
  owner: OWNER_FIELD,
  symptom: { shape: SYMPTOM_SHAPE, need: "draft", older: ["symptoms"] },
  investigation: { shape: INVESTIGATION_SHAPE, need: "complete" },
  fix_approach: { shape: FIX_APPROACH_SHAPE, need: "complete", older: ["fix"] },
  regression_prevention: {
    shape: createListShape(SENTENCE_SHAPE),
    need: "complete",
    older: ["regression_tests", "regression"],
    stood: ["fix_approach.regression_tests", "fix_approach.regression_prevention"],
  },
  notes: { shape: LONG_TEXT_SHAPE },
  ...SPEC_TAIL_FIELDS,
});

interface ResearchOption {
  readonly name: string;
  readonly description?: string;
  readonly pros: readonly string[];
  readonly cons: readonly string[];
  readonly cost?: string;
}

export interface ResearchSpec extends SpecHead {
  readonly type: "research";
  readonly topic: string;
  readonly priority?: SpecPriority;
  readonly owner?: string;
  readonly timebox?: string;
  readonly options: readonly ResearchOption[];
  readonly matrix: {
    readonly criteria: readonly { readonly name: string; readonly weight?: number }[];
    readonly scores: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
  readonly trade_offs?: string | readonly string[];
  readonly recommendation: { readonly option?: string; readonly rationale?: string };
  readonly decision: { readonly option?: string; readonly approved_by?: string; readonly adr?: string };
}

const RESEARCH_OPTION_SHAPE = createRecordShape(
  {
    name: { shape: TITLE_SHAPE, need: "draft", older: ["option", "title"] },
    description: { shape: LONG_TEXT_SHAPE, need: "complete", older: ["summary"] },
    pros: { shape: createListShape(SENTENCE_SHAPE), need: "complete", older: ["advantages"] },
    cons: { shape: createListShape(SENTENCE_SHAPE), need: "complete", older: ["disadvantages"] },
    cost: { shape: SENTENCE_SHAPE, need: "complete", older: ["cost_estimate", "effort", "estimate"] },
  },
  { form: createFieldConverter("name") },
);

const DECISION_MATRIX_SHAPE = createRecordShape({
  criteria: {
    shape: createListShape(
      createRecordShape(
        {
          name: { shape: TITLE_SHAPE, need: "draft" },
          weight: { shape: createNumberShape(0, 1000), need: "complete" },
        },
        { form: createFieldConverter("name") },
      ),
    ),
    need: "complete",
  },
  scores: { shape: createTableShape(createTableShape(createNumberShape(1, 5))), need: "complete" },
});

const RECOMMENDATION_SHAPE = createRecordShape(
  {
    option: { shape: TITLE_SHAPE, need: "complete", older: ["choice", "name"] },
    rationale: { shape: LONG_TEXT_SHAPE, need: "complete", older: ["reason", "why"] },
  },
  { form: createFieldConverter("option") },
);

const TIMEBOX_PATTERN = /^\d{1,4}(?:\.\d{1,2})?\s?(?:m|min|minutes?|h|hours?|d|days?)$/i;

/** `sdd/specs/RES-001.yaml`. */
export const RESEARCH_SCHEMA: RecordFieldShape = createRecordShape({
  ...SPEC_HEAD_FIELDS,
  type: { shape: createWordShape(["research"], { spike: "research" }), otherwise: "research" },
  topic: { shape: SENTENCE_SHAPE, need: "draft", older: ["title", "question"] },
  status: STATUS_FIELD,
  priority: PRIORITY_FIELD,
  owner: OWNER_FIELD,
  timebox: { shape: createPatternShape(TIMEBOX_PATTERN, "a time such as 30m, 2h or 1d"), need: "complete" },
  options: { shape: createListShape(RESEARCH_OPTION_SHAPE), need: "complete", older: ["alternatives"] },
  matrix: { shape: DECISION_MATRIX_SHAPE, need: "complete", older: ["decision_matrix"] },
  trade_offs: { shape: createAlternativeShape(LONG_TEXT_SHAPE, createListShape(SENTENCE_SHAPE)), older: ["tradeoffs"] },
  recommendation: { shape: RECOMMENDATION_SHAPE, need: "complete" },
  decision: {
    shape: createRecordShape({
      option: { shape: TITLE_SHAPE, need: "complete", older: ["choice"] },
      approved_by: { shape: TITLE_SHAPE, need: "complete", older: ["approved", "approver"] },
      adr: { shape: TITLE_SHAPE, older: ["decision_record"] },
    }),
  },
  notes: { shape: LONG_TEXT_SHAPE },
  ...SPEC_TAIL_FIELDS,
});

import {
  SPEC_HEAD_FIELDS,
  OWNER_FIELD,
  PRIORITY_FIELD,
  type SpecPriority,
  type SpecHead,
  STATUS_FIELD,
  SPEC_TAIL_FIELDS,
} from "./common-fields.ts";
import { createFieldConverter } from "./sentence.ts";
import {
  createAlternativeShape,
  createListShape,
  LONG_TEXT_SHAPE,
  createPatternShape,
  createNumberShape,
  createRecordShape,
  type RecordFieldShape,
  SENTENCE_SHAPE,
  createTableShape,
  TITLE_SHAPE,
  createWordShape,
} from "./shape.ts";

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

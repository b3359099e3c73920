import { HEAD, OWNER, PRIORITY, type Priority, type SpecHead, STATUS, TAIL } from "./common-fields.ts";
import { asField } from "./sentence.ts";
import {
  either,
  list,
  LONG_TEXT,
  matching,
  numbers,
  record,
  type RecordShape,
  SENTENCE_TEXT,
  table,
  TITLE_TEXT,
  words,
} from "./shape.ts";

interface Option {
  readonly name: string;
  readonly description?: string;
  readonly pros: readonly string[];
  readonly cons: readonly string[];
  readonly cost?: string;
}

export interface Research extends SpecHead {
  readonly type: "research";
  readonly topic: string;
  readonly priority?: Priority;
  readonly owner?: string;
  readonly timebox?: string;
  readonly options: readonly Option[];
  readonly matrix: {
    readonly criteria: readonly { readonly name: string; readonly weight?: number }[];
    readonly scores: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
  readonly trade_offs?: string | readonly string[];
  readonly recommendation: { readonly option?: string; readonly rationale?: string };
  readonly decision: { readonly option?: string; readonly approved_by?: string; readonly adr?: string };
}

const option = record(
  {
    name: { shape: TITLE_TEXT, need: "draft", older: ["option", "title"] },
    description: { shape: LONG_TEXT, need: "complete", older: ["summary"] },
    pros: { shape: list(SENTENCE_TEXT), need: "complete", older: ["advantages"] },
    cons: { shape: list(SENTENCE_TEXT), need: "complete", older: ["disadvantages"] },
    cost: { shape: SENTENCE_TEXT, need: "complete", older: ["cost_estimate", "effort", "estimate"] },
  },
  { form: asField("name") },
);

const matrix = record({
  criteria: {
    shape: list(
      record(
        { name: { shape: TITLE_TEXT, need: "draft" }, weight: { shape: numbers(0, 1000), need: "complete" } },
        { form: asField("name") },
      ),
    ),
    need: "complete",
  },
  scores: { shape: table(table(numbers(1, 5))), need: "complete" },
});

const recommendation = record(
  {
    option: { shape: TITLE_TEXT, need: "complete", older: ["choice", "name"] },
    rationale: { shape: LONG_TEXT, need: "complete", older: ["reason", "why"] },
  },
  { form: asField("option") },
);

const TIMEBOX = /^\d{1,4}(?:\.\d{1,2})?\s?(?:m|min|minutes?|h|hours?|d|days?)$/i;

/** `sdd/specs/RES-001.yaml`. */
export const RESEARCH: RecordShape = record({
  ...HEAD,
  type: { shape: words(["research"], { spike: "research" }), otherwise: "research" },
  topic: { shape: SENTENCE_TEXT, need: "draft", older: ["title", "question"] },
  status: STATUS,
  priority: PRIORITY,
  owner: OWNER,
  timebox: { shape: matching(TIMEBOX, "a time such as 30m, 2h or 1d"), need: "complete" },
  options: { shape: list(option), need: "complete", older: ["alternatives"] },
  matrix: { shape: matrix, need: "complete", older: ["decision_matrix"] },
  trade_offs: { shape: either(LONG_TEXT, list(SENTENCE_TEXT)), older: ["tradeoffs"] },
  recommendation: { shape: recommendation, need: "complete" },
  decision: {
    shape: record({
      option: { shape: TITLE_TEXT, need: "complete", older: ["choice"] },
      approved_by: { shape: TITLE_TEXT, need: "complete", older: ["approved", "approver"] },
      adr: { shape: TITLE_TEXT, older: ["decision_record"] },
    }),
  },
  notes: { shape: LONG_TEXT },
  ...TAIL,
});

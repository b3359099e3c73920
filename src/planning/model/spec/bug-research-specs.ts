import type * as z from "zod/mini";
import { type LocatedNode, readYamlText, type YamlValue } from "#kernel/model/yaml-tree.ts";
import { createFieldConverter, formatCriterionText } from "./criterion-sentence.ts";
import {
  createAlternative,
  createList,
  createNumber,
  createRecord,
  createTable,
  createText,
  createWord,
  fillableField,
  LONG_TEXT,
  neededField,
  optionalField,
  SENTENCE,
  SPEC_HEAD_FIELDS,
  SPEC_STATUS_FIELDS,
  SPEC_TAIL_FIELDS,
  TITLE,
} from "./field-shapes.ts";

const SENTENCES = createList(SENTENCE);

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
    expected_behavior: optionalField(LONG_TEXT, {
      isNeeded: true,
      older: ["expected"],
      stood: ["expected_behavior"],
    }),
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
  {
    file: optionalField(SENTENCE, { isNeeded: true, older: ["path"] }),
    action: optionalField(SENTENCE, { isNeeded: true, older: ["change", "description"] }),
  },
  { form: parseFixChange },
);

const FIX_APPROACH = createRecord(
  {
    summary: optionalField(LONG_TEXT, { isNeeded: true, older: ["description", "approach"] }),
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
export type BugSpec = z.infer<typeof BUG_SCHEMA>;

const RESEARCH_OPTION = createRecord(
  {
    name: neededField(TITLE, { older: ["option", "title"] }),
    description: optionalField(LONG_TEXT, { isNeeded: true, older: ["summary"] }),
    pros: fillableField(SENTENCES, { isNeeded: true, older: ["advantages"] }),
    cons: fillableField(SENTENCES, { isNeeded: true, older: ["disadvantages"] }),
    cost: optionalField(SENTENCE, { isNeeded: true, older: ["cost_estimate", "effort", "estimate"] }),
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
  {
    option: optionalField(TITLE, { isNeeded: true, older: ["choice", "name"] }),
    rationale: optionalField(LONG_TEXT, { isNeeded: true, older: ["reason", "why"] }),
  },
  { form: createFieldConverter("option") },
);

const RESEARCH_DECISION = createRecord({
  option: optionalField(TITLE, { isNeeded: true, older: ["choice"] }),
  approved_by: optionalField(TITLE, { isNeeded: true, older: ["approved", "approver"] }),
  adr: optionalField(TITLE, { older: ["decision_record"] }),
});

const TIMEBOX = createText({
  most: 200,
  pattern: /^\d{1,4}(?:\.\d{1,2})?\s?(?:m|min|minutes?|h|hours?|d|days?)$/i,
  says: "a time such as 30m, 2h or 1d",
});

/** `sdd/specs/RES-001.yaml`. */
export const RESEARCH_SCHEMA = createRecord({
  ...SPEC_HEAD_FIELDS,
  type: neededField(createWord(["research"], { spike: "research" }), { otherwise: "research" }),
  topic: neededField(SENTENCE, { older: ["title", "question"] }),
  ...SPEC_STATUS_FIELDS,
  timebox: optionalField(TIMEBOX, { isNeeded: true }),
  options: fillableField(createList(RESEARCH_OPTION), { isNeeded: true, older: ["alternatives"] }),
  matrix: fillableField(DECISION_MATRIX, { isNeeded: true, older: ["decision_matrix"] }),
  trade_offs: optionalField(createAlternative(LONG_TEXT, SENTENCES), { older: ["tradeoffs"] }),
  recommendation: fillableField(RECOMMENDATION, { isNeeded: true }),
  decision: fillableField(RESEARCH_DECISION),
  notes: optionalField(LONG_TEXT),
  ...SPEC_TAIL_FIELDS,
});
export type ResearchSpec = z.infer<typeof RESEARCH_SCHEMA>;

import { HEAD, OWNER, PRIORITY, type Priority, type SpecHead, STATUS, TAIL } from "./common-fields.ts";
import { criterionText, asField } from "./sentence.ts";
import { textOf, type Located, type Plain } from "./located.ts";
import {
  list,
  LONG_TEXT,
  record,
  type RecordShape,
  SENTENCE_TEXT,
  type TextShape,
  TITLE_TEXT,
  words,
} from "./shape.ts";

export interface Bug extends SpecHead {
  readonly type: "bug";
  readonly title: string;
  readonly priority?: Priority;
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
const criterion: TextShape = { ...SENTENCE_TEXT, form: criterionText };

const symptom = record(
  {
    description: { shape: LONG_TEXT, need: "draft", older: ["summary", "text"] },
    reproduction: {
      shape: list(SENTENCE_TEXT),
      need: "complete",
      older: ["reproduction_steps", "steps", "steps_to_reproduce"],
      stood: ["investigation.reproduction", "investigation.reproduction_steps", "reproduction"],
    },
    observed_behavior: {
      shape: LONG_TEXT,
      need: "complete",
      older: ["observed", "actual", "actual_behavior"],
      stood: ["observed_behavior"],
    },
    expected_behavior: { shape: LONG_TEXT, need: "complete", older: ["expected"], stood: ["expected_behavior"] },
    affected_users: { shape: SENTENCE_TEXT, older: ["users"] },
    frequency: { shape: SENTENCE_TEXT },
  },
  { form: asField("description") },
);

const investigation = record({
  root_cause: { shape: LONG_TEXT, need: "complete", older: ["cause"], stood: ["root_cause"] },
  affected_components: { shape: list(SENTENCE_TEXT), need: "complete", older: ["components", "affected_files"] },
  analysis: { shape: LONG_TEXT },
  impact: { shape: list(SENTENCE_TEXT) },
});

/** Splits "src/login.ts: catch the exception" into file and action. */
function changeForm(node: Located): Plain | undefined {
  const text = textOf(node);
  if (text === undefined) return undefined;
  const [, file, action] = /^([^\s:]{1,300}): (.+)$/s.exec(text) ?? [];
  return file && action ? { file, action } : { action: text };
}

const change = record(
  {
    file: { shape: SENTENCE_TEXT, need: "complete", older: ["path"] },
    action: { shape: SENTENCE_TEXT, need: "complete", older: ["change", "description"] },
  },
  { form: changeForm },
);

const fix = record(
  {
    summary: { shape: LONG_TEXT, need: "complete", older: ["description", "approach"] },
    changes: { shape: list(change), need: "complete" },
    acceptance_criteria: {
      shape: list(criterion),
      need: "complete",
      older: ["acs", "criteria"],
      stood: ["acceptance_criteria"],
    },
    risks: { shape: list(SENTENCE_TEXT) },
  },
  { form: asField("summary") },
);

/** `sdd/specs/BUG-042.yaml`. */
export const BUG: RecordShape = record({
  ...HEAD,
  type: { shape: words(["bug"], { bugfix: "bug", defect: "bug", fix: "bug" }), otherwise: "bug" },
  title: { shape: TITLE_TEXT, need: "draft", older: ["name"] },
  status: STATUS,
  priority: PRIORITY,
  owner: OWNER,
  symptom: { shape: symptom, need: "draft", older: ["symptoms"] },
  investigation: { shape: investigation, need: "complete" },
  fix_approach: { shape: fix, need: "complete", older: ["fix"] },
  regression_prevention: {
    shape: list(SENTENCE_TEXT),
    need: "complete",
    older: ["regression_tests", "regression"],
    stood: ["fix_approach.regression_tests", "fix_approach.regression_prevention"],
  },
  notes: { shape: LONG_TEXT },
  ...TAIL,
});

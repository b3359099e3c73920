import * as z from "zod";
import { CHANGE_SIZES, CHANGE_STAGES, CHANGE_TYPES, DOCUMENTED_SIZES } from "#kernel/model/stages/change-stages.ts";
import { FLOW_STATUSES } from "#kernel/model/flow/flow-engine.ts";
import { ChangeGrowth, ChangeRecord, ChangeSummary, ChangeView } from "../../model/change/change-record.ts";
import { MERGE_OUTCOMES } from "../../model/living-spec/delta-vocabulary.ts";
import { ContextChecked } from "../context/schema.ts";
import { OpenQuestionOutput } from "../approval/schema.ts";
import { CheckTimesOutput, GateCheckOutput, testRemovalsField } from "../workflow/schema.ts";
import { DamagedFiles, NextStage, StageVerdict } from "../schema.ts";
import { MIN_ANSWER_TOKENS } from "#kernel/operations/answer-budget.ts";
import * as fields from "#kernel/operations/text-fields.ts";

const optionalChangeId = fields.createTextField(fields.MAX_NAME, "Default: the only one").optional();
const changeReason = fields.createTextField(fields.MAX_SENTENCE);

export const ChangeStart = z.strictObject({
  type: z.enum(CHANGE_TYPES).optional(),
  size: z.enum(DOCUMENTED_SIZES).optional().describe("medium needs a spec, large a design"),
  description: fields.createTextField(fields.MAX_SENTENCE, "What it does, in a sentence"),
  concurrent: z.boolean().optional().describe("Even if another is active"),
});

export const ChangeAdvance = z.strictObject({
  content: fields.createTextField(fields.MAX_DOCUMENT, "Its markdown; default: its file").optional(),
  title: fields.createTextField(fields.MAX_TITLE, "If the artifact has no heading").optional(),
  keep: z.boolean().optional().describe("Instead of content: confirm a stale artifact"),
  stage: fields.createTextField(40, "Makes a repeated call safe").optional(),
  tests_removed: testRemovalsField,
  no_code: fields.createTextField(fields.MAX_SENTENCE, "Why no file changed").optional(),
  change_id: optionalChangeId,
});

export const ChangeQuick = z.strictObject({
  description: fields.createTextField(fields.MAX_SENTENCE, "To begin: what it does").optional(),
  done: z.boolean().optional().describe("To end it"),
  concurrent: z.boolean().optional().describe("Even if another is active"),
  change_id: fields.createTextField(fields.MAX_NAME, "Default: the only one").optional(),
});

export const ChangeStatusQuery = z.strictObject({ change_id: optionalChangeId });

export const ChangeListQuery = z.strictObject({
  status: z.enum(FLOW_STATUSES).optional(),
  limit: z.int().min(1).max(500).optional().describe("Newest first; default 50"),
});

export const ChangeArchive = z.strictObject({
  change_id: fields.createTextField(fields.MAX_NAME, "Default: the only one").optional(),
  decisions: z
    .array(
      z.string().regex(/^(?:N?FR|BR)-\d{3,5}=(?:document|change)$/, "must be like FR-003=document or FR-003=change"),
    )
    .max(500)
    .optional()
    .describe("For conflicts: FR-003=document or FR-003=change"),
});

export const ChangeAbandon = z.strictObject({ change_id: optionalChangeId, reason: changeReason });

export const ChangeReopen = z.strictObject({
  change_id: optionalChangeId,
  stage: z.enum(CHANGE_STAGES).describe("Later stages go stale"),
  reason: changeReason,
});

export const ChangeResize = z.strictObject({
  change_id: optionalChangeId,
  size: z.enum(CHANGE_SIZES).describe("The current size keeps it"),
  reason: changeReason,
});

export const ChangeReviewQuery = z.strictObject({
  change_id: fields.createTextField(fields.MAX_NAME, "Default: the only one").optional(),
  detail_level: fields.createDetailField(),
  max_tokens: fields.createTokenLimitField(MIN_ANSWER_TOKENS),
});

const text = z.string();
const texts = z.array(text);
const whole = z.int();

export const ChangeProposed = z.object({
  type: text,
  size: text,
  because: texts,
  measured: z.object({ files: whole, best: texts, requirements: texts }),
  unmeasured: texts,
  begin: z.array(ChangeStart),
});

/** Has either `change` and `next`, or `proposed`. */
export const ChangeStarted = z.object({
  change: z.optional(ChangeView),
  next: NextStage.optional(),
  proposed: ChangeProposed.optional(),
  notes: texts.optional(),
});

export const ChangeAdvanced = StageVerdict.extend({
  change: ChangeView,
  artifact: text.optional(),
  /** Artifacts of earlier stages that the same call ended. */
  accepted: texts.optional(),
  overlaps: z.array(z.object({ id: text, op: text, change: text, other_op: text })).optional(),
  outgrown: z.optional(ChangeGrowth),
  /** What the last stage checked, and changed files that it did not judge. */
  checked: z.object({ checks: z.array(GateCheckOutput), took: CheckTimesOutput, unattributed: texts }).optional(),
  receipt: text.optional(),
  user_question: OpenQuestionOutput.optional(),
  notes: texts.optional(),
});

/** At the beginning with `context`; at the end as an advanced change. */
export const ChangeQuickened = ChangeAdvanced.extend({ context: ContextChecked.optional() });

const { reopenings, sizings, abandoned } = ChangeRecord.shape;

export const ChangeStatus = z.object({
  change: ChangeView,
  artifacts: z.array(z.object({ stage: text, path: text, bytes: whole })),
  answers: texts,
  reopenings,
  sizings,
  abandoned,
  /** What its spec adds, changes and removes: the text before and after. */
  deltas: z.array(z.object({ op: text, id: text, was: text, text })).optional(),
  next: NextStage.optional(),
});

export const ChangeList = z.object({ changes: z.array(ChangeSummary), damaged: DamagedFiles, omitted: whole });

export const ChangeClosed = z.object({ change: ChangeView });

export const ChangeArchived = z.object({
  passed: z.boolean(),
  problems: texts,
  change: ChangeView,
  merged: z.array(z.object({ id: text, how: z.enum(MERGE_OUTCOMES) })),
  documents: texts,
  conflicts: z.array(
    z.object({ id: text, op: text, why: text, was: text, now: text.optional(), wants: text, choices: texts }),
  ),
});

export const ChangeReopened = z.object({ change: ChangeView, stale: texts, next: NextStage });

export const ChangeResized = z.object({
  change: ChangeView,
  from: text,
  growth: z.optional(ChangeGrowth),
  next: NextStage,
});

export const ChangeReviewed = z.object({
  change_id: text,
  diff: z.object({ since: text, files: whole, added: whole, removed: whole }).optional(),
  items: z.array(z.object({ id: text, kind: text, text: text.optional(), why: text, evidence: texts })),
  facts: texts,
  omitted: whole,
});

import * as z from "zod";
import { CHANGE_SIZES, CHANGE_STAGES, CHANGE_TYPES } from "#kernel/model/stages/change-stages.ts";
import { FLOW_STATUSES } from "#kernel/model/flow/flow-engine.ts";
import { ChangeGrowth, ChangeRecord, ChangeSummary, ChangeView } from "../../model/change/change-record.ts";
import { MERGE_OUTCOMES } from "../../model/living-spec/delta-vocabulary.ts";
import { DamagedFiles, NextStage, StageVerdict } from "../schema.ts";
import { MIN_ANSWER_TOKENS } from "#kernel/operations/answer-budget.ts";
import {
  createTokenLimitField,
  createDetailField,
  MAX_DOCUMENT,
  MAX_NAME,
  MAX_SENTENCE,
  createTextField,
  MAX_TITLE,
} from "#kernel/operations/text-fields.ts";

const optionalChangeId = createTextField(MAX_NAME, "Default: the only active change").optional();
const changeReason = createTextField(MAX_SENTENCE, "Why");

export const ChangeStart = z.strictObject({
  type: z.enum(CHANGE_TYPES).optional(),
  size: z.enum(CHANGE_SIZES).optional().describe("small: one sitting; medium: worth a spec; large: worth a design"),
  description: createTextField(MAX_SENTENCE, "What it does, in a sentence; makes its id"),
  concurrent: z.boolean().optional().describe("Although another is active"),
});

export const ChangeAdvance = z.strictObject({
  content: createTextField(MAX_DOCUMENT, "Its markdown artifact").optional(),
  title: createTextField(MAX_TITLE, "If the artifact has no heading").optional(),
  keep: z.boolean().optional().describe("Instead of content: confirm a stale artifact"),
  stage: z.enum(CHANGE_STAGES).optional().describe("Makes a repeated call safe"),
  change_id: optionalChangeId,
});

export const ChangeStatusQuery = z.strictObject({ change_id: optionalChangeId });

export const ChangeListQuery = z.strictObject({
  status: z.enum(FLOW_STATUSES).optional(),
  limit: z.int().min(1).max(500).optional().describe("Newest first; default 50"),
});

export const ChangeArchive = z.strictObject({
  change_id: createTextField(MAX_NAME, "Default: the only completed change").optional(),
  decisions: z
    .array(
      z.string().regex(/^(?:N?FR|BR)-\d{3,5}=(?:document|change)$/, "must be like FR-003=document or FR-003=change"),
    )
    .max(500)
    .optional()
    .describe("For what collides: FR-003=document or FR-003=change"),
});

export const ChangeAbandon = z.strictObject({ change_id: optionalChangeId, reason: changeReason });

export const ChangeReopen = z.strictObject({
  change_id: optionalChangeId,
  stage: z.enum(CHANGE_STAGES).describe("What follows it goes stale"),
  reason: changeReason,
});

export const ChangeResize = z.strictObject({
  change_id: optionalChangeId,
  size: z.enum(CHANGE_SIZES).describe("The same: kept"),
  reason: changeReason,
});

export const ChangeReviewQuery = z.strictObject({
  change_id: createTextField(MAX_NAME, "Default: the only active one, else the only completed one").optional(),
  detail_level: createDetailField(),
  max_tokens: createTokenLimitField(MIN_ANSWER_TOKENS),
});

export const ChangeProposed = z.object({
  type: z.string(),
  size: z.string(),
  because: z.array(z.string()),
  measured: z.object({ files: z.int(), best: z.array(z.string()), requirements: z.array(z.string()) }),
  unmeasured: z.array(z.string()),
  begin: z.array(ChangeStart),
});

/** Has either `change` and `next`, or `proposed`. */
export const ChangeStarted = z.object({
  change: z.optional(ChangeView),
  next: NextStage.optional(),
  proposed: ChangeProposed.optional(),
});

export const ChangeAdvanced = StageVerdict.extend({
  change: ChangeView,
  artifact: z.string().optional(),
  overlaps: z.array(z.object({ id: z.string(), op: z.string(), change: z.string(), other_op: z.string() })).optional(),
  outgrown: z.optional(ChangeGrowth),
  notes: z.array(z.string()).optional(),
});

const { reopenings, sizings, abandoned } = ChangeRecord.shape;

export const ChangeStatus = z.object({
  change: ChangeView,
  artifacts: z.array(z.object({ stage: z.string(), path: z.string(), bytes: z.int() })),
  reopenings,
  sizings,
  abandoned,
  next: NextStage.optional(),
});

export const ChangeList = z.object({ changes: z.array(ChangeSummary), damaged: DamagedFiles, omitted: z.int() });

export const ChangeClosed = z.object({ change: ChangeView });

export const ChangeArchived = z.object({
  passed: z.boolean(),
  change: ChangeView,
  merged: z.array(z.object({ id: z.string(), how: z.enum(MERGE_OUTCOMES) })),
  documents: z.array(z.string()),
  conflicts: z.array(
    z.object({
      id: z.string(),
      op: z.string(),
      why: z.string(),
      was: z.string(),
      now: z.string().optional(),
      wants: z.string(),
      choices: z.array(z.string()),
    }),
  ),
});

export const ChangeReopened = z.object({ change: ChangeView, stale: z.array(z.string()), next: NextStage });

export const ChangeResized = z.object({
  change: ChangeView,
  from: z.string(),
  growth: z.optional(ChangeGrowth),
  next: NextStage,
});

export const ChangeReviewed = z.object({
  change_id: z.string(),
  diff: z.object({ since: z.string(), files: z.int(), added: z.int(), removed: z.int() }).optional(),
  items: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      text: z.string().optional(),
      why: z.string(),
      evidence: z.array(z.string()),
    }),
  ),
  facts: z.array(z.string()),
  omitted: z.int(),
});

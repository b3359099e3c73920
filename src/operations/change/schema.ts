import * as z from "zod";
import { CHANGE_SIZES, CHANGE_STAGES, CHANGE_TYPES } from "#domain/change/flows.ts";
import { FLOW_STATUSES } from "#domain/flow/flow.ts";
import { DOCUMENT, NAME, SENTENCE, text, TITLE } from "../text.ts";

const changeId = text(NAME, "Change id; default: the only active change").optional();
const reason = text(SENTENCE, "Why; kept in the record");

export const ChangeStart = z.strictObject({
  type: z.enum(CHANGE_TYPES),
  size: z.enum(CHANGE_SIZES).describe("small: one sitting; medium: worth a spec; large: worth a design"),
  description: text(SENTENCE, "What the change does, in a sentence; its id is made from it"),
  concurrent: z.boolean().optional().describe("Begin although another change is active"),
});

export const ChangeAdvance = z.strictObject({
  content: text(DOCUMENT, "The markdown artifact of the current stage").optional(),
  title: text(TITLE, "Heading for the artifact, if it has none").optional(),
  keep: z.boolean().optional().describe("Instead of content: confirm a stale artifact as it stands"),
  stage: z.enum(CHANGE_STAGES).optional().describe("The stage meant; makes a repeated call safe"),
  change_id: changeId,
});

export const ChangeStatusQuery = z.strictObject({ change_id: changeId });

export const ChangeListQuery = z.strictObject({
  status: z.enum(FLOW_STATUSES).optional(),
  limit: z.int().min(1).max(500).optional().describe("Newest first; default 50"),
});

export const ChangeArchive = z.strictObject({
  change_id: text(NAME, "Change id; default: the only completed change").optional(),
});

export const ChangeAbandon = z.strictObject({ change_id: changeId, reason });

export const ChangeReopen = z.strictObject({
  change_id: changeId,
  stage: z.enum(CHANGE_STAGES).describe("An earlier stage; what follows it goes stale"),
  reason,
});

const Stage = z.object({ name: z.string(), status: z.string(), stale_because: z.string().optional() });

export const ChangeView = z.object({
  id: z.string(),
  type: z.string(),
  size: z.string(),
  description: z.string(),
  status: z.string(),
  current_stage: z.string(),
  stages: z.array(Stage),
  adrs: z.array(z.string()),
  path: z.string(),
  rev: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});

const Next = z.object({ stage: z.string(), guide: z.string() });
const Problem = z.object({ problem: z.string(), line: z.int().optional() });

export const ChangeStarted = z.object({ change: ChangeView, next: Next });

export const ChangeAdvanced = z.object({
  passed: z.boolean(),
  problems: z.array(Problem),
  change: ChangeView,
  artifact: z.string().optional(),
  next: Next.optional(),
});

const Abandonment = z.object({ reason: z.string(), at: z.string() });

export const ChangeStatus = z.object({
  change: ChangeView,
  artifacts: z.array(z.object({ stage: z.string(), path: z.string(), bytes: z.int() })),
  reopenings: z.array(Abandonment.extend({ stage: z.string(), abandoned: Abandonment.optional() })),
  abandoned: Abandonment.optional(),
  next: Next.optional(),
});

export const ChangeList = z.object({
  changes: z.array(
    ChangeView.pick({
      id: true,
      type: true,
      size: true,
      status: true,
      current_stage: true,
      description: true,
      updated_at: true,
    }),
  ),
  damaged: z.array(z.object({ path: z.string(), why: z.string() })),
  omitted: z.int(),
});

/** What is told of a change that has just been put away. */
export const ChangeClosed = z.object({ change: ChangeView });

export const ChangeReopened = z.object({ change: ChangeView, stale: z.array(z.string()), next: Next });

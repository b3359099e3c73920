import * as z from "zod";
import { DECISION_STATUSES } from "../../model/adr/decision-record.ts";
import { MAX_DOCUMENT, MAX_NAME, MAX_SENTENCE, createTextField, MAX_TITLE } from "#kernel/operations/text-fields.ts";
import { DamagedFiles } from "../schema.ts";

const createReferenceField = (description: string) => createTextField(MAX_NAME, description);

export const AdrRecord = z.strictObject({
  title: createTextField(MAX_TITLE, "In a short sentence"),
  context: createTextField(MAX_DOCUMENT, "The problem"),
  decision: createTextField(MAX_DOCUMENT, "What was decided"),
  rationale: createTextField(MAX_DOCUMENT, "Why this way"),
  alternatives_rejected: createTextField(MAX_DOCUMENT, "And why not").optional(),
  status: z.enum(DECISION_STATUSES).optional().describe("Default accepted"),
  supersedes: createReferenceField("ADR-0001, or <change>/ADR-001").optional(),
  change_id: createTextField(MAX_NAME, "Default: the only active one").optional(),
  standalone: z.boolean().optional().describe("Outside any change"),
});

export const AdrRestate = z.strictObject({
  adr: createReferenceField("ADR-0001, or <change>/ADR-001"),
  status: z.enum(DECISION_STATUSES),
  reason: createTextField(MAX_SENTENCE).optional(),
  superseded_by: createReferenceField("Required with status superseded").optional(),
});

export const AdrListQuery = z.strictObject({
  status: z.enum(DECISION_STATUSES).optional(),
  limit: z.int().min(1).max(500).optional().describe("Newest first; default 50"),
});

export const AdrView = z.object({
  ref: z.string(),
  title: z.string(),
  status: z.string(),
  path: z.string(),
  date: z.string().optional(),
  supersedes: z.string().optional(),
  superseded_by: z.string().optional(),
});

export const AdrRecorded = z.object({ adr: AdrView, superseded: AdrView.optional() });
export const AdrRestated = z.object({ adr: AdrView });
export const AdrList = z.object({ adrs: z.array(AdrView), damaged: DamagedFiles, omitted: z.int() });

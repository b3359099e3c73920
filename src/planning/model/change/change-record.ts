import * as z from "zod/mini";
import * as records from "#kernel/model/record-schema.ts";
import type { ChangeId } from "#kernel/model/stages/change-stages.ts";
import { CHANGE_SIZES, CHANGE_STAGES, CHANGE_TYPES, isChangeId } from "#kernel/model/stages/change-stages.ts";
import { DELTA_OPS, MERGE_OUTCOMES, REQUIREMENT_PRIORITIES } from "../living-spec/delta-vocabulary.ts";

/** A critical fact needs an answer before the stage may end. */
export const FACT_SEVERITIES = ["critical", "warning", "info"] as const;
/** Limit per severity, so that the list is readable and the record stays small. */
export const MAX_FACTS_PER_SEVERITY = 40;
export const MAX_FACT_LENGTH = 400;

const digest = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const specId = z.string().check(z.regex(/^(?:N?FR|BR)-\d{3,5}$/));

export const ContextFact = z.object({
  id: z.string().check(z.regex(/^CF-\d{1,3}$/)),
  severity: z.enum(FACT_SEVERITIES),
  fact: records.boundedText(2 * MAX_FACT_LENGTH),
});
export type ContextFact = records.Immutable<z.infer<typeof ContextFact>>;

const ContextCheck = z.object({
  at: records.Timestamp,
  /** Digest of the specs that the check read. */
  tree: digest,
  /** Short digests of the pieces of each spec, by path. A record of an older version has none. */
  pieces: z.exactOptional(z.record(z.string(), z.string())),
  /** The pieces that the check quoted: path and title. */
  quoted: z.exactOptional(z.array(z.string())),
  facts: z.array(ContextFact).check(z.maxLength(FACT_SEVERITIES.length * MAX_FACTS_PER_SEVERITY)),
});
export type ContextCheck = records.Immutable<z.infer<typeof ContextCheck>>;

const amount = z.int().check(z.nonnegative());
export const ChangeGrowth = z.object({ files: amount, lines: amount, requirements: amount });
export type ChangeGrowth = records.Immutable<z.infer<typeof ChangeGrowth>>;

/** A size decision with the measurements of that moment. Equal `from` and `to` mean the size was kept. */
const ChangeSizing = z.object({
  from: z.enum(CHANGE_SIZES),
  to: z.enum(CHANGE_SIZES),
  ...records.TimedReason.shape,
  ...z.partial(ChangeGrowth).shape,
});

const StoredDelta = z
  .object({
    op: z.enum(DELTA_OPS),
    id: specId,
    to: z.exactOptional(specId),
    priority: z.exactOptional(z.enum(REQUIREMENT_PRIORITIES)),
    base: digest,
    was: z.string(),
    text: z.string(),
  })
  .check(z.refine(({ op, to }) => (op === "renamed") === (to !== undefined)));

/** The content of `change.json`. The stages are fixed when the change begins; only a resize changes them. */
export const ChangeRecord = z
  .object({
    id: z.custom<ChangeId>((value) => typeof value === "string" && isChangeId(value)),
    type: z.enum(CHANGE_TYPES),
    size: z.enum(CHANGE_SIZES),
    description: records.boundedText(4_000),
    ...records.createFlowFields(CHANGE_STAGES),
    adrs: z.array(z.string().check(z.regex(/^ADR-\d{3,5}$/))),
    created_at: records.Timestamp,
    updated_at: records.Timestamp,
    base_commit: z.exactOptional(z.string().check(z.regex(/^[0-9a-f]{40,64}$/))),
    sizings: z.exactOptional(z.array(ChangeSizing)),
    /** Edits of the spec to requirements and rules, each with the text it was written against. */
    deltas: z.exactOptional(z.array(StoredDelta)),
    merged: z.exactOptional(z.array(z.object({ id: specId, how: z.enum(MERGE_OUTCOMES) }))),
    /** The latest check. The context-check stage ends only while it still holds. */
    context_check: z.exactOptional(ContextCheck),
    reopenings: z.exactOptional(
      z.array(z.extend(records.StageReopening, { abandoned: z.exactOptional(records.TimedReason) })),
    ),
    abandoned: z.exactOptional(records.TimedReason),
    /** Set when it begins. Changes of earlier releases ended without a gate, so they owe no receipt. */
    needs_receipt: z.exactOptional(z.literal(true)),
    /** Digests of accepted artifacts, by stage. A record of an older version has none. */
    accepted: z.exactOptional(z.record(z.string(), digest)),
    /** Why it ended without any changed file. */
    no_code: z.exactOptional(records.TimedReason),
    schema: z.literal(1),
    rev: z.int(),
  })
  .check(records.checkFlowOrder);
export type ChangeRecord = records.Immutable<z.infer<typeof ChangeRecord>>;

const { id, type, size, description, status, current_stage, adrs, rev, created_at, updated_at } = ChangeRecord.shape;

export const ChangeSummary = z.object({ id, type, size, status, current_stage, description, updated_at });

export const ChangeView = z.object({
  id,
  type,
  size,
  description,
  status,
  current_stage,
  stages: z.array(records.StageView),
  adrs,
  path: z.string(),
  rev,
  created_at,
  updated_at,
});
export type ChangeView = z.infer<typeof ChangeView>;

/** Returns the first invalid field. Ignores unknown fields. */
export const findChangeRecordProblem = (value: unknown, folder: string): string | undefined =>
  records.findRecordProblem(ChangeRecord, value) ??
  ((value as ChangeRecord).id === folder ? undefined : 'its field "id" is missing or wrong');

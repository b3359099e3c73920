import * as z from "zod/mini";
import { OBSERVATION_SCOPES, OWN_SCOPES } from "./observation.ts";

const plainText = z.string().check(z.refine((text) => text.isWellFormed() && !text.includes("\0")));
const filledText = plainText.check(z.minLength(1));
const utcTime = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/));
const hexUid = z.string().check(z.regex(/^[0-9a-f]{32}$/));
const positiveCount = z.int().check(z.positive());

const observationFields = {
  id: positiveCount,
  project: filledText,
  session: filledText,
  type: filledText,
  title: filledText,
  content: plainText,
  scope: z.enum(OBSERVATION_SCOPES),
  /** Observations of different namespaces do not see each other. Empty for none. */
  namespace: plainText,
  topic_key: z.optional(filledText),
  /** The file, tool or page of origin. Absent for text by an agent or a user. */
  source: z.optional(filledText),
  revision: positiveCount,
  duplicates: positiveCount,
  created_at: utcTime,
  updated_at: utcTime,
  deleted_at: z.optional(utcTime),
};

const ObservationRecord = z.object(observationFields);
export type Observation = Readonly<z.infer<typeof ObservationRecord>>;

const RevisionRecord = z.strictObject({
  revision: positiveCount,
  type: filledText,
  title: filledText,
  content: plainText,
  at: utcTime,
  source: z.optional(filledText),
});
export type ObservationRevision = Readonly<z.infer<typeof RevisionRecord>>;

const ObservationEntryRecord = z.strictObject({
  kind: z.literal("observation"),
  uid: hexUid,
  ...observationFields,
  scope: z.enum(OWN_SCOPES),
  revisions: z.array(RevisionRecord),
});
export type ObservationEntry = Readonly<z.infer<typeof ObservationEntryRecord>>;

/** A line of an export. References use `uid`, because numbers are local to one database. */
export const MemoryEntryRecord = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("project"),
    name: filledText,
    aliases: z.array(plainText),
    places: z.array(plainText),
  }),
  z.strictObject({
    kind: z.literal("session"),
    project: filledText,
    id: filledText,
    directory: z.optional(plainText),
    started_at: utcTime,
    active_at: utcTime,
    ended_at: z.optional(utcTime),
    summary: z.optional(plainText),
  }),
  ObservationEntryRecord,
  z.strictObject({
    kind: z.literal("relation"),
    id: positiveCount,
    from: hexUid,
    to: hexUid,
    type: filledText,
    note: z.optional(plainText),
    created_at: utcTime,
  }),
  z.strictObject({ kind: z.literal("gone"), uid: hexUid, at: utcTime, heir: z.optional(hexUid) }),
]);
export type MemoryEntry = Readonly<z.infer<typeof MemoryEntryRecord>>;

export const MemorySessionRecord = z.object({
  id: z.string(),
  project: z.string(),
  directory: z.optional(z.string()),
  started_at: z.string(),
  ended_at: z.optional(z.string()),
  summary: z.optional(z.string()),
  observations: z.int(),
});
export type MemorySession = Readonly<z.infer<typeof MemorySessionRecord>>;

export const RelationRecord = z.object({
  id: z.int(),
  from_id: z.int(),
  to_id: z.int(),
  type: z.string(),
  note: z.optional(z.string()),
});
export type ObservationRelation = Readonly<z.infer<typeof RelationRecord>>;

export const MemoryStatisticsRecord = z.object({
  observations: z.int(),
  deleted: z.int(),
  prompts: z.int(),
  sessions: z.int(),
  relations: z.int(),
  revisions: z.int(),
  projects: z.array(z.object({ name: z.string(), observations: z.int(), aliases: z.array(z.string()) })),
  file: z.string(),
  bytes: z.int(),
});
export type MemoryStatistics = z.infer<typeof MemoryStatisticsRecord>;

export const MemoryImportRecord = z.object({
  kind: z.string(),
  read: z.int(),
  added: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  /** Observations that were deleted for good here and stay deleted. */
  buried: z.int(),
});
export type MemoryImportResult = z.infer<typeof MemoryImportRecord>;

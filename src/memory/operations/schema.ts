import * as z from "zod";
import * as records from "../model/memory-records.ts";
import { MAX_CONTENT_BYTES, MAX_COMPACTED, OBSERVATION_SCOPES } from "../model/observation.ts";
import { parseSinceDate } from "#kernel/model/search/search-question.ts";
import { MIN_ANSWER_TOKENS, MIN_NAMED_ANSWER_TOKENS } from "#kernel/operations/answer-budget.ts";
import * as fields from "#kernel/operations/text-fields.ts";

const idField = (description: string) => z.int().min(1).describe(description);
const project = fields.createTextField(fields.MAX_NAME, "Default: this repository's").optional();
const projects = fields.createTextField(fields.MAX_NAME, "* for all").optional();
const scope = z.enum(OBSERVATION_SCOPES).optional();
const namespace = fields.createTextField(fields.MAX_NAME).optional();
const session_id = fields.createTextField(fields.MAX_NAME).optional();
const type = fields.createTextField(fields.MAX_NAME, "bugfix, decision, pattern, discovery…").optional();
const topic_key = fields.createTextField(fields.MAX_TITLE, "Updated in place: bug/login").optional();
const contentField = (description: string) => fields.createTextField(MAX_CONTENT_BYTES, description);
const detail_level = fields.createDetailField();

export const SaveObservationInput = z.strictObject({
  content: contentField("What, why, where, learned"),
  title: fields.createTextField(fields.MAX_TITLE, "Observation").optional(),
  type,
  topic_key,
  save_type: z.enum(["observation", "prompt", "passive"]).optional().describe("passive: items of ## Key Learnings"),
  upsert: z.boolean().optional().describe("Key from the title"),
  relate_to: z.array(z.int().min(1)).max(50).optional().describe("Ids"),
  source: fields.createTextField(fields.MAX_SENTENCE, "File, tool or URL").optional(),
  project,
  scope,
  namespace,
  session_id,
});

export const SearchMemoryInput = z.strictObject({
  // Every text is a valid question.
  query: z.string().describe('Plain words; "a phrase", type:, project:, since: narrow it'),
  type: fields.createTextField(fields.MAX_NAME, "prompt: what users asked").optional(),
  since: z
    .string()
    .refine(
      (value) => parseSinceDate(value, "2026-01-01T00:00:00Z"),
      "must be a day such as 2026-01-31, or a span such as 7d",
    )
    .optional()
    .describe("2026-01-31 or 7d"),
  project: projects,
  scope,
  namespace,
  limit: z.int().min(1).max(50).optional().describe("Default 10"),
  detail_level,
  max_tokens: fields.createTokenLimitField(MIN_ANSWER_TOKENS),
});

export const MemoryContextInput = z.strictObject({
  project: projects,
  scope,
  namespace,
  limit: z.int().min(1).max(100).optional().describe("Default 20"),
  detail_level,
  max_tokens: fields.createTokenLimitField(MIN_ANSWER_TOKENS),
});

export const TimelineInput = z.strictObject({
  observation_id: idField("Where to look around"),
  before: z.int().min(0).max(50).optional().describe("Default 5"),
  after: z.int().min(0).max(50).optional().describe("Default 5"),
  detail_level,
  max_tokens: fields.createTokenLimitField(MIN_NAMED_ANSWER_TOKENS),
});

export const GetObservationInput = z.strictObject({
  id: idField("Of the observation"),
  depth: z.int().min(0).max(5).optional().describe("Of relations; default 1"),
});

export const UpdateObservationInput = z.strictObject({
  id: idField("Of the observation"),
  title: fields.createTextField(fields.MAX_TITLE, "New title").optional(),
  content: contentField("New text").optional(),
  type,
  project: fields.createTextField(fields.MAX_NAME, "Move it there").optional(),
  scope,
  topic_key: z
    .string()
    .max(fields.MAX_TITLE)
    .refine((value) => value.isWellFormed() && !value.includes("\0"), "must be well-formed Unicode without NUL")
    .optional()
    .describe("New key; empty: none"),
});

export const DeleteObservationInput = z.strictObject({
  id: idField("Of the observation").optional(),
  source: fields.createTextField(fields.MAX_SENTENCE, "All observations from this source").optional(),
  hard_delete: z.boolean().optional().describe("Permanently"),
  undelete: z.boolean().optional().describe("Bring a deleted one back"),
  project: fields.createTextField(fields.MAX_NAME, "With source: only there").optional(),
});

export const MemorySessionInput = z.strictObject({
  action: z.enum(["start", "end"]),
  id: fields.createTextField(fields.MAX_NAME, "Any name"),
  project,
  directory: fields.createTextField(fields.MAX_SENTENCE, "Its folder").optional(),
  summary: contentField("With end").optional(),
});

export const RelateInput = z.strictObject({
  action: z.enum(["add", "remove"]).optional().describe("Default add"),
  from_id: idField("Required for add").optional(),
  to_id: idField("Required for add").optional(),
  relation_type: fields.createTextField(fields.MAX_NAME, "relates_to, implements, depends_on, caused_by…").optional(),
  note: fields.createTextField(fields.MAX_SENTENCE, "Why").optional(),
  bidirectional: z.boolean().optional().describe("Both ways"),
  id: idField("Of the relation, for remove").optional(),
});

export const CompactMemoryInput = z.strictObject({
  older_than_days: z.int().min(1).max(36_500).describe("Since the last change"),
  compact_ids: z.array(z.int().min(1)).max(MAX_COMPACTED).optional().describe("Replace these"),
  summary_title: fields.createTextField(fields.MAX_TITLE, "Of the replacement").optional(),
  summary_content: contentField("Their content, short").optional(),
  project: projects,
  scope,
  namespace,
  session_id,
});

export const ProgressInput = z.strictObject({
  content: contentField("JSON; left out: read it").optional(),
  project,
  namespace,
  session_id,
});

export const TopicKeyInput = z.strictObject({
  title: fields.createTextField(fields.MAX_TITLE, "Of the observation").optional(),
  content: contentField("If there is no title").optional(),
  type,
});

export const ObservationHistoryInput = z.strictObject({
  id: idField("Of the observation").optional(),
  topic_key: fields.createTextField(fields.MAX_TITLE, "Instead of the id").optional(),
  project,
  scope,
  namespace,
  max_tokens: fields.createTokenLimitField(MIN_NAMED_ANSWER_TOKENS),
});

export const MemoryFileInput = z.strictObject({ file: fields.createTextField(fields.MAX_SENTENCE, "Its path") });

/** `is_part` marks a shortened `text`. */
export const ObservationViewSchema = z.object({
  id: z.int(),
  type: z.string(),
  title: z.string(),
  text: z.string().optional(),
  is_part: z.boolean().optional(),
  project: z.string(),
  session: z.string().optional(),
  topic_key: z.string().optional(),
  scope: z.string().optional(),
  namespace: z.string().optional(),
  source: z.string().optional(),
  revision: z.int().optional(),
  updated_at: z.string(),
  deleted_at: z.string().optional(),
});

const notes = z.array(z.string());

export const SaveObservationOutput = z.object({
  action: z.string(),
  saved: z.array(ObservationViewSchema),
  duplicates: z.int(),
  related: z.int(),
  suggested_topic_key: z.string().optional(),
  notes,
});

export const SearchMemoryOutput = z.object({
  /** A neighbour was saved beside a match and does not match itself. */
  observations: z.array(ObservationViewSchema.extend({ is_context: z.boolean().optional() })),
  omitted: z.int(),
  project: z.string().optional(),
  repaired: z.array(z.object({ from: z.string(), to: z.string() })),
  notes: z.array(z.string()).optional(),
});

export const MemoryContextOutput = z.object({
  project: z.string().optional(),
  sessions: z.array(records.MemorySessionRecord),
  prompts: z.array(ObservationViewSchema),
  observations: z.array(ObservationViewSchema),
  omitted: z.int(),
  notes: z.array(z.string()).optional(),
});

export const TimelineOutput = z.object({
  session: records.MemorySessionRecord,
  before: z.array(ObservationViewSchema),
  observation: ObservationViewSchema,
  after: z.array(ObservationViewSchema),
  omitted: z.int(),
});

export const GetObservationOutput = z.object({
  observation: ObservationViewSchema,
  created_at: z.string(),
  duplicates: z.int(),
  relations: z.array(records.RelationRecord),
  related: z.array(ObservationViewSchema),
  omitted: z.int(),
});

export const UpdateObservationOutput = z.object({ observation: ObservationViewSchema, notes });
export const DeleteObservationOutput = z.object({
  action: z.string(),
  count: z.int(),
  observation: ObservationViewSchema.optional(),
});
export const MemorySessionOutput = z.object({
  action: z.string(),
  session: records.MemorySessionRecord,
  is_new: z.boolean(),
  notes,
});
export const RelateOutput = z.object({ action: z.string(), relations: z.array(records.RelationRecord), notes });
export const CompactMemoryOutput = z.object({
  action: z.string(),
  before: z.string(),
  stale: z.array(ObservationViewSchema),
  total: z.int(),
  count: z.int(),
  summary: ObservationViewSchema.optional(),
  notes,
});
export const ProgressOutput = z.object({
  action: z.string(),
  project: z.string(),
  progress: z.unknown().optional(),
  revision: z.int(),
  updated_at: z.string().optional(),
  notes,
});
export const TopicKeyOutput = z.object({ topic_key: z.string() });
export const MemoryStatsOutput = z.object(records.MemoryStatisticsRecord.shape);
export const ObservationHistoryOutput = z.object({
  id: z.int(),
  title: z.string(),
  topic_key: z.string().optional(),
  revision: z.int(),
  revisions: z.array(
    z.object({
      revision: z.int(),
      at: z.string(),
      type: z.string(),
      title: z.string(),
      source: z.string().optional(),
      diff: z.string(),
      is_part: z.boolean().optional(),
    }),
  ),
  omitted: z.int(),
});
export const ExportMemoryOutput = z.object({ file: z.string(), lines: z.int() });
export const ImportMemoryOutput = z.object({ ...records.MemoryImportRecord.shape, notes });
export const BackupMemoryOutput = z.object({ file: z.string(), bytes: z.int() });

import * as z from "zod";
import { LONGEST_CONTENT, MOST_COMPACTED, SCOPES } from "#domain/memory/observation.ts";
import { readSince } from "#domain/memory/question.ts";
import { MIN_ANSWER_TOKENS, MIN_NAMED_ANSWER_TOKENS } from "../fit.ts";
import {
  createTokenLimitField,
  createDetailField,
  MAX_NAME,
  MAX_SENTENCE,
  createTextField,
  MAX_TITLE,
} from "../text.ts";

export const SAVE_TYPES = ["observation", "prompt", "passive"] as const;

const id = (description: string) => z.int().min(1).describe(description);
const project = createTextField(MAX_NAME, "Default: this repository's").optional();
const projects = createTextField(MAX_NAME, "* for all; default: this repository's").optional();
const scope = z.enum(SCOPES).optional();
const namespace = createTextField(MAX_NAME, "A part kept apart").optional();
const session_id = createTextField(MAX_NAME, "Default manual-save").optional();
const type = createTextField(MAX_NAME, "bugfix, decision, pattern, discovery…").optional();
const topic_key = createTextField(MAX_TITLE, "Updated in place: bug/login-loop").optional();
const content = (description: string) => createTextField(LONGEST_CONTENT, description);
const detail_level = createDetailField();

export const Save = z.strictObject({
  content: content("What, why, where, learned"),
  title: createTextField(MAX_TITLE, "Of an observation").optional(),
  type,
  topic_key,
  save_type: z.enum(SAVE_TYPES).optional().describe("passive: items of ## Key Learnings"),
  upsert: z.boolean().optional().describe("Topic key from the title"),
  relate_to: z.array(z.int().min(1)).max(50).optional().describe("Ids"),
  source: createTextField(MAX_SENTENCE, "File, tool or URL").optional(),
  project,
  scope,
  namespace,
  session_id,
});

export const Search = z.strictObject({
  // Every text is a valid question.
  query: z.string().describe('Plain words; "a phrase", type:, project:, since: narrow it'),
  type: createTextField(MAX_NAME, "prompt: what users asked").optional(),
  since: z
    .string()
    .refine(
      (value) => readSince(value, "2026-01-01T00:00:00Z"),
      "must be a day such as 2026-01-31, or a span such as 7d",
    )
    .optional()
    .describe("2026-01-31 or 7d"),
  project: projects,
  scope,
  namespace,
  limit: z.int().min(1).max(50).optional().describe("Default 10"),
  detail_level,
  max_tokens: createTokenLimitField(MIN_ANSWER_TOKENS),
});

export const Context = z.strictObject({
  project: projects,
  scope,
  namespace,
  limit: z.int().min(1).max(100).optional().describe("Default 20"),
  detail_level,
  max_tokens: createTokenLimitField(MIN_ANSWER_TOKENS),
});

export const Timeline = z.strictObject({
  observation_id: id("Where to look around"),
  before: z.int().min(0).max(50).optional().describe("Default 5"),
  after: z.int().min(0).max(50).optional().describe("Default 5"),
  detail_level,
  max_tokens: createTokenLimitField(MIN_NAMED_ANSWER_TOKENS),
});

export const Get = z.strictObject({
  id: id("Of the observation"),
  depth: z.int().min(0).max(5).optional().describe("Of relations; default 1"),
});

export const Update = z.strictObject({
  id: id("Of the observation"),
  title: createTextField(MAX_TITLE, "New title").optional(),
  content: content("New text").optional(),
  type,
  project: createTextField(MAX_NAME, "Move it there").optional(),
  scope,
  topic_key: z
    .string()
    .max(MAX_TITLE)
    .refine((value) => value.isWellFormed() && !value.includes("\0"), "must be well-formed Unicode without NUL")
    .optional()
    .describe("New key; empty: none"),
});

export const Delete = z.strictObject({
  id: id("Of the observation").optional(),
  source: createTextField(MAX_SENTENCE, "All that came from here").optional(),
  hard_delete: z.boolean().optional().describe("For good"),
  undelete: z.boolean().optional().describe("Bring a deleted one back"),
  project: createTextField(MAX_NAME, "With source: only there").optional(),
});

export const SessionCall = z.strictObject({
  action: z.enum(["start", "end"]),
  id: createTextField(MAX_NAME, "Any name"),
  project,
  directory: createTextField(MAX_SENTENCE, "Where it works").optional(),
  summary: content("With end").optional(),
});

export const Relate = z.strictObject({
  action: z.enum(["add", "remove"]).optional().describe("Default add"),
  from_id: id("Required for add").optional(),
  to_id: id("Required for add").optional(),
  relation_type: createTextField(MAX_NAME, "relates_to, implements, depends_on, caused_by…").optional(),
  note: createTextField(MAX_SENTENCE, "Why").optional(),
  bidirectional: z.boolean().optional().describe("Both ways"),
  id: id("Of the relation, for remove").optional(),
});

export const Compact = z.strictObject({
  older_than_days: z.int().min(1).max(36_500).describe("Since the last change"),
  compact_ids: z.array(z.int().min(1)).max(MOST_COMPACTED).optional().describe("Put these away"),
  summary_title: createTextField(MAX_TITLE, "Of what replaces them").optional(),
  summary_content: content("What they said, in short").optional(),
  project: projects,
  scope,
  namespace,
  session_id,
});

export const Progress = z.strictObject({
  content: content("JSON; left out: read it").optional(),
  project,
  namespace,
  session_id,
});

export const SuggestTopicKey = z.strictObject({
  title: createTextField(MAX_TITLE, "Of the observation").optional(),
  content: content("Where there is no title").optional(),
  type,
});

export const History = z.strictObject({
  id: id("Of the observation").optional(),
  topic_key: createTextField(MAX_TITLE, "Instead of the id").optional(),
  project,
  scope,
  namespace,
  max_tokens: createTokenLimitField(MIN_NAMED_ANSWER_TOKENS),
});

const file = createTextField(MAX_SENTENCE, "Its path");
export const Export = z.strictObject({ file });
export const Import = z.strictObject({ file });
export const Backup = z.strictObject({ file });

/** `is_part` marks a shortened `text`. */
export const View = z.object({
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

export const SessionView = z.object({
  id: z.string(),
  project: z.string(),
  directory: z.string().optional(),
  started_at: z.string(),
  ended_at: z.string().optional(),
  summary: z.string().optional(),
  observations: z.int(),
});

const notes = z.array(z.string());

export const Saved = z.object({
  action: z.string(),
  saved: z.array(View),
  duplicates: z.int(),
  related: z.int(),
  suggested_topic_key: z.string().optional(),
  notes,
});

export const Found = z.object({
  observations: z.array(View),
  omitted: z.int(),
  project: z.string().optional(),
  repaired: z.array(z.object({ from: z.string(), to: z.string() })),
});

export const Contextual = z.object({
  project: z.string().optional(),
  sessions: z.array(SessionView),
  prompts: z.array(View),
  observations: z.array(View),
  omitted: z.int(),
});

export const Around = z.object({
  session: SessionView,
  before: z.array(View),
  observation: View,
  after: z.array(View),
  omitted: z.int(),
});

export const RelationView = z.object({
  id: z.int(),
  from_id: z.int(),
  to_id: z.int(),
  type: z.string(),
  note: z.string().optional(),
});

export const Gotten = z.object({
  observation: View,
  created_at: z.string(),
  duplicates: z.int(),
  relations: z.array(RelationView),
  related: z.array(View),
  omitted: z.int(),
});

export const Updated = z.object({ observation: View, notes });
export const Deleted = z.object({ action: z.string(), count: z.int(), observation: View.optional() });
export const SessionSaid = z.object({ action: z.string(), session: SessionView, is_new: z.boolean(), notes });
export const Related = z.object({ action: z.string(), relations: z.array(RelationView), notes });
export const Compacted = z.object({
  action: z.string(),
  before: z.string(),
  stale: z.array(View),
  total: z.int(),
  count: z.int(),
  summary: View.optional(),
  notes,
});
export const ProgressSaid = z.object({
  action: z.string(),
  project: z.string(),
  progress: z.unknown().optional(),
  revision: z.int(),
  updated_at: z.string().optional(),
  notes,
});
export const Suggested = z.object({ topic_key: z.string() });
export const MemoryStats = z.object({
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
export const Historical = z.object({
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
export const Exported = z.object({ file: z.string(), lines: z.int() });
export const Imported = z.object({
  kind: z.string(),
  read: z.int(),
  added: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  buried: z.int(),
  notes,
});
export const BackedUp = z.object({ file: z.string(), bytes: z.int() });

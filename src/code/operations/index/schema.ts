import * as z from "zod";
import { SUMMARY_TYPES } from "../../model/summary/summary-subject.ts";
import { MAX_SUMMARY_LENGTH } from "../../model/summary/summary-text.ts";
import { SUMMARY_BATCH_SIZE } from "../../model/summary/summary-prompt.ts";
import { MIN_ANSWER_TOKENS, MIN_NAMED_ANSWER_TOKENS } from "#kernel/operations/answer-budget.ts";
import {
  createTokenLimitField,
  MAX_NAME,
  MAX_SENTENCE,
  createTextField,
  MAX_TITLE,
} from "#kernel/operations/text-fields.ts";

const [text, count, texts] = [z.string(), z.int(), z.array(z.string())];

export const IndexUpdateInput = z.strictObject({
  full: z.boolean().optional().describe("From scratch"),
  docs: z.boolean().optional().describe("Fill AUTO sections of docs/"),
  dry_run: z.boolean().optional().describe("With docs: only show"),
});

export const IndexUpdateOutput = z.object({
  files: count,
  components: count,
  tags: count,
  tests: count,
  texts: count,
  read: count,
  unchanged: count,
  gone: count,
  problems: z.array(z.object({ path: text, why: text })),
  omitted: count,
  /** Whether the index is on disk for the next process. */
  kept: z.boolean(),
  docs: z.object({ written: texts, created: texts, unchanged: count, unknown: texts, dry_run: z.boolean() }).optional(),
});

export const CommitFeedInput = z.strictObject({
  limit: z.int().min(1).max(100).optional().describe("Default 20"),
  max_tokens: createTokenLimitField(MIN_ANSWER_TOKENS),
});

export const CommitFeedOutput = z.object({
  is_git: z.boolean(),
  commits: z.array(
    z.object({
      timestamp: z.string(),
      hash: z.string(),
      message: z.string(),
      /** The first ones only. A merge lists none, because its commits do. */
      files: z.array(z.object({ path: z.string(), from: z.string().optional(), is_binary: z.boolean().optional() })),
      files_changed: z.int(),
      insertions: z.int(),
      deletions: z.int(),
      specs: z.array(z.string()),
      /** The end of a shallow clone's history. */
      is_cut: z.boolean().optional(),
    }),
  ),
  omitted: z.int(),
});

export const IndexQueryInput = z.strictObject({
  question: createTextField(MAX_SENTENCE, "In plain words, or a name, path, key or id"),
  why: z.boolean().optional().describe("How it was found"),
});

const QueryHitSchema = z.object({
  key: text,
  at: text,
  is: text,
  signature: text.optional(),
  summary: text.optional(),
});
const QueryFactSchema = z.object({
  what: z.enum([
    "default",
    "handled by",
    "subtypes",
    "overridden in",
    "called by",
    "calls",
    "tests",
    "takes and returns",
    "carried by",
    "holds",
    "commits",
  ]),
  values: texts,
  more: count,
});

/** Empty parts are left out to save bytes. */
export const IndexQueryOutput = z.object({
  intent: z.enum([
    "meaning",
    "subtypes",
    "overrides",
    "callers",
    "calls",
    "signature",
    "tests",
    "specs",
    "changes",
    "ready",
    "nothing",
  ]),
  hits: z.array(QueryHitSchema).optional(),
  more: count.optional(),
  facts: z.array(QueryFactSchema).optional(),
  specs: texts.optional(),
  repaired: z.array(z.object({ from: text, to: text })).optional(),
  unknown: texts.optional(),
  near: texts.optional(),
  ready: z.object({ question: text, answer: text, isStale: z.boolean() }).optional(),
  /** How the question was read, and why each match is one. */
  why: texts.optional(),
});

const MAX_KEY_LENGTH = 1_000;

export const SummarizeInput = z
  .strictObject({
    key: createTextField(MAX_KEY_LENGTH, "src/auth.ts#login, src/auth.ts or AUTH-001").optional(),
    text: createTextField(MAX_SENTENCE, "Manual summary: 200 characters")
      .refine(
        (value) => Array.from(value.trim()).length <= MAX_SUMMARY_LENGTH,
        `must be at most ${MAX_SUMMARY_LENGTH} characters`,
      )
      .optional(),
    forget: z.boolean().optional().describe("Delete its manual summary"),
    type: z.enum(SUMMARY_TYPES).optional(),
    path: createTextField(MAX_TITLE, "File or folder").optional(),
    answers: z
      .array(
        z.strictObject({
          key: createTextField(MAX_KEY_LENGTH, "As given"),
          hash: createTextField(MAX_NAME, "As given"),
          summary: createTextField(MAX_SENTENCE, "200"),
        }),
      )
      .max(SUMMARY_BATCH_SIZE)
      .optional()
      .describe("Of assigned items"),
    most: z.int().min(1).max(500).optional().describe("100"),
    dry_run: z.boolean().optional().describe("Only count"),
    max_tokens: createTokenLimitField(MIN_NAMED_ANSWER_TOKENS),
  })
  .refine(
    ({ key, text: said, forget }) => key !== undefined || (said === undefined && !forget),
    "text and forget need a key",
  )
  .refine(({ text: said, forget }) => said === undefined || !forget, "text and forget exclude each other")
  .refine(
    ({ answers, text: said, forget, dry_run }) => !answers || (said === undefined && !forget && !dry_run),
    "answers cannot be combined with text, forget or dry_run",
  );

export const SummarizeOutput = z.object({
  did: z.enum(["kept", "forgotten", "worded", "handed-out", "counted"]),
  model: z.string().optional(),
  made: z.int(),
  left: z.int(),
  tokens: z.int().optional(),
  failed: z.array(z.object({ why: z.string(), count: z.int(), keys: z.array(z.string()) })),
  summaries: z.array(
    z.object({ key: z.string(), summary: z.string(), source: z.enum(["model", "agent", "manual", "itself"]) }),
  ),
  batch: z.array(z.object({ key: z.string(), hash: z.string(), kind: z.string(), text: z.string() })),
  omitted: z.int(),
});

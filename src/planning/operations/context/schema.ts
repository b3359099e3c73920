import * as z from "zod";
import { FACT_SEVERITIES } from "../../model/change/change-record.ts";
import { MIN_ANSWER_TOKENS } from "#kernel/operations/answer-budget.ts";
import {
  createTokenLimitField,
  createDetailField,
  MAX_NAME,
  MAX_SENTENCE,
  createTextField,
  MAX_TITLE,
} from "#kernel/operations/text-fields.ts";

const detail_level = createDetailField();
const max_tokens = createTokenLimitField(MIN_ANSWER_TOKENS);
const project_name = createTextField(MAX_NAME, "For memory; default: this repository's").optional();

export const ContextCheckQuery = z.strictObject({
  change_description: createTextField(MAX_SENTENCE, "Default: what the change says of itself").optional(),
  change_id: createTextField(MAX_NAME, "Default: the only active change").optional(),
  project_name,
  detail_level,
  max_tokens,
});

export const ContextSuggestQuery = z.strictObject({
  task_description: createTextField(MAX_SENTENCE, "In a sentence or two"),
  project_name,
  detail_level,
  max_tokens,
});

export const ContextAuditQuery = z.strictObject({
  scan_path: createTextField(MAX_TITLE, "Default: everything")
    .refine((path) => !/^(?:[/\\]|[a-z]:)/i.test(path) && !path.split(/[/\\]/).includes(".."), {
      message: "must be a path within the workspace",
    })
    .optional(),
  detail_level,
  max_tokens,
});

export const ContextFindingView = z.object({
  kind: z.string(),
  ref: z.string(),
  title: z.string().optional(),
  text: z.string().optional(),
  is_part: z.boolean().optional(),
  bytes: z.int().optional(),
  at: z.string().optional(),
});

export const ContextChecked = z.object({
  change_id: z.string().optional(),
  critical: z.int(),
  facts: z.array(z.object({ id: z.string(), severity: z.enum(FACT_SEVERITIES), fact: z.string() })),
  findings: z.array(ContextFindingView),
  omitted: z.int(),
});

export const ContextSuggested = z.object({ findings: z.array(ContextFindingView), omitted: z.int() });

export const AuditFinding = z.object({
  kind: z.string(),
  ref: z.string(),
  text: z.string().optional(),
  places: z.array(z.string()).optional(),
});

export const ContextAudited = z.object({
  files: z.int(),
  requirements: z.int(),
  problems: z.int(),
  findings: z.array(AuditFinding),
  omitted: z.int(),
});

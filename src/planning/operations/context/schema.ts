import * as z from "zod";
import { FACT_SEVERITIES } from "../../model/change/change-record.ts";
import { MIN_ANSWER_TOKENS } from "#kernel/operations/answer-budget.ts";
import * as fields from "#kernel/operations/text-fields.ts";

const detail_level = fields.createDetailField();
const max_tokens = fields.createTokenLimitField(MIN_ANSWER_TOKENS);
const project_name = fields.createTextField(fields.MAX_NAME, "For memory").optional();

export const ContextCheckQuery = z.strictObject({
  change_description: fields.createTextField(fields.MAX_SENTENCE, "Default: what the change says of itself").optional(),
  change_id: fields.createTextField(fields.MAX_NAME, "Default: the only one").optional(),
  project_name,
  detail_level,
  max_tokens,
});

export const ContextSuggestQuery = z.strictObject({
  task_description: fields.createTextField(fields.MAX_SENTENCE, "In a sentence or two"),
  project_name,
  detail_level,
  max_tokens,
});

export const ContextAuditQuery = z.strictObject({
  scan_path: fields
    .createTextField(fields.MAX_TITLE, "Default: everything")
    .refine((path) => !/^(?:[/\\]|[a-z]:)/i.test(path) && !path.split(/[/\\]/).includes(".."), {
      message: "must be a path within the workspace",
    })
    .optional(),
  detail_level,
  max_tokens,
});

const text = z.string();
const texts = z.array(text);
const whole = z.int();

export const ContextFindingView = z.object({
  kind: text,
  ref: text,
  title: text.optional(),
  text: text.optional(),
  is_part: z.boolean().optional(),
  bytes: whole.optional(),
  at: text.optional(),
});

export const ContextChecked = z.object({
  change_id: text.optional(),
  critical: whole,
  facts: z.array(z.object({ id: text, severity: z.enum(FACT_SEVERITIES), fact: text })),
  findings: z.array(ContextFindingView),
  omitted: whole,
});

export const ContextSuggested = z.object({ findings: z.array(ContextFindingView), omitted: whole });

export const AuditFinding = z.object({ kind: text, ref: text, text: text.optional(), places: texts.optional() });

export const ContextAudited = z.object({
  files: whole,
  requirements: whole,
  problems: whole,
  findings: z.array(AuditFinding),
  omitted: whole,
});

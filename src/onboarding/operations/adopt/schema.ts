import * as z from "zod";
import { MIN_ANSWER_TOKENS, MIN_NAMED_ANSWER_TOKENS } from "#kernel/operations/answer-budget.ts";
import * as fields from "#kernel/operations/text-fields.ts";

export const ScanInputSchema = z.strictObject({
  scan_path: fields
    .createTextField(fields.MAX_SENTENCE, "Only this folder")
    .refine(
      (path) => !/^(?:[\\/]|[a-z]:)|(?:^|[\\/])\.\.(?:[\\/]|$)/i.test(path),
      "must lead to a folder inside the workspace",
    )
    .optional(),
  max_depth: z.int().min(1).max(100).optional().describe("Folders deep; default all"),
  detail_level: fields.createDetailField(),
  max_tokens: fields.createTokenLimitField(MIN_ANSWER_TOKENS),
});

export const ScanOutputSchema = z.object({
  files: z.int(),
  read: z.int(),
  findings: z.array(
    z.object({
      section: z.string(),
      text: z.string(),
      evidence: z.string().optional(),
      confidence: z.string().optional(),
    }),
  ),
  omitted: z.int(),
});

export const BootstrapInputSchema = z.strictObject({
  requirements: fields.createTextField(fields.MAX_DOCUMENT, "Your document instead of a draft").optional(),
  business_rules: fields.createTextField(fields.MAX_DOCUMENT, "Likewise").optional(),
  design: fields.createTextField(fields.MAX_DOCUMENT, "Likewise").optional(),
  project_name: fields.createTextField(fields.MAX_NAME, "Default: the manifest's").optional(),
  dry_run: z.boolean().optional().describe("Show the drafts, write nothing"),
  max_tokens: fields.createTokenLimitField(MIN_NAMED_ANSWER_TOKENS),
});

export const BootstrapOutputSchema = z.object({
  passed: z.boolean(),
  dry_run: z.boolean(),
  files: z.int(),
  written: z.array(z.string()),
  kept: z.array(z.string()),
  /** Kept although the caller gave a text. */
  unused: z.array(z.string()),
  made: z.array(z.string()),
  requirements: z.int(),
  constraints: z.int(),
  components: z.int(),
  problems: z.array(z.string()),
  documents: z.array(z.object({ path: z.string(), text: z.string() })),
  omitted: z.int(),
});

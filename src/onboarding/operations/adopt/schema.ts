import * as z from "zod";
import { MIN_ANSWER_TOKENS, MIN_NAMED_ANSWER_TOKENS } from "#kernel/operations/answer-budget.ts";
import * as fields from "#kernel/operations/text-fields.ts";

const isInsidePath = (path: string): boolean => !/^(?:[\\/]|[a-z]:)|(?:^|[\\/])\.\.(?:[\\/]|$)/i.test(path);
const OUTSIDE_PROBLEM = "must lead to a folder inside the workspace";

export const ScanInputSchema = z.strictObject({
  scan_path: fields
    .createTextField(fields.MAX_SENTENCE, "Only this folder")
    .refine(isInsidePath, OUTSIDE_PROBLEM)
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
  write: z.boolean().optional().describe("Else a plan"),
  paths: fields
    .createTextListField(fields.MAX_SENTENCE, "A folder", "Folders")
    .refine((paths) => paths?.every(isInsidePath) ?? true, OUTSIDE_PROBLEM),
  exclude: fields.createTextListField(fields.MAX_SENTENCE, "A glob", "Globs"),
  requirements: fields.createTextField(fields.MAX_DOCUMENT, "Your text").optional(),
  business_rules: fields.createTextField(fields.MAX_DOCUMENT, "Yours").optional(),
  design: fields.createTextField(fields.MAX_DOCUMENT, "Yours").optional(),
  max_tokens: fields.createTokenLimitField(MIN_NAMED_ANSWER_TOKENS),
});

export const BootstrapOutputSchema = z.object({
  passed: z.boolean(),
  planned: z.boolean(),
  files: z.int(),
  written: z.array(z.string()),
  kept: z.array(z.string()),
  unused: z.array(z.string()),
  made: z.array(z.string()),
  requirements: z.int(),
  constraints: z.int(),
  components: z.int(),
  problems: z.array(z.string()),
  lines: z.array(z.string()),
  omitted: z.int(),
});

export const AcceptInputSchema = z.strictObject({
  ids: fields.createTextListField(fields.MAX_NAME, "FR-001", "Drafted requirements and rules"),
  all: z.boolean().optional().describe("Every draft, and the design"),
});

export const AcceptOutputSchema = z.object({
  accepted: z.array(z.string()),
  written: z.array(z.string()),
  kept: z.array(z.string()),
  left: z.int(),
});

export const UndoInputSchema = z.strictObject({});
export const UndoOutputSchema = z.object({ moved: z.array(z.string()), to: z.string() });

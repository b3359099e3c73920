import * as z from "zod";
import { LOWEST_CEILING, LOWEST_NAMING } from "../fit.ts";
import { ceiling, detailLevel, DOCUMENT, NAME, SENTENCE, text } from "../text.ts";

export const Scan = z.strictObject({
  scan_path: text(SENTENCE, "Only this folder")
    .refine(
      (path) => !/^(?:[\\/]|[a-z]:)|(?:^|[\\/])\.\.(?:[\\/]|$)/i.test(path),
      "must lead to a folder inside the workspace",
    )
    .optional(),
  max_depth: z.int().min(1).max(100).optional().describe("Folders deep; default all"),
  detail_level: detailLevel(),
  max_tokens: ceiling(LOWEST_CEILING),
});

export const Scanned = z.object({
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

export const Bootstrap = z.strictObject({
  requirements: text(DOCUMENT, "The whole document").optional(),
  business_rules: text(DOCUMENT, "The same").optional(),
  design: text(DOCUMENT, "The same").optional(),
  project_name: text(NAME, "Default: the manifest's").optional(),
  dry_run: z.boolean().optional().describe("Show, write nothing"),
  max_tokens: ceiling(LOWEST_NAMING),
});

export const Bootstrapped = z.object({
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

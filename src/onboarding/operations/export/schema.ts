import * as z from "zod";
import { createTextField, MAX_SENTENCE } from "#kernel/operations/text-fields.ts";

export const OpenspecExportInput = z.strictObject({
  to: createTextField(MAX_SENTENCE, "A folder")
    .optional()
    .describe("Folder that gets a new openspec/; default: dry run"),
});

export const OpenspecExportOutput = z.object({
  folder: z.string().optional(),
  specs: z.int(),
  requirements: z.int(),
  changes: z.array(z.string()),
  files: z.array(z.string()),
  notes: z.array(z.string()),
});

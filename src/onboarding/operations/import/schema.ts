import * as z from "zod";
import { IMPORT_LAYOUTS, IMPORT_OUTCOMES } from "../../model/import/import-source.ts";
import { MAX_SENTENCE, createTextField } from "#kernel/operations/text-fields.ts";

const MAX_IMPORT_SOURCES = 20;

export const ImportInputSchema = z.strictObject({
  sources: z
    .array(createTextField(MAX_SENTENCE, "A folder"))
    .refine((list) => list.length <= MAX_IMPORT_SOURCES, `must be at most ${MAX_IMPORT_SOURCES}`)
    .optional()
    .describe("Folders to search; default: the workspace"),
  from: z.enum(IMPORT_LAYOUTS).optional().describe("Default: all found"),
  apply: z.boolean().optional().describe("Write; default: dry run"),
});

export const ImportOutputSchema = z.object({
  applied: z.boolean(),
  asked: z.object({ sources: z.array(z.string()).optional(), from: z.string().optional() }),
  layouts: z.array(z.object({ layout: z.string(), folder: z.string(), files: z.int() })),
  files: z.array(
    z.object({
      path: z.string(),
      layout: z.string(),
      outcome: z.enum(IMPORT_OUTCOMES),
      as: z.string().optional(),
      to: z.array(z.string()),
      why: z.string().optional(),
      files: z.int().optional(),
      masked: z.array(z.string()).optional(),
    }),
  ),
  counts: z.object({ taken: z.int(), carried: z.int(), left: z.int(), collision: z.int(), before: z.int() }),
  work: z.array(
    z.object({ path: z.string(), description: z.string(), type: z.string().optional(), size: z.string().optional() }),
  ),
  /** Open changes that became open changes here, with the stage that is open. */
  changes: z.array(z.object({ id: z.string(), stage: z.string() })),
  made: z.array(z.string()),
  notes: z.array(z.string()),
  /** The folder that occupies Tenon's own location and must be moved first. */
  in_the_way: z.string().optional(),
});

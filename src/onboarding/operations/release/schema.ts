import * as z from "zod";
import { RELEASE_NOTE_KINDS } from "../../model/release/release-notes.ts";
import { MAX_TITLE, createTextField } from "#kernel/operations/text-fields.ts";
import { DamagedFiles } from "#planning/operations/schema.ts";

export const ReleaseNotesInputSchema = z.strictObject({
  since: createTextField(MAX_TITLE, "A tag, a commit, or a day: 2026-01-31; default: all").optional(),
});

export const ReleaseNotesOutputSchema = z.object({
  /** The user's text and the time it means. */
  since: z.object({ said: z.string(), at: z.string() }).optional(),
  notes: z.array(
    z.object({
      kind: z.enum(RELEASE_NOTE_KINDS),
      id: z.string(),
      title: z.string(),
      at: z.string(),
      more: z.string().optional(),
    }),
  ),
  damaged: DamagedFiles,
});

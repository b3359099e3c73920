import * as z from "zod";
import { RELEASE_NOTE_KINDS } from "../../model/release/release-notes.ts";
import { MAX_NAME, MAX_TITLE, createTextField } from "#kernel/operations/text-fields.ts";
import { OpenQuestionOutput } from "#planning/operations/approval/schema.ts";
import { DamagedFiles } from "#planning/operations/schema.ts";

export const ReleaseNotesInputSchema = z.strictObject({
  since: createTextField(MAX_TITLE, "A tag, a commit, or a day: 2026-01-31; default: all").optional(),
});

export const CreateReleaseInputSchema = z.strictObject({
  version: createTextField(MAX_NAME, "As 1.2.0; default: from the finished work").optional(),
  approve: createTextField(MAX_NAME, "The user's name").optional(),
});

export const CreateReleaseOutputSchema = z.object({
  released: z.boolean(),
  version: z.string(),
  tag: z.string(),
  since: z.string().optional(),
  notes: z.string(),
  /** Files that get the version, with the one that they have. */
  manifests: z.array(z.object({ path: z.string(), from: z.string() })),
  problems: z.array(z.object({ problem: z.string() })),
  commit: z.string().optional(),
  user_question: OpenQuestionOutput.optional(),
});

export const ReleaseNotesOutputSchema = z.object({
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

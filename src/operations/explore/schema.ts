import * as z from "zod";
import { SCOPES } from "#domain/memory/observation.ts";
import { NAME, text, TITLE } from "../text.ts";

/** Characters. All categories together have to fit into one observation. */
const MAX_CATEGORY_LENGTH = 32_768;

export const ExplorationInput = z.strictObject({
  title: text(TITLE, "The same title adds to it"),
  goals: text(MAX_CATEGORY_LENGTH, "What the user wants").optional(),
  constraints: text(MAX_CATEGORY_LENGTH, "Limits").optional(),
  preferences: text(MAX_CATEGORY_LENGTH, "Architecture, stack, patterns").optional(),
  unknowns: text(MAX_CATEGORY_LENGTH, "Still unclear").optional(),
  decisions: text(MAX_CATEGORY_LENGTH, "Choices already made").optional(),
  context: text(MAX_CATEGORY_LENGTH, "Anything else").optional(),
  project: text(NAME, "Default: this repository's").optional(),
  scope: z.enum(SCOPES).optional(),
  session_id: text(NAME, "Default manual-save").optional(),
});

export const ExplorationOutput = z.object({
  id: z.int(),
  title: z.string(),
  topic_key: z.string(),
  action: z.string(),
  revision: z.int(),
  content: z.string(),
  suggestion: z
    .object({ type: z.string(), type_reason: z.string(), size: z.string(), size_reason: z.string() })
    .optional(),
  notes: z.array(z.string()),
});

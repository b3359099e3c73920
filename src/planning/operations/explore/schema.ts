import * as z from "zod";
import { OBSERVATION_SCOPES } from "#memory/model/observation.ts";
import { MAX_NAME, createTextField, MAX_TITLE } from "#kernel/operations/text-fields.ts";

/** Characters. All categories together have to fit into one observation. */
const MAX_CATEGORY_LENGTH = 32_768;

export const ExplorationInput = z.strictObject({
  title: createTextField(MAX_TITLE, "The same title adds to it"),
  goals: createTextField(MAX_CATEGORY_LENGTH, "What the user wants").optional(),
  constraints: createTextField(MAX_CATEGORY_LENGTH, "Limits").optional(),
  preferences: createTextField(MAX_CATEGORY_LENGTH, "Architecture, stack, patterns").optional(),
  unknowns: createTextField(MAX_CATEGORY_LENGTH, "Still unclear").optional(),
  decisions: createTextField(MAX_CATEGORY_LENGTH, "Choices already made").optional(),
  context: createTextField(MAX_CATEGORY_LENGTH, "Anything else").optional(),
  project: createTextField(MAX_NAME, "Default: this repository's").optional(),
  scope: z.enum(OBSERVATION_SCOPES).optional(),
  session_id: createTextField(MAX_NAME).optional(),
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

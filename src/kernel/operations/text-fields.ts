import * as z from "zod";

/**
 * A text that is not blank, within the limit and storable in a file. A name such as `reason` needs no description: every
 * client pays for it.
 */
export function createTextField(limit: number, description?: string) {
  const field = z
    .string()
    .max(limit)
    .regex(/\S/, "must not be blank")
    .refine((value) => value.isWellFormed() && !value.includes("\0"), "must be well-formed Unicode without NUL");
  return description === undefined ? field : field.describe(description);
}

export const MAX_SENTENCE = 2_000;
export const MAX_TITLE = 200;
export const MAX_NAME = 100;
export const MAX_DOCUMENT = 262_144;

const MAX_INPUT_TEXTS = 500;

export const createTextListField = (limit: number, each: string, description: string) =>
  z
    .array(createTextField(limit, each))
    .refine((list) => list.length <= MAX_INPUT_TEXTS, `must be at most ${MAX_INPUT_TEXTS}`)
    .optional()
    .describe(description);

const DETAIL_LEVELS = ["summary", "standard", "full"] as const;
export type DetailLevel = (typeof DETAIL_LEVELS)[number];
export const createDetailField = (byDefault: DetailLevel = "standard") =>
  byDefault === "standard"
    ? z.enum(DETAIL_LEVELS).optional()
    : z.enum(DETAIL_LEVELS).optional().describe(`Default ${byDefault}`);

export const createTokenLimitField = (lowest: number) => z.int().min(lowest).max(100_000).optional();

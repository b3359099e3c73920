import * as z from "zod";

/** A text that says something: not blank, within the limit, and nothing in it that a file could not give back. */
export const text = (limit: number, description: string) =>
  z
    .string()
    .max(limit)
    .regex(/\S/, "must not be blank")
    .refine((value) => value.isWellFormed() && !value.includes("\0"), "must be well-formed Unicode without NUL")
    .describe(description);

/** Characters. A sentence, a title, a name. */
export const SENTENCE = 2_000;
export const TITLE = 200;
export const NAME = 100;
/** A document that a stage or a decision keeps. */
export const DOCUMENT = 262_144;

/** How many names, ids or tasks are taken at once. */
const MOST_TEXTS = 500;

/** A few texts, as names or ids. */
export const texts = (limit: number, each: string, description: string) =>
  z
    .array(text(limit, each))
    .refine((list) => list.length <= MOST_TEXTS, `must be at most ${MOST_TEXTS}`)
    .optional()
    .describe(description);

/** How much of each item an answer shows. */
const DETAIL_LEVELS = ["summary", "standard", "full"] as const;
export type Detail = (typeof DETAIL_LEVELS)[number];
export const detailLevel = (byDefault: Detail = "standard") =>
  z.enum(DETAIL_LEVELS).optional().describe(`Default ${byDefault}`);

/** Tokens of an answer; `lowest` is what the least that it can say costs. */
export const ceiling = (lowest: number) => z.int().min(lowest).max(100_000).optional().describe("Of the answer");

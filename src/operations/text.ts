import * as z from "zod";

/** A text that is not blank, within the limit and storable in a file. */
export const text = (limit: number, description: string) =>
  z
    .string()
    .max(limit)
    .regex(/\S/, "must not be blank")
    .refine((value) => value.isWellFormed() && !value.includes("\0"), "must be well-formed Unicode without NUL")
    .describe(description);

export const SENTENCE = 2_000;
export const TITLE = 200;
export const NAME = 100;
export const DOCUMENT = 262_144;

const MOST_TEXTS = 500;

export const texts = (limit: number, each: string, description: string) =>
  z
    .array(text(limit, each))
    .refine((list) => list.length <= MOST_TEXTS, `must be at most ${MOST_TEXTS}`)
    .optional()
    .describe(description);

const DETAIL_LEVELS = ["summary", "standard", "full"] as const;
export type Detail = (typeof DETAIL_LEVELS)[number];
export const detailLevel = (byDefault: Detail = "standard") =>
  z.enum(DETAIL_LEVELS).optional().describe(`Default ${byDefault}`);

export const ceiling = (lowest: number) => z.int().min(lowest).max(100_000).optional().describe("Of the answer");

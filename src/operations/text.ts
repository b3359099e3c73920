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

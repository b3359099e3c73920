import * as z from "zod/mini";
import { formatMeantWord } from "#kernel/model/text-format.ts";

const MOST_ITEMS = 200;

/** One message for every mistake. A mistake does not stop the checks around it, so all problems are listed. */
export const createRule = <T>(
  holds: (value: unknown) => boolean,
  rule: string | ((value: unknown) => string),
): z.ZodMiniCustom<T, T> =>
  z.custom<T>().check(
    z.check(({ value: input, issues }) => {
      if (holds(input)) return;
      const message = typeof rule === "string" ? rule : rule(input);
      issues.push({ code: "custom", input, message: input === undefined ? "is missing" : message });
    }),
  );

const isText = (value: unknown, most: number): value is string =>
  typeof value === "string" && value !== "" && value.length <= most && !value.includes("\0");

export const createText = (most = 2_000): z.ZodMiniCustom<string, string> =>
  createRule((value) => isText(value, most) && value.trim() !== "", `must be a text of at most ${most} characters`);

const isTextArray = (value: unknown, most: number): boolean =>
  Array.isArray(value) && value.length > 0 && value.length <= MOST_ITEMS && value.every((one) => isText(one, most));

export const createTextArray = (most = 2_000): z.ZodMiniCustom<readonly string[], readonly string[]> =>
  createRule((value) => isTextArray(value, most), "must be a list of texts");

/** A single text counts as a list of one. */
export const createTextList = (most = 2_000) =>
  z.pipe(
    createRule<string | readonly string[]>(
      (value) => isText(value, most) || isTextArray(value, most),
      "must be a list of texts",
    ),
    z.transform((value) => (typeof value === "string" ? [value] : value)),
  );

type TextTable = Readonly<Record<string, string>>;

export const createTextTable = (most = 2_000): z.ZodMiniCustom<TextTable, TextTable> =>
  createRule(
    (value) =>
      isMapping(value) &&
      Object.values(value).every((text) => typeof text === "string" && text !== "" && text.length <= most),
    "must name a text for each word",
  );

export const createNumber = (least: number, most: number): z.ZodMiniCustom<number, number> =>
  createRule(
    (value) => typeof value === "number" && value >= least && value <= most,
    `must be a number from ${least} to ${most}`,
  );

export const createChoice = <const Words extends readonly string[]>(words: Words) =>
  createRule<Words[number]>(
    (value) => words.some((word) => word === value),
    (value) => `must be one of ${words.join(", ")}${formatMeantWord(String(value), words)}`,
  );

export const createItems = <Item extends z.core.$ZodType>(item: Item) =>
  z.array(item, "must be a list").check(z.maxLength(MOST_ITEMS, "must be a list"));

/** The message about an unknown key lists the known ones. */
export const createMapping = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === "unrecognized_keys" ? Object.keys(shape).join(", ") : "must be a mapping"),
  });

export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A path below the folder, with stars only in its last name. */
export function isNamePattern(file: string): boolean {
  const parts = file.split("/");
  return (
    parts.every((part) => part !== "" && part !== "." && part !== ".." && !/[\\:]/.test(part)) &&
    parts.slice(0, -1).every((part) => !part.includes("*"))
  );
}

import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";

export interface ReportForm {
  readonly name: string;
  readonly metadata: readonly Metadata[];
  readonly sections: readonly Section[];
  /** Metadata that replaces a field in all rows of a section. */
  readonly filler?: { readonly keyword: string; readonly section: string; readonly field: string };
}

/** `KEYWORD:value` above the sections. */
export interface Metadata extends Field {
  readonly keyword: string;
  /** How to treat a report without it: reject it, use an empty text, or leave it out. */
  readonly missing: "refused" | "empty" | "absent";
  readonly isDropped?: true;
}

/** `KEYWORD:` and lines below it: free text, or rows of fields. */
export interface Section {
  readonly keyword: string;
  readonly name: string;
  readonly fields: readonly Field[] | "free";
}

export interface Field {
  readonly name: string;
  readonly oneOf?: readonly string[];
  readonly isList?: true;
  readonly isJsonOnly?: true;
  readonly like?: { readonly holds: (text: string) => boolean; readonly said: string };
}

export type Told = Readonly<Record<string, string | readonly string[] | readonly Row[]>>;
export type Row = Readonly<Record<string, string | readonly string[]>>;

export interface Refused {
  readonly problems: readonly Problem[];
}

export const isRefused = (read: object): read is Refused => "problems" in read;

const LONGEST = 4_000;

/** The problem as a predicate, to follow the name of the text. */
export function textProblem({ oneOf, like }: Field, text: string): string | undefined {
  if (oneOf && !oneOf.includes(text))
    return text === "" ? `is empty, and ${mayBe(oneOf)}` : `is ${quote(text, 40)}, and ${mayBe(oneOf)}`;
  if (text === "") return "is empty";
  if (text.length > LONGEST) return `is longer than ${LONGEST.toLocaleString("en")} characters`;
  return like && !like.holds(text) ? `is ${quote(text, 40)}, and must be ${like.said}` : undefined;
}

const mayBe = (allowed: readonly string[]): string => `may be ${allowed.slice(0, -1).join(", ")} or ${allowed.at(-1)}`;

export const inOneLine = (text: string): string =>
  text
    .toWellFormed()
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");

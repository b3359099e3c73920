import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";

/** What a kind of report consists of, whether it is told in CPF or in JSON. */
export interface ReportForm {
  /** As `an inspection`. */
  readonly name: string;
  readonly metadata: readonly Metadata[];
  readonly sections: readonly Section[];
  /** Metadata that rows of a section may do without a field for: it counts for all of them. */
  readonly filler?: { readonly keyword: string; readonly section: string; readonly field: string };
}

/** `KEYWORD:value` above the sections. */
export interface Metadata extends Field {
  readonly keyword: string;
  /** What a report without it is: refused, as if it were empty, or without it. */
  readonly missing: "refused" | "empty" | "absent";
  /** Whether it is read and not told on. */
  readonly isDropped?: true;
}

/** `KEYWORD:` and lines below it: free text, or rows of fields. */
export interface Section {
  readonly keyword: string;
  /** As the shape calls it. */
  readonly name: string;
  readonly fields: readonly Field[] | "free";
}

export interface Field {
  /** As the shape calls it. */
  readonly name: string;
  readonly oneOf?: readonly string[];
  /** Identifiers, in CPF joined by `+`. */
  readonly isList?: true;
  /** Rows of CPF do not have it. */
  readonly isJsonOnly?: true;
  /** What a text has to be like, and how that is said. */
  readonly like?: { readonly holds: (text: string) => boolean; readonly said: string };
}

/** A report as it was read, by the names of its form. */
export type Told = Readonly<Record<string, string | readonly string[] | readonly Row[]>>;
export type Row = Readonly<Record<string, string | readonly string[]>>;

/** Why a report cannot be taken, for whoever has to write it anew. */
export interface Refused {
  readonly problems: readonly Problem[];
}

export const isRefused = (read: object): read is Refused => "problems" in read;

/** More than anybody reads of one finding. */
const LONGEST = 4_000;

/** What is wrong with a text, to stand behind what it is called. */
export function textProblem({ oneOf, like }: Field, text: string): string | undefined {
  if (oneOf && !oneOf.includes(text))
    return text === "" ? `is empty, and ${mayBe(oneOf)}` : `is ${quote(text, 40)}, and ${mayBe(oneOf)}`;
  if (text === "") return "is empty";
  if (text.length > LONGEST) return `is longer than ${LONGEST.toLocaleString("en")} characters`;
  return like && !like.holds(text) ? `is ${quote(text, 40)}, and must be ${like.said}` : undefined;
}

const mayBe = (allowed: readonly string[]): string => `may be ${allowed.slice(0, -1).join(", ")} or ${allowed.at(-1)}`;

/** Whatever is told is told in one line. */
export const inOneLine = (text: string): string =>
  text
    .toWellFormed()
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");

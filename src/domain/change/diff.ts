import { type Family, mentions } from "../document/reference.ts";
import { codeTerms } from "./telling.ts";

export interface ChangedFile {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted" | "renamed";
  readonly from?: string;
  readonly added: readonly { readonly number: number; readonly text: string }[];
  readonly removed: number;
}

export interface SpokenLine {
  readonly path: string;
  readonly number: number;
  readonly text: string;
  readonly terms: ReadonlySet<string>;
}

const LONGEST_LINE = 400;
const MOST_LINES = 20_000;

/** Skips lines without terms. `unread` counts the lines beyond the limit. */
export function spokenLines(files: readonly ChangedFile[]): { lines: SpokenLine[]; unread: number } {
  const all = files.flatMap(({ path, added }) => added.map((line) => ({ path, ...line })));
  const lines = all.slice(0, MOST_LINES).map(({ path, number, text }) => {
    const said = text.slice(0, LONGEST_LINE);
    return { path, number, text: said, terms: codeTerms(said) };
  });
  return { lines: lines.filter(({ terms }) => terms.size > 0), unread: Math.max(0, all.length - MOST_LINES) };
}

export const idsIn = (text: string, families: readonly Family[]): string[] =>
  families.flatMap((family) => mentions([{ number: 1, text }], family).map(({ id }) => id));

export const placeOf = ({ path, number }: Pick<SpokenLine, "path" | "number">): string => `${path}:${number}`;

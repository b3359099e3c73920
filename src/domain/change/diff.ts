import { type IdFamily, findIdMentions } from "../document/reference.ts";
import { collectIdentifierTerms } from "./telling.ts";

export interface ReviewedFile {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted" | "renamed";
  readonly from?: string;
  readonly added: readonly { readonly number: number; readonly text: string }[];
  readonly removed: number;
}

export interface AddedDiffLine {
  readonly path: string;
  readonly number: number;
  readonly text: string;
  readonly terms: ReadonlySet<string>;
}

const MAX_ADDED_LINE_LENGTH = 400;
const MAX_ADDED_LINES = 20_000;

/** Skips lines without terms. `unread` counts the lines beyond the limit. */
export function collectAddedLines(files: readonly ReviewedFile[]): { lines: AddedDiffLine[]; unread: number } {
  const all = files.flatMap(({ path, added }) => added.map((line) => ({ path, ...line })));
  const lines = all.slice(0, MAX_ADDED_LINES).map(({ path, number, text }) => {
    const said = text.slice(0, MAX_ADDED_LINE_LENGTH);
    return { path, number, text: said, terms: collectIdentifierTerms(said) };
  });
  return { lines: lines.filter(({ terms }) => terms.size > 0), unread: Math.max(0, all.length - MAX_ADDED_LINES) };
}

export const listMentionedIds = (text: string, families: readonly IdFamily[]): string[] =>
  families.flatMap((family) => findIdMentions([{ number: 1, text }], family).map(({ id }) => id));

export const formatLineLocation = ({ path, number }: Pick<AddedDiffLine, "path" | "number">): string =>
  `${path}:${number}`;

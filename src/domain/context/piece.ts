import { headings, type Line, proseLines } from "../document/prose.ts";
import { definitions, type Reference } from "../document/reference.ts";
import { isNamedFor } from "../project/place.ts";

export interface Piece {
  readonly path: string;
  readonly line: number;
  readonly title: string;
  readonly text: string;
  readonly under: readonly string[];
  readonly id?: string;
  /** Relative weight in rankings; 1 by default. */
  readonly weight?: number;
}

export interface Document {
  readonly path: string;
  readonly text: string;
}

interface Start {
  readonly line: number;
  readonly level?: number;
  readonly heading?: string;
  readonly id?: string;
}

/** Deeper headings belong to the section above them. */
const DEEPEST = 3;

/** The clarity report weighs less: its answers are already in the other documents, and its scores are noise. */
const RECORD = /(?:^|\/)clarifications\.md$/;
const SCORES = /^(?:\||Score \d+ of 100;|[a-z_]+ \d+(?:, [a-z_]+ \d+)*$)/;
const RECORDED = 1 / 4;
const NONE: ReadonlySet<string> = new Set();

/** Splits a document into sections and items with ids. Skips empty pieces and the template lines in `own`. */
export function piecesOf({ path, text: markdown }: Document, own = NONE): Piece[] {
  const isRecord = RECORD.test(path);
  const raw = markdown
    .split(/\r\n|\r|\n/)
    .map((line) => (own.has(line.trim()) || (isRecord && SCORES.test(line)) ? "" : line));
  const starts = startsIn(proseLines(markdown), path);
  const above: { level: number; heading: string }[] = [];
  return starts.flatMap(({ line, level, heading, id }, i) => {
    if (level !== undefined && heading !== undefined) {
      while ((above.at(-1)?.level ?? -1) >= level) above.pop();
      if (level > 0) above.push({ level, heading });
    }
    const next = starts[i + 1]?.line ?? raw.length + 1;
    // A heading becomes the title; a line that defines an id stays in the text.
    const text = raw
      .slice(id === undefined ? line : line - 1, next - 1)
      .join("\n")
      .trim();
    if (text === "") return [];
    const piece = {
      path,
      line: Math.max(1, line),
      title: id ?? heading ?? "",
      text,
      ...(isRecord ? { weight: RECORDED } : {}),
    };
    return [{ ...piece, under: above.map((each) => each.heading), ...(id === undefined ? {} : { id }) }];
  });
}

function startsIn(lines: readonly Line[], path: string): Start[] {
  const starts = new Map<number, Start>([[0, { line: 0, level: 0, heading: path.slice(path.lastIndexOf("/") + 1) }]]);
  for (const { line, level, text } of headings(lines))
    if (level <= DEEPEST) starts.set(line, { line, level, heading: text });
  for (const { line, id } of idsIn(lines)) starts.set(line, { ...starts.get(line), line, id });
  return [...starts.values()].toSorted((one, other) => one.line - other.line);
}

const idsIn = (lines: readonly Line[]): Reference[] => [
  ...definitions(lines, "requirement"),
  ...definitions(lines, "rule"),
];

export const saidBy = ({ text, id }: Piece): string => {
  const flat = text.replace(/\s+/g, " ");
  return id === undefined ? flat : flat.replace(/^.{0,20}?(?:N?FR|BR)-\d{3,5}[*_`|\s]*[:.–—-]?[*_`]*\s*/, "");
};

export const isRemoved = ({ under }: Pick<Piece, "under">): boolean =>
  under.some((heading) => isNamedFor("removed", heading));

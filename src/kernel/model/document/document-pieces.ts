import { isMatchingHeading, parseHeadings, type ProseLine, parseProseLines } from "./markdown-document.ts";
import { findIdDefinitions } from "./id-references.ts";

export interface DocumentPiece {
  readonly path: string;
  readonly line: number;
  readonly title: string;
  readonly text: string;
  readonly under: readonly string[];
  readonly id?: string;
  /** Relative weight in rankings; 1 by default. */
  readonly weight?: number;
}

export interface PlanningDocument {
  readonly path: string;
  readonly text: string;
}

interface PieceStart {
  readonly line: number;
  readonly level?: number;
  readonly heading?: string;
  readonly id?: string;
}

/** Deeper headings belong to the section above them. */
const DEEPEST_PIECE_LEVEL = 3;

/** The clarity report weighs less: its answers are already in the other documents, and its scores are noise. */
const CLARITY_REPORT_PATTERN = /(?:^|\/)clarifications\.md$/;
const CLARITY_SCORE_PATTERN = /^(?:\||Score \d+ of 100;|[a-z_]+ \d+(?:, [a-z_]+ \d+)*$)/;
const CLARITY_REPORT_WEIGHT = 1 / 4;

/** Splits a document into sections and items with ids. Skips empty pieces and the template lines in `own`. */
export function splitDocumentPieces(
  { path, text: markdown }: PlanningDocument,
  own: ReadonlySet<string> = new Set(),
): DocumentPiece[] {
  const isRecord = CLARITY_REPORT_PATTERN.test(path);
  const raw = markdown
    .split(/\r\n|\r|\n/)
    .map((line) => (own.has(line.trim()) || (isRecord && CLARITY_SCORE_PATTERN.test(line)) ? "" : line));
  const starts = findPieceStarts(parseProseLines(markdown), path);
  const above: { level: number; heading: string }[] = [];
  return starts.flatMap(({ line, level, heading, id }, i) => {
    if (level !== undefined && heading !== undefined) {
      while ((above.at(-1)?.level ?? -1) >= level) above.pop();
      if (level > 0) above.push({ level, heading });
    }
    const next = starts[i + 1]?.line ?? raw.length + 1;
    // A heading becomes the title; a line that defines an id stays in the text.
    const lines = raw.slice(id === undefined ? line : line - 1, next - 1);
    const text = lines.join("\n").trim();
    if (text === "") return [];
    const weight = isRecord ? { weight: CLARITY_REPORT_WEIGHT } : {};
    const piece = { path, line: Math.max(1, line), title: id ?? heading ?? "", text, ...weight };
    return [{ ...piece, under: above.map((each) => each.heading), ...(id === undefined ? {} : { id }) }];
  });
}

function findPieceStarts(lines: readonly ProseLine[], path: string): PieceStart[] {
  const starts = new Map<number, PieceStart>([
    [0, { line: 0, level: 0, heading: path.slice(path.lastIndexOf("/") + 1) }],
  ]);
  for (const { line, level, text } of parseHeadings(lines))
    if (level <= DEEPEST_PIECE_LEVEL) starts.set(line, { line, level, heading: text });
  const definitions = [...findIdDefinitions(lines, "requirement"), ...findIdDefinitions(lines, "rule")];
  for (const { line, id } of definitions) starts.set(line, { ...starts.get(line), line, id });
  return [...starts.values()].toSorted((one, other) => one.line - other.line);
}

export const getPieceText = ({ text, id }: DocumentPiece): string => {
  const flat = text.replace(/\s+/g, " ");
  return id === undefined ? flat : flat.replace(/^.{0,20}?(?:N?FR|BR)-\d{3,5}[*_`|\s]*[:.–—-]?[*_`]*\s*/, "");
};

export const isRemovedPiece = ({ under }: Pick<DocumentPiece, "under">): boolean =>
  under.some((heading) => isMatchingHeading(heading, "Removed"));

import type * as z from "zod";
import type { ChangeRecord } from "#domain/change/record.ts";
import { type PlanningDocument, isRemovedPiece, type DocumentPiece } from "#domain/context/piece.ts";
import { extractRelevantExcerpt } from "#domain/context/relevance.ts";
import type { SearchQuestion } from "#domain/memory/question.ts";
import { cutTextStart } from "#domain/memory/snippet.ts";
import type { Page, PageQuotation } from "#domain/page.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { DecisionFile } from "../adr/shelf.ts";
import { quoteObservation, type ObservationView } from "../memory/view.ts";
import type { DetailLevel } from "../text.ts";
import type { ContextSnapshot } from "./look.ts";
import type { ContextFindingView } from "./schema.ts";

export type ContextFinding = z.infer<typeof ContextFindingView>;

export function createPieceFinding(
  piece: DocumentPiece,
  question: SearchQuestion,
  detail: DetailLevel,
): ContextFinding {
  const text = detail === "full" ? clipPieceText(piece) : extractRelevantExcerpt(piece.text, question);
  return {
    kind: getPieceKind(piece),
    ref: `${piece.path}:${piece.line}`,
    title: piece.title,
    ...(detail === "summary" ? {} : { text, ...(text === piece.text ? {} : { is_part: true }) }),
  };
}

/** Characters. A longer section does not fit into any answer. */
const MAX_PIECE_LENGTH = 65_536;

const clipPieceText = ({ text }: DocumentPiece): string =>
  text.length <= MAX_PIECE_LENGTH ? text : cutTextStart(text, MAX_PIECE_LENGTH);

function getPieceKind(piece: DocumentPiece): string {
  if (isRemovedPiece(piece)) return "removed";
  return piece.id === undefined ? "section" : piece.id.startsWith("BR-") ? "rule" : "requirement";
}

export const createChangeFinding = ({ id, description, updated_at }: ChangeRecord): ContextFinding => ({
  kind: "change",
  ref: id,
  title: description,
  at: updated_at.slice(0, 10),
});

/** Reads the title from the file name, so that no file is opened. */
export const formatDecisionTitle = ({ path, id }: DecisionFile): string =>
  path
    .slice(path.lastIndexOf("/") + 1)
    .replace(/\.md$/, "")
    .replace(`${id}-`, "")
    .replaceAll("-", " ");

export const createDecisionFinding = (place: DecisionFile): ContextFinding => ({
  kind: "decision",
  ref: place.path,
  title: `${place.id} ${formatDecisionTitle(place)}`,
});

export function createObservationFinding(shown: ObservationView, kind: string): ContextFinding {
  const ref = `#${shown.id}`;
  const { label, text } = quoteObservation(shown);
  return {
    kind,
    ref,
    title: label.slice(ref.length + 1),
    ...(text === "" ? {} : { text }),
    ...(shown.is_part ? { is_part: true } : {}),
  };
}

export const createConventionFinding = ({ path, text }: PlanningDocument, detail: DetailLevel): ContextFinding => ({
  kind: "convention",
  ref: path,
  bytes: countTextBytes(text),
  ...(detail === "summary" ? {} : { text }),
});

export const createArtifactFinding = ({ path, text }: PlanningDocument): ContextFinding => ({
  kind: "artifact",
  ref: path,
  bytes: countTextBytes(text),
});

export const createSkippedFinding = (ref: string, text: string): ContextFinding => ({ kind: "skipped", ref, text });

export function listSkippedSources({
  documents,
  unread,
}: Pick<ContextSnapshot, "documents" | "unread">): ContextFinding[] {
  return [
    ...(documents.length > 0
      ? [createSkippedFinding("convention files", "The project has documents of its own.")]
      : []),
    ...unread.map(({ path, why }) => createSkippedFinding(path, why)),
  ];
}

export function shortenContextFinding(found: ContextFinding, length: number): ContextFinding | undefined {
  if (found.kind === "skipped" || found.text === undefined || found.text.length <= length) return undefined;
  return { ...found, text: cutTextStart(found.text, length), is_part: true };
}

const SINGLE_LINE_KINDS = new Set(["artifact", "looked", "skipped"]);

export function formatContextFindings(
  findings: readonly ContextFinding[],
  omitted: number,
): Pick<Page, "quotes" | "points"> {
  return {
    quotes: findings.filter(({ kind }) => !SINGLE_LINE_KINDS.has(kind)).map(formatFindingQuotation),
    points: [
      ...findings.filter(({ kind }) => SINGLE_LINE_KINDS.has(kind)).map(formatFindingLine),
      ...(omitted > 0 ? [`${omitted} more left out for max_tokens.`] : []),
    ],
  };
}

function formatFindingQuotation({ kind, ref, title, text, at, bytes }: ContextFinding): PageQuotation {
  const about = [...(at ? [at] : []), ...(bytes === undefined ? [] : [`${bytes} bytes`])].join(", ");
  const name = title === undefined ? "" : ` ${sanitizeText(title, 400)}`;
  return { label: `${kind} ${ref}${about ? ` (${about})` : ""}${name}`, text: text ?? "" };
}

function formatFindingLine({ kind, ref, text = "", bytes }: ContextFinding): string {
  if (kind === "looked") return `Looked at ${sanitizeText(text, 300)}.`;
  if (kind === "skipped") return `Skipped ${sanitizeText(ref, 200)}: ${sanitizeText(text, 300)}`;
  return `Found ${sanitizeText(ref, 200)}, ${bytes} bytes.`;
}

const countTextBytes = (text: string): number => new TextEncoder().encode(text).length;

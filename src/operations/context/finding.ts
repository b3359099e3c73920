import type * as z from "zod";
import type { ChangeRecord } from "#domain/change/record.ts";
import { type Document, isRemoved, type Piece } from "#domain/context/piece.ts";
import { excerptOf } from "#domain/context/relevance.ts";
import type { Question } from "#domain/memory/question.ts";
import { startOf } from "#domain/memory/snippet.ts";
import type { Page, Quotation } from "#domain/page.ts";
import { plain } from "#domain/quote.ts";
import type { AdrPlace } from "../adr/shelf.ts";
import { quoteView, type Shown } from "../memory/view.ts";
import type { Detail } from "../text.ts";
import type { Look } from "./look.ts";
import type { Finding } from "./schema.ts";

export type Found = z.infer<typeof Finding>;

export function pieceFound(piece: Piece, question: Question, detail: Detail): Found {
  const text = detail === "full" ? wholeText(piece) : excerptOf(piece.text, question);
  return {
    kind: kindOf(piece),
    ref: `${piece.path}:${piece.line}`,
    title: piece.title,
    ...(detail === "summary" ? {} : { text, ...(text === piece.text ? {} : { is_part: true }) }),
  };
}

/** Characters. A longer section does not fit into any answer. */
const LONGEST_WHOLE = 65_536;

const wholeText = ({ text }: Piece): string => (text.length <= LONGEST_WHOLE ? text : startOf(text, LONGEST_WHOLE));

function kindOf(piece: Piece): string {
  if (isRemoved(piece)) return "removed";
  return piece.id === undefined ? "section" : piece.id.startsWith("BR-") ? "rule" : "requirement";
}

export const changeFound = ({ id, description, updated_at }: ChangeRecord): Found => ({
  kind: "change",
  ref: id,
  title: description,
  at: updated_at.slice(0, 10),
});

/** Reads the title from the file name, so that no file is opened. */
export const decisionTitle = ({ path, id }: AdrPlace): string =>
  path
    .slice(path.lastIndexOf("/") + 1)
    .replace(/\.md$/, "")
    .replace(`${id}-`, "")
    .replaceAll("-", " ");

export const decisionFound = (place: AdrPlace): Found => ({
  kind: "decision",
  ref: place.path,
  title: `${place.id} ${decisionTitle(place)}`,
});

export function observationFound(shown: Shown, kind: string): Found {
  const ref = `#${shown.id}`;
  const { label, text } = quoteView(shown);
  return {
    kind,
    ref,
    title: label.slice(ref.length + 1),
    ...(text === "" ? {} : { text }),
    ...(shown.is_part ? { is_part: true } : {}),
  };
}

export const conventionFound = ({ path, text }: Document, detail: Detail): Found => ({
  kind: "convention",
  ref: path,
  bytes: byteLength(text),
  ...(detail === "summary" ? {} : { text }),
});

export const artifactFound = ({ path, text }: Document): Found => ({
  kind: "artifact",
  ref: path,
  bytes: byteLength(text),
});

export const skipped = (ref: string, text: string): Found => ({ kind: "skipped", ref, text });

export function skippedIn({ documents, unread }: Pick<Look, "documents" | "unread">): Found[] {
  return [
    ...(documents.length > 0 ? [skipped("convention files", "The project has documents of its own.")] : []),
    ...unread.map(({ path, why }) => skipped(path, why)),
  ];
}

export function shortenFound(found: Found, length: number): Found | undefined {
  if (found.kind === "skipped" || found.text === undefined || found.text.length <= length) return undefined;
  return { ...found, text: startOf(found.text, length), is_part: true };
}

const LINES = new Set(["artifact", "looked", "skipped"]);

export function findingsPage(findings: readonly Found[], omitted: number): Pick<Page, "quotes" | "points"> {
  return {
    quotes: findings.filter(({ kind }) => !LINES.has(kind)).map(quotation),
    points: [
      ...findings.filter(({ kind }) => LINES.has(kind)).map(line),
      ...(omitted > 0 ? [`${omitted} more left out for max_tokens.`] : []),
    ],
  };
}

function quotation({ kind, ref, title, text, at, bytes }: Found): Quotation {
  const about = [...(at ? [at] : []), ...(bytes === undefined ? [] : [`${bytes} bytes`])].join(", ");
  const name = title === undefined ? "" : ` ${plain(title, 400)}`;
  return { label: `${kind} ${ref}${about ? ` (${about})` : ""}${name}`, text: text ?? "" };
}

function line({ kind, ref, text = "", bytes }: Found): string {
  if (kind === "looked") return `Looked at ${plain(text, 300)}.`;
  if (kind === "skipped") return `Skipped ${plain(ref, 200)}: ${plain(text, 300)}`;
  return `Found ${plain(ref, 200)}, ${bytes} bytes.`;
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length;

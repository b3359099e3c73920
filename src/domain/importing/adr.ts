import type { DecisionStatus } from "../adr/adr.ts";
import { findMarkdownChapter, parseMarkdownChapters, findFirstParagraph } from "./chapter.ts";
import type { ForeignAdr, ForeignDocument } from "./found.ts";

const FOREIGN_ADR_STATUSES: Readonly<Record<string, DecisionStatus>> = {
  proposed: "proposed",
  draft: "proposed",
  accepted: "accepted",
  approved: "accepted",
  deprecated: "deprecated",
  superseded: "superseded",
};
const FOREIGN_ADR_DATE = /\b(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T\d{2}:\d{2}:\d{2}Z)?)/;

/** Parses another tool's decision record. Without a decision or a known status it stays a document. */
export function parseForeignAdr(from: string, text: string): ForeignAdr | ForeignDocument {
  const root = parseMarkdownChapters(text);
  const start = text.search(/^## /m);
  const head = start < 0 ? text : text.slice(0, start);
  const [top] = root.parts;
  const title = (top?.level === 1 ? stripAdrNumber(top.title) : "") || (findLabelledValue(head, "title") ?? "");
  const said =
    findLabelledValue(head, "status") ?? findFirstParagraph(findMarkdownChapter(root, /^Status\b/i)?.own ?? "");
  const status = FOREIGN_ADR_STATUSES[/[a-z]+/.exec(said.toLowerCase())?.[0] ?? ""];
  const document = (why: string): ForeignDocument => ({ kind: "document", from, text, why });
  if (title === "" || start < 0) return document("it has no title, or no section");
  if (!findMarkdownChapter(root, /^(?:Decision|Decision Outcome)\b/i))
    return document("it has no section that says the decision");
  if (status === undefined)
    return document("it does not say whether it was proposed, accepted, deprecated or superseded");
  const day = FOREIGN_ADR_DATE.exec(findLabelledValue(head, "date") ?? "")?.[1];
  const date = day !== undefined && day.length === 10 ? `${day}T00:00:00Z` : day;
  return { kind: "adr", from, title, status, ...(date === undefined ? {} : { date }), body: text.slice(start) };
}

/** `ADR-001: Keep it`, `ADR 1 - Keep it` and `1. Keep it` give `Keep it`. */
const stripAdrNumber = (heading: string): string =>
  heading.replace(/^(?:ADR[-\s]?\d{1,5}|\d{1,5})\s*[:.–—-]\s*/i, "").trim();

/** A labelled line: `**Status**: accepted`, `- Status: accepted`, or a line of the front matter. */
function findLabelledValue(head: string, name: string): string | undefined {
  const line = new RegExp(String.raw`^(?:[-*]\s+)?\*{0,2}${name}(?::\*\*|\*{0,2}\s*:)\s*(.+)$`, "im");
  return line
    .exec(head)?.[1]
    ?.trim()
    .replace(/^["']|["']$/g, "");
}

import { type MergedDocument, mergeDocumentLines } from "../spec/documents.ts";
import { type KeyDecisions, parseKeyDecisions, formatKeyDecisions } from "./key-decisions.ts";
import { readBodyLines } from "./lines.ts";
import {
  ACCOMPLISHED_HEADING,
  KEY_DECISIONS_HEADING,
  markSessionDraft,
  MODIFIED_FILES_HEADING,
  EMPTY_SESSION,
  PROSE_SECTIONS,
  parseSessionDocument,
  formatSessionDocument,
  readSessionSection,
  setSessionField,
  setSessionSection,
} from "./session.ts";

/**
 * Merges the sessions of two branches. Lists are joined without duplicates. The next action comes from the later
 * session, because only one step can be next. All other text is merged line by line, so that no words are lost
 * silently.
 */
export function mergeSessionDocuments(base: string, ours: string, theirs: string): MergedDocument {
  if (base === theirs) return { text: ours, conflicts: [] };
  if (base === ours) return { text: theirs, conflicts: [] };
  const before = base === "" ? formatSessionDocument(EMPTY_SESSION) : base;
  try {
    const [was, own, other] = settleSessionSections(before, ours, theirs);
    return mergeDocumentLines(was, own, other);
  } catch {
    // A document with hidden headings.
    return mergeDocumentLines(base, ours, theirs);
  }
}

function settleSessionSections(base: string, ours: string, theirs: string): readonly [string, string, string] {
  const [own, other] = [parseSessionDocument(ours), parseSessionDocument(theirs)];
  const later = other.generated > own.generated ? other : own;
  const edits: readonly ((text: string) => string)[] = [
    (text) => setSessionSection(text, PROSE_SECTIONS.next, later.next),
    (text) => setSessionSection(text, KEY_DECISIONS_HEADING, formatKeyDecisions(mergeKeyDecisions(base, ours, theirs))),
    ...[ACCOMPLISHED_HEADING, MODIFIED_FILES_HEADING].map((title) => (text: string) => {
      const lists = [base, ours, theirs].map((side) => readBodyLines(readSessionSection(side, title)));
      return setSessionSection(text, title, mergeLineLists(lists).join("\n"));
    }),
    (text) => setSessionField(text, "generated", later.generated),
    (text) => setSessionField(text, "branch", later.branch),
    // A merge with an unreviewed side is a draft again.
    (text) => (own.isDraft || other.isDraft ? markSessionDraft(text) : setSessionField(text, "mode", "")),
  ];
  const settle = (text: string): string => edits.reduce((now, edit) => edit(now), text);
  return [settle(base), settle(ours), settle(theirs)];
}

function mergeLineLists([base = [], ours = [], theirs = []]: readonly (readonly string[])[]): string[] {
  const gone = new Set(base.filter((line) => !ours.includes(line) || !theirs.includes(line)));
  const kept = ours.filter((line) => !gone.has(line) || line === "");
  return [...kept, ...theirs.filter((line) => line !== "" && !kept.includes(line) && !gone.has(line))];
}

function mergeKeyDecisions(base: string, ours: string, theirs: string): KeyDecisions {
  const [was, own, other] = [base, ours, theirs].map((text) =>
    parseKeyDecisions(readSessionSection(text, KEY_DECISIONS_HEADING)),
  );
  const of = (list: keyof KeyDecisions): string[] =>
    mergeLineLists([was, own, other].map((side) => [...(side?.[list] ?? [])]));
  const continuing = of("continuing");
  return { continuing, added: of("added").filter((line) => !continuing.includes(line)) };
}

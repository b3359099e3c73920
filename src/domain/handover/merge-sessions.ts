import { type MergedDocument, mergeDocumentLines } from "../spec/documents.ts";
import { type KeyDecisions, keyDecisionsIn, keyDecisionsText } from "./key-decisions.ts";
import { rawLines } from "./lines.ts";
import {
  ACCOMPLISHED,
  KEY_DECISIONS,
  markDrafted,
  MODIFIED_FILES,
  NOTHING,
  PROSE,
  readSession,
  renderSession,
  sectionIn,
  withField,
  withSectionText,
} from "./session.ts";

/**
 * Merges the sessions of two branches. Lists are joined without duplicates. The next action comes from the later
 * session, because only one step can be next. All other text is merged line by line, so that no words are lost
 * silently.
 */
export function mergeSessions(base: string, ours: string, theirs: string): MergedDocument {
  if (base === theirs) return { text: ours, conflicts: [] };
  if (base === ours) return { text: theirs, conflicts: [] };
  const before = base === "" ? renderSession(NOTHING) : base;
  try {
    const [was, own, other] = settled(before, ours, theirs);
    return mergeDocumentLines(was, own, other);
  } catch {
    // A document with hidden headings.
    return mergeDocumentLines(base, ours, theirs);
  }
}

function settled(base: string, ours: string, theirs: string): readonly [string, string, string] {
  const [own, other] = [readSession(ours), readSession(theirs)];
  const later = other.generated > own.generated ? other : own;
  const edits: readonly ((text: string) => string)[] = [
    (text) => withSectionText(text, PROSE.next, later.next),
    (text) => withSectionText(text, KEY_DECISIONS, keyDecisionsText(bothDecided(base, ours, theirs))),
    ...[ACCOMPLISHED, MODIFIED_FILES].map((title) => (text: string) => {
      const lists = [base, ours, theirs].map((side) => rawLines(sectionIn(side, title)));
      return withSectionText(text, title, union(lists).join("\n"));
    }),
    (text) => withField(text, "generated", later.generated),
    (text) => withField(text, "branch", later.branch),
    // A merge with an unreviewed side is a draft again.
    (text) => (own.isDraft || other.isDraft ? markDrafted(text) : withField(text, "mode", "")),
  ];
  const settle = (text: string): string => edits.reduce((now, edit) => edit(now), text);
  return [settle(base), settle(ours), settle(theirs)];
}

function union([base = [], ours = [], theirs = []]: readonly (readonly string[])[]): string[] {
  const gone = new Set(base.filter((line) => !ours.includes(line) || !theirs.includes(line)));
  const kept = ours.filter((line) => !gone.has(line) || line === "");
  return [...kept, ...theirs.filter((line) => line !== "" && !kept.includes(line) && !gone.has(line))];
}

function bothDecided(base: string, ours: string, theirs: string): KeyDecisions {
  const [was, own, other] = [base, ours, theirs].map((text) => keyDecisionsIn(sectionIn(text, KEY_DECISIONS)));
  const of = (list: keyof KeyDecisions): string[] => union([was, own, other].map((side) => [...(side?.[list] ?? [])]));
  const continuing = of("continuing");
  return { continuing, added: of("added").filter((line) => !continuing.includes(line)) };
}

import { type MergedDocument, mergeDocumentLines } from "#planning/model/living-spec/document-merge.ts";
import { DECISION_LOG_TITLE, appendDecisionEntries, findLastDecisionNumber } from "./decision-log.ts";
import {
  createEmptySession,
  type SessionDocument,
  formatKeyDecisions,
  formatSessionDocument,
  parseSessionDocument,
  setDraftMode,
  setSessionField,
  setSessionSection,
} from "./session-document.ts";

/** Merges by number if both branches only appended, each decision once. Merges line by line otherwise. */
export function mergeDecisionLogs(base: string, ours: string, theirs: string): MergedDocument {
  const before =
    base === "" && [ours, theirs].every((side) => side.startsWith(DECISION_LOG_TITLE)) ? DECISION_LOG_TITLE : base;
  const [own, other] = [readAddedEntries(before, ours), readAddedEntries(before, theirs)];
  if (!own || !other) return mergeDocumentLines(base, ours, theirs);
  const fresh = other.filter((entry) => !own.includes(entry));
  const all = [...own, ...fresh].toSorted((a, b) => findLastDecisionNumber(a) - findLastDecisionNumber(b));
  const numbers = all.map(findLastDecisionNumber);
  const twice = numbers.filter((number, i) => numbers.indexOf(number) !== i).map((number) => `D${number}`);
  return {
    text: all.length === 0 ? ours : appendDecisionEntries(before, all),
    conflicts: [],
    ...(twice.length > 0 ? { joined: twice } : {}),
  };
}

function readAddedEntries(before: string, after: string): string[] | undefined {
  if (!after.startsWith(before) || !/^\s|^$/.test(after.slice(before.trimEnd().length))) return undefined;
  const [gap = "", ...entries] = after.slice(before.length).split(/^(?=\[[^\]\n]*\] D\d+: )/m);
  return gap.trim() === "" ? entries.map((entry) => entry.replaceAll("\r\n", "\n").trim()) : undefined;
}

/** Merges two branches: lists are joined, the next action is the later one, other text is merged line by line. */
export function mergeSessionDocuments(base: string, ours: string, theirs: string): MergedDocument {
  if (base === theirs) return { text: ours, conflicts: [] };
  if (base === ours) return { text: theirs, conflicts: [] };
  try {
    const was = base === "" ? formatSessionDocument(createEmptySession()) : base;
    const sides = [parseSessionDocument(was), parseSessionDocument(ours), parseSessionDocument(theirs)] as const;
    const settle = createSessionSettlement(...sides);
    return mergeDocumentLines(settle(was), settle(ours), settle(theirs));
  } catch {
    // A document with hidden headings.
    return mergeDocumentLines(base, ours, theirs);
  }
}

/** Writes the same lists, fields and next action into all sides, so that only other text can conflict. */
function createSessionSettlement(base: SessionDocument, own: SessionDocument, other: SessionDocument) {
  const later = other.generated > own.generated ? other : own;
  const merge = (list: "continuing" | "added" | "accomplished" | "files"): string[] => {
    const [ours, theirs] = [own[list], other[list]];
    const gone = new Set(base[list].filter((line) => !ours.includes(line) || !theirs.includes(line)));
    const kept = ours.filter((line) => !gone.has(line) || line === "");
    return [...kept, ...theirs.filter((line) => line !== "" && !kept.includes(line) && !gone.has(line))];
  };
  const continuing = merge("continuing");
  const added = merge("added").filter((line) => !continuing.includes(line));
  return (text: string): string => {
    let settled = setSessionSection(text, "next", later.next);
    settled = setSessionSection(settled, "decisions", formatKeyDecisions({ continuing, added }));
    settled = setSessionSection(settled, "accomplished", merge("accomplished"));
    settled = setSessionSection(settled, "files", merge("files"));
    settled = setSessionField(settled, "generated", later.generated);
    settled = setSessionField(settled, "branch", later.branch);
    // A merge with an unreviewed side is a draft again.
    return setDraftMode(settled, own.isDraft || other.isDraft);
  };
}

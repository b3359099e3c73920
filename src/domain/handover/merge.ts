import { type MergedDocument, mergeDocumentLines } from "../spec/documents.ts";
import { appendDecisionEntries, findLastDecisionNumber, DECISION_LOG_TITLE } from "./decisions.ts";

/**
 * Two branches that only appended are merged by number, each decision once. Any other change is merged line by line.
 */
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

import type { KeyedSubject } from "./subject.ts";

export const SUMMARY_TYPES = ["components", "specs", "docs", "code"] as const;
type SummaryType = (typeof SUMMARY_TYPES)[number];

/** An empty filter selects everything. */
export interface SummaryFilter {
  readonly type?: SummaryType | undefined;
  readonly path?: string | undefined;
  readonly key?: string | undefined;
}

export interface SummaryCandidate extends KeyedSubject {
  readonly isExported: boolean;
}

export function selectSummaryCandidates(
  all: readonly SummaryCandidate[],
  { type, path, key }: SummaryFilter,
): SummaryCandidate[] {
  return all
    .filter((each) => type === undefined || classifySummaryType(each) === type)
    .filter((each) => path === undefined || isPathWithinFolder(each.path, path))
    .filter((each) => key === undefined || each.key === key)
    .map((each) => ({ each, rank: rankCandidateKind(each) }))
    .toSorted((a, b) => a.rank - b.rank || comparePathOrder(a.each.path, b.each.path) || a.each.line - b.each.line)
    .map(({ each }) => each);
}

function classifySummaryType({ kind }: SummaryCandidate): SummaryType {
  if (kind === "file") return "code";
  if (kind === "spec" || kind === "doc") return `${kind}s`;
  return "components";
}

function isPathWithinFolder(path: string, place: string): boolean {
  const folder = place.replace(/^\.\/+/, "").replace(/\/+$/, "");
  return folder === "" || folder === "." || path === folder || path.startsWith(`${folder}/`);
}

/**
 * Exports precede files, specs and documents. Exported values, unexported components and unexported values follow in
 * this order.
 */
function rankCandidateKind({ kind, isExported }: SummaryCandidate): number {
  if (kind === "class") return isExported ? 0 : 1;
  if (kind === "file") return 2;
  if (kind === "spec") return 3;
  if (kind === "doc") return 4;
  if (kind === "constant" || kind === "type") return isExported ? 5 : 7;
  return isExported ? 1 : 6;
}

const comparePathOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

import { compareTexts } from "#kernel/model/text-format.ts";
import { type CodeComponent, formatComponentKey } from "../index/code-outline.ts";
import type { SummarySubject } from "./code-summary.ts";

export interface KeyedSubject extends SummarySubject {
  readonly key: string;
  readonly path: string;
  readonly line: number;
  readonly hash: string;
}

export type IndexedComponent = Pick<
  CodeComponent,
  "kind" | "name" | "within" | "signature" | "doc" | "line" | "hash" | "isExported"
> & { readonly path: string; readonly ref: string; readonly isTest: boolean };

export const createComponentSubject = (each: IndexedComponent, members: readonly string[] = []): KeyedSubject => {
  const { kind, name, within, signature, doc, path, line, hash } = each;
  return { kind, name, within, signature, doc, members, key: formatComponentKey(path, each.ref), path, line, hash };
};

export const createFileSubject = (
  file: { readonly path: string; readonly hash: string; readonly doc: string; readonly language: string },
  members: readonly string[] = [],
): KeyedSubject => {
  const { path, hash, doc, language } = file;
  return { kind: "file", name: path, doc, language, members, key: path, path, line: 1, hash };
};

export const createTextSubject = ({
  title,
  text,
  ...each
}: Omit<KeyedSubject, "name" | "kind"> & {
  readonly kind: "spec" | "doc";
  readonly title: string;
  readonly text: string;
}): KeyedSubject => ({ ...each, name: title, doc: text });

/** Member names by container; top-level names have an empty key. Exported names come first. */
export function groupMemberNames(components: readonly IndexedComponent[]): ReadonlyMap<string, readonly string[]> {
  const ordered = components.toSorted((a, b) => Number(b.isExported) - Number(a.isExported));
  const groups = Map.groupBy(ordered, ({ within }) => within);
  return new Map([...groups].map(([within, inside]) => [within, [...new Set(inside.map(({ name }) => name))]]));
}

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
    .toSorted((a, b) => a.rank - b.rank || compareTexts(a.each.path, b.each.path) || a.each.line - b.each.line)
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

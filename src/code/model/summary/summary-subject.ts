import { compareTexts } from "#kernel/model/text-format.ts";
import { type CodeComponent, formatComponentKey } from "../index/code-outline.ts";
import type { SummarySubject } from "./code-summary.ts";

export type KeyedSubject = SummarySubject & Readonly<{ key: string; path: string; line: number; hash: string }>;

type IndexedComponent = Pick<
  CodeComponent,
  "kind" | "name" | "within" | "signature" | "doc" | "line" | "hash" | "isExported"
> & { readonly path: string; readonly ref: string; readonly isTest: boolean };

export const createComponentSubject = (each: IndexedComponent, members: readonly string[] = []): KeyedSubject => {
  const { kind, name, within, signature, doc, path, line, hash } = each;
  return { kind, name, within, signature, doc, members, key: formatComponentKey(path, each.ref), path, line, hash };
};

type FileSubject = Readonly<Record<"path" | "hash" | "doc" | "language", string>>;

export const createFileSubject = (file: FileSubject, members: readonly string[] = []): KeyedSubject => {
  const { path, hash, doc, language } = file;
  return { kind: "file", name: path, doc, language, members, key: path, path, line: 1, hash };
};

type TextSubject = Omit<KeyedSubject, "name" | "kind"> &
  Readonly<{ kind: "spec" | "doc"; title: string; text: string }>;

export const createTextSubject = ({ title, text, ...each }: TextSubject): KeyedSubject => ({
  ...each,
  name: title,
  doc: text,
});

/** Member names by container; top-level names have an empty key. Exported names come first. */
export function groupMemberNames(components: readonly IndexedComponent[]): ReadonlyMap<string, readonly string[]> {
  const ordered = components.toSorted((a, b) => Number(b.isExported) - Number(a.isExported));
  const groups = Map.groupBy(ordered, ({ within }) => within);
  return new Map([...groups].map(([within, inside]) => [within, [...new Set(inside.map(({ name }) => name))]]));
}

export const SUMMARY_TYPES = ["components", "specs", "docs", "code"] as const;
type SummaryType = (typeof SUMMARY_TYPES)[number];

export type SummaryCandidate = KeyedSubject & Readonly<{ isExported: boolean }>;

/** An empty filter selects everything. */
export type SummaryFilter = Readonly<{
  type?: SummaryType | undefined;
  path?: string | undefined;
  key?: string | undefined;
}>;

export function selectSummaryCandidates<T extends SummaryCandidate>(
  all: readonly T[],
  { type, path, key }: SummaryFilter,
): T[] {
  const folder = path?.replace(/^\.\/+/, "").replace(/\/+$/, "");
  const isEverywhere = folder === undefined || folder === "" || folder === ".";
  return all
    .filter((each) => type === undefined || classifySummaryType(each) === type)
    .filter((each) => isEverywhere || each.path === folder || each.path.startsWith(`${folder}/`))
    .filter((each) => key === undefined || each.key === key)
    .map((each) => ({ each, rank: rankCandidateKind(each) }))
    .toSorted((a, b) => a.rank - b.rank || compareTexts(a.each.path, b.each.path) || a.each.line - b.each.line)
    .map(({ each }) => each);
}

function classifySummaryType({ kind }: SummaryCandidate): SummaryType {
  if (kind === "file") return "code";
  return kind === "spec" || kind === "doc" ? `${kind}s` : "components";
}

/** Exports, then files, specs and documents, then exported values and everything unexported. */
function rankCandidateKind({ kind, isExported }: SummaryCandidate): number {
  if (kind === "file" || kind === "spec" || kind === "doc") return { file: 2, spec: 3, doc: 4 }[kind];
  if (kind === "class") return isExported ? 0 : 1;
  if (kind === "constant" || kind === "type") return isExported ? 5 : 7;
  return isExported ? 1 : 6;
}

import type { Keyed } from "./subject.ts";

export const SUMMED_TYPES = ["components", "specs", "docs", "code"] as const;
type SummedType = (typeof SUMMED_TYPES)[number];

/** An empty filter selects everything. */
export interface Meant {
  readonly type?: SummedType | undefined;
  readonly path?: string | undefined;
  readonly key?: string | undefined;
}

export interface Candidate extends Keyed {
  readonly isExported: boolean;
}

export function choose(all: readonly Candidate[], { type, path, key }: Meant): Candidate[] {
  return all
    .filter((each) => type === undefined || typeOf(each) === type)
    .filter((each) => path === undefined || isWithin(each.path, path))
    .filter((each) => key === undefined || each.key === key)
    .map((each) => ({ each, rank: rankOf(each) }))
    .toSorted((a, b) => a.rank - b.rank || order(a.each.path, b.each.path) || a.each.line - b.each.line)
    .map(({ each }) => each);
}

function typeOf({ kind }: Candidate): SummedType {
  if (kind === "file") return "code";
  if (kind === "spec" || kind === "doc") return `${kind}s`;
  return "components";
}

function isWithin(path: string, place: string): boolean {
  const folder = place.replace(/^\.\/+/, "").replace(/\/+$/, "");
  return folder === "" || folder === "." || path === folder || path.startsWith(`${folder}/`);
}

/**
 * Exports precede files, specs and documents. Exported values, unexported components and unexported values follow in
 * this order.
 */
function rankOf({ kind, isExported }: Candidate): number {
  if (kind === "class") return isExported ? 0 : 1;
  if (kind === "file") return 2;
  if (kind === "spec") return 3;
  if (kind === "doc") return 4;
  if (kind === "constant" || kind === "type") return isExported ? 5 : 7;
  return isExported ? 1 : 6;
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

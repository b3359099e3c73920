import type { TraceId } from "#kernel/model/ids/trace-id.ts";
import type { TraceAcceptance, SymbolRole, TracedSymbol } from "./trace-acceptance.ts";

export const DRIFT_SEVERITIES = ["low", "medium", "high"] as const;
export type DriftSeverity = (typeof DRIFT_SEVERITIES)[number];

export const compareSeverity = (a: DriftSeverity, b: DriftSeverity): number =>
  DRIFT_SEVERITIES.indexOf(b) - DRIFT_SEVERITIES.indexOf(a);
export const isSeverityReached = (severity: DriftSeverity, level: DriftSeverity): boolean =>
  compareSeverity(severity, level) <= 0;

export type SymbolPair = Readonly<{ was: TracedSymbol; is: TracedSymbol }>;

/** Differences from the accepted symbols. Moved or reformatted code does not count. */
export type SymbolDifference = Readonly<
  Record<"changed" | "renamed", readonly SymbolPair[]> & Record<"removed" | "added", readonly TracedSymbol[]>
>;

/** Pairs by hash first, then by name and path. */
export function compareSymbols(accepted: readonly TracedSymbol[], now: readonly TracedSymbol[]): SymbolDifference {
  const same = pairSymbols(accepted, now, (a, b) => a.hash === b.hash && a.role === b.role, scoreSymbolMatch);
  const here = pairSymbols(same.left, same.right, (a, b) => a.path === b.path && a.ref === b.ref);
  const elsewhere = pairSymbols(here.left, here.right, (a, b) => a.ref === b.ref && a.role === b.role && a.ref !== "");
  return {
    changed: [...here.pairs, ...elsewhere.pairs],
    renamed: same.pairs.filter(({ was, is }) => extractSymbolName(was) !== extractSymbolName(is)),
    removed: elsewhere.left,
    added: elsewhere.right,
  };
}

/** Moves pairs that differ only in names, their own or those of callees, to `renamed`. */
export function moveRenamedPairs(difference: SymbolDifference, renamed: readonly SymbolPair[]): SymbolDifference {
  const [was, is] = [new Set(renamed.map((pair) => pair.was)), new Set(renamed.map((pair) => pair.is))];
  return {
    changed: difference.changed.filter((pair) => !was.has(pair.was)),
    renamed: [...difference.renamed, ...renamed],
    removed: difference.removed.filter((symbol) => !was.has(symbol)),
    added: difference.added.filter((symbol) => !is.has(symbol)),
  };
}

/** `login` of `Session.login~2`; a test by the last part of its name. */
export function extractSymbolName({ ref, path }: Pick<TracedSymbol, "ref" | "path">): string {
  const parts = ref.replace(/~\d+$/, "").split(/ > |\.(?=[^\s.]+$)/);
  return ref === "" ? path : (parts.at(-1) ?? ref);
}

function pairSymbols(
  before: readonly TracedSymbol[],
  after: readonly TracedSymbol[],
  fits: (was: TracedSymbol, is: TracedSymbol) => boolean,
  better: (was: TracedSymbol, is: TracedSymbol) => number = () => 0,
): { pairs: SymbolPair[]; left: TracedSymbol[]; right: TracedSymbol[] } {
  const right = [...after];
  const pairs: SymbolPair[] = [];
  const left = before.filter((was) => {
    const found = right.filter((is) => fits(was, is)).toSorted((a, b) => better(was, b) - better(was, a))[0];
    if (found === undefined) return true;
    right.splice(right.indexOf(found), 1);
    pairs.push({ was, is: found });
    return false;
  });
  return { pairs, left, right };
}

const scoreSymbolMatch = (was: TracedSymbol, is: TracedSymbol): number =>
  Number(extractSymbolName(was) === extractSymbolName(is)) * 2 + Number(was.path === is.path);

/** Code must follow a binding one. The hash of its text is missing if no document defines it. */
export type RequirementState = Readonly<{ isBinding: boolean; spec_hash?: string }>;

export type DriftItem = Readonly<{ id: TraceId; severity: DriftSeverity; isReworded: boolean; role?: SymbolRole }> &
  Readonly<Partial<SymbolPair> & { kind: "changed" | "removed" | "renamed" | "added" | "spec-changed" }>;

export function judgeDrift(
  { id, spec_hash, symbols }: Pick<TraceAcceptance, "id" | "spec_hash" | "symbols">,
  now: readonly TracedSymbol[],
  covered: RequirementState,
  difference: SymbolDifference = compareSymbols(symbols, now),
): DriftItem[] {
  const { changed, renamed, removed, added } = difference;
  const lost = new Set([...changed.map(({ is }) => is), ...added]);
  // An unchanged test still covers the criterion.
  const isUntested = id.includes(".") && !now.some((each) => each.role === "test" && !lost.has(each));
  const judge = ({ role }: TracedSymbol): Pick<DriftItem, "role" | "severity"> => {
    const isHigh = role === "code" ? covered.isBinding : isUntested;
    return { role, severity: isHigh ? "high" : "medium" };
  };
  const isReworded = spec_hash !== undefined && covered.spec_hash !== spec_hash;
  const all = { id, isReworded };
  const found: DriftItem[] = [
    ...changed.map(({ was, is }): DriftItem => ({ ...all, kind: "changed", ...judge(was), was, is })),
    ...removed.map((was): DriftItem => ({ ...all, kind: "removed", ...judge(was), was })),
    // A finding about changed code already mentions the new text.
    ...(isReworded && changed.length + removed.length === 0
      ? [{ ...all, kind: "spec-changed", severity: "medium" } as const]
      : []),
    ...renamed.map(({ was, is }): DriftItem => ({ ...all, kind: "renamed", severity: "low", role: is.role, was, is })),
    ...added.map((is): DriftItem => ({ ...all, kind: "added", severity: "low", role: is.role, is })),
  ];
  return found.toSorted((a, b) => compareSeverity(a.severity, b.severity));
}

const STRING_LITERAL = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/.source;
const WORD_CHARACTER = String.raw`[\p{L}\p{N}_$]`;

/** Once outside string literals and once also inside. Names in code match whole words, test names any text. */
export function createRenamedTexts(text: string, names: readonly (readonly [was: string, is: string])[]): string[] {
  const isIdentifier = (name: string): boolean => /^[\p{L}\p{N}_$]+$/u.test(name);
  const words = new Map(names.filter(([was]) => isIdentifier(was)));
  const titles = names.filter(([was]) => was !== "" && !isIdentifier(was));
  const said = titles.reduce((rest, [was, is]) => rest.replaceAll(was, () => is), text);
  if (words.size === 0) return [said];
  const any = [...words.keys()].map((word) => word.replaceAll("$", String.raw`\$`)).join("|");
  const word = String.raw`(?<!${WORD_CHARACTER})(?:${any})(?!${WORD_CHARACTER})`;
  const patterns = [new RegExp(`${STRING_LITERAL}|${word}`, "gu"), new RegExp(word, "gu")];
  return [...new Set(patterns.map((pattern) => said.replace(pattern, (found) => words.get(found) ?? found)))];
}

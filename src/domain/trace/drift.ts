import type { Acceptance, Role, TraceId, TracedSymbol } from "./acceptance.ts";

export const SEVERITIES = ["low", "medium", "high"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const graver = (a: Severity, b: Severity): number => SEVERITIES.indexOf(b) - SEVERITIES.indexOf(a);
export const isAtLeast = (severity: Severity, level: Severity): boolean => graver(severity, level) <= 0;

export interface Pair {
  readonly was: TracedSymbol;
  readonly is: TracedSymbol;
}

/** Differences from the accepted symbols. Moved or reformatted code does not count. */
export interface Difference {
  readonly changed: readonly Pair[];
  readonly renamed: readonly Pair[];
  readonly removed: readonly TracedSymbol[];
  readonly added: readonly TracedSymbol[];
}

/** Pairs by hash first, then by name and path. */
export function differenceOf(accepted: readonly TracedSymbol[], now: readonly TracedSymbol[]): Difference {
  const same = paired(accepted, now, (a, b) => a.hash === b.hash && a.role === b.role, byNearness);
  const here = paired(same.left, same.right, (a, b) => a.path === b.path && a.ref === b.ref);
  const elsewhere = paired(here.left, here.right, (a, b) => a.ref === b.ref && a.role === b.role && a.ref !== "");
  return {
    changed: [...here.pairs, ...elsewhere.pairs],
    renamed: same.pairs.filter(({ was, is }) => nameOf(was) !== nameOf(is)),
    removed: elsewhere.left,
    added: elsewhere.right,
  };
}

/** Moves pairs that differ only in names, their own or those of callees, to `renamed`. */
export function withRenames(difference: Difference, renamed: readonly Pair[]): Difference {
  const [was, is] = [new Set(renamed.map((pair) => pair.was)), new Set(renamed.map((pair) => pair.is))];
  return {
    changed: difference.changed.filter((pair) => !was.has(pair.was)),
    renamed: [...difference.renamed, ...renamed],
    removed: difference.removed.filter((symbol) => !was.has(symbol)),
    added: difference.added.filter((symbol) => !is.has(symbol)),
  };
}

/** `login` of `Session.login~2`; a test by the last part of its name. */
export const nameOf = ({ ref, path }: Pick<TracedSymbol, "ref" | "path">): string =>
  ref === ""
    ? path
    : (ref
        .replace(/~\d+$/, "")
        .split(/ > |\.(?=[^\s.]+$)/)
        .at(-1) ?? ref);

interface Pairing {
  readonly pairs: readonly Pair[];
  readonly left: readonly TracedSymbol[];
  readonly right: readonly TracedSymbol[];
}

function paired(
  before: readonly TracedSymbol[],
  after: readonly TracedSymbol[],
  fits: (was: TracedSymbol, is: TracedSymbol) => boolean,
  better: (was: TracedSymbol, is: TracedSymbol) => number = () => 0,
): Pairing {
  const right = [...after];
  const pairs: Pair[] = [];
  const left = before.filter((was) => {
    const found = right.filter((is) => fits(was, is)).toSorted((a, b) => better(was, b) - better(was, a))[0];
    if (found === undefined) return true;
    right.splice(right.indexOf(found), 1);
    pairs.push({ was, is: found });
    return false;
  });
  return { pairs, left, right };
}

const byNearness = (was: TracedSymbol, is: TracedSymbol): number =>
  Number(nameOf(was) === nameOf(is)) * 2 + Number(was.path === is.path);

export interface Covered {
  /** Whether code must follow it: a project requirement, or a spec past draft with criteria. */
  readonly isBinding: boolean;
  /** Hash of its text; missing if no document defines it. */
  readonly spec_hash?: string;
}

type DriftKind = "changed" | "removed" | "renamed" | "added" | "spec-changed";

export interface Drifted {
  readonly id: TraceId;
  readonly kind: DriftKind;
  readonly severity: Severity;
  readonly role?: Role;
  readonly was?: TracedSymbol;
  readonly is?: TracedSymbol;
  readonly isReworded: boolean;
}

export function judgeDrift(
  { id, spec_hash, symbols }: Pick<Acceptance, "id" | "spec_hash" | "symbols">,
  now: readonly TracedSymbol[],
  covered: Covered,
  difference: Difference = differenceOf(symbols, now),
): Drifted[] {
  const { changed, renamed, removed, added } = difference;
  const lost = new Set([...changed.map(({ is }) => is), ...added]);
  const isCriterion = id.includes(".");
  // An unchanged test still covers the criterion.
  const isStillTested = now.some((each) => each.role === "test" && !lost.has(each));
  const severityOf = (role: Role): Severity => {
    if (role === "code") return covered.isBinding ? "high" : "medium";
    return isCriterion && !isStillTested ? "high" : "medium";
  };
  const isReworded = spec_hash !== undefined && covered.spec_hash !== spec_hash;
  const all = { id, isReworded };
  const followed = changed.length + removed.length > 0;
  const found: Drifted[] = [
    ...changed.map(({ was, is }): Drifted => ({
      ...all,
      kind: "changed",
      severity: severityOf(was.role),
      role: was.role,
      was,
      is,
    })),
    ...removed.map((was): Drifted => ({
      ...all,
      kind: "removed",
      severity: severityOf(was.role),
      role: was.role,
      was,
    })),
    // A finding about changed code already mentions the new text.
    ...(isReworded && !followed ? [{ ...all, kind: "spec-changed", severity: "medium" } as const] : []),
    ...renamed.map(({ was, is }): Drifted => ({ ...all, kind: "renamed", severity: "low", role: is.role, was, is })),
    ...added.map((is): Drifted => ({ ...all, kind: "added", severity: "low", role: is.role, is })),
  ];
  return found.toSorted((a, b) => graver(a.severity, b.severity));
}

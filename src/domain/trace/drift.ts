import type { Acceptance, Role, TraceId, TracedSymbol } from "./acceptance.ts";

export const SEVERITIES = ["low", "medium", "high"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** From the gravest down. */
export const graver = (a: Severity, b: Severity): number => SEVERITIES.indexOf(b) - SEVERITIES.indexOf(a);
export const isAtLeast = (severity: Severity, level: Severity): boolean => graver(severity, level) <= 0;

export interface Pair {
  readonly was: TracedSymbol;
  readonly is: TracedSymbol;
}

/** How what carries a requirement differs from what was accepted. What only moved, or is written otherwise, is nowhere here. */
export interface Difference {
  readonly changed: readonly Pair[];
  /** The same under another name. */
  readonly renamed: readonly Pair[];
  readonly removed: readonly TracedSymbol[];
  readonly added: readonly TracedSymbol[];
}

/** By hashes first, wherever they are found; then by name and place. */
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

/** Once it is known that some are the same but for their names, or for the names of what they call. */
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

/** What a requirement really covers, as its document says. */
export interface Covered {
  /** Whether it holds: a requirement of the project, or a spec that is past its draft and has criteria. */
  readonly isBinding: boolean;
  /** Of what it says; nothing where no document says it. */
  readonly spec_hash?: string;
}

type DriftKind = "changed" | "removed" | "renamed" | "added" | "spec-changed";

/** One thing that is not as it was accepted. */
export interface Drifted {
  readonly id: TraceId;
  readonly kind: DriftKind;
  readonly severity: Severity;
  readonly role?: Role;
  readonly was?: TracedSymbol;
  readonly is?: TracedSymbol;
  /** Whether the requirement says something else too by now. */
  readonly isReworded: boolean;
}

/** Everything that speaks of one requirement, the gravest first. */
export function judgeDrift(
  { id, spec_hash, symbols }: Pick<Acceptance, "id" | "spec_hash" | "symbols">,
  now: readonly TracedSymbol[],
  covered: Covered,
  difference: Difference = differenceOf(symbols, now),
): Drifted[] {
  const { changed, renamed, removed, added } = difference;
  const lost = new Set([...changed.map(({ is }) => is), ...added]);
  const isCriterion = id.includes(".");
  // Another test speaks for a criterion if it is still what it was.
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
    // Where the code changed as well, that says it.
    ...(isReworded && !followed ? [{ ...all, kind: "spec-changed", severity: "medium" } as const] : []),
    ...renamed.map(({ was, is }): Drifted => ({ ...all, kind: "renamed", severity: "low", role: is.role, was, is })),
    ...added.map((is): Drifted => ({ ...all, kind: "added", severity: "low", role: is.role, is })),
  ];
  return found.toSorted((a, b) => graver(a.severity, b.severity));
}

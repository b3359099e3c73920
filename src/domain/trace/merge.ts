import type { Acceptance } from "./acceptance.ts";
import { oneForm } from "./said.ts";

/**
 * If both sides accepted the same code, the later acceptance wins. If only one side changed it, that side wins. Returns
 * nothing if they accepted different code: a reader of the merged code must decide.
 */
export function mergeAcceptances(
  base: Acceptance | undefined,
  ours: Acceptance,
  theirs: Acceptance,
): Acceptance | undefined {
  const [was, mine, other] = [base && whatOf(base), whatOf(ours), whatOf(theirs)];
  const [earlier, later] = ours.at <= theirs.at ? [ours, theirs] : [theirs, ours];
  const chosen = mine === other ? later : other === was ? ours : mine === was ? theirs : undefined;
  return chosen && { ...chosen, rev: Math.max(earlier.rev, later.rev) + 1 };
}

const whatOf = ({ spec_hash, symbols }: Acceptance): string => oneForm([spec_hash, symbols]);

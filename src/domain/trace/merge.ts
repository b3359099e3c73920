import type { Acceptance } from "./acceptance.ts";
import { oneForm } from "./said.ts";

/**
 * Two sides of one acceptance. Where both accepted the same, the later word holds, and where only one side accepted
 * anew, that one. Nothing where they accepted different code: which holds is for whoever reads the merged code to say.
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

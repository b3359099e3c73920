import type { TraceAcceptance } from "./acceptance.ts";
import { formatSortedJson } from "./said.ts";

/**
 * If both sides accepted the same code, the later acceptance wins. If only one side changed it, that side wins. Returns
 * nothing if they accepted different code: a reader of the merged code must decide.
 */
export function mergeAcceptances(
  base: TraceAcceptance | undefined,
  ours: TraceAcceptance,
  theirs: TraceAcceptance,
): TraceAcceptance | undefined {
  const [was, mine, other] = [
    base && formatAcceptedContent(base),
    formatAcceptedContent(ours),
    formatAcceptedContent(theirs),
  ];
  const [earlier, later] = ours.at <= theirs.at ? [ours, theirs] : [theirs, ours];
  const chosen = mine === other ? later : other === was ? ours : mine === was ? theirs : undefined;
  return chosen && { ...chosen, rev: Math.max(earlier.rev, later.rev) + 1 };
}

const formatAcceptedContent = ({ spec_hash, symbols }: TraceAcceptance): string =>
  formatSortedJson([spec_hash, symbols]);

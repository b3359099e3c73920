import { truncateSummary } from "#domain/indexing/summary/one-line.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex, IndexedSummary } from "../../ports/code-index.ts";

export type SummaryResult =
  | { readonly key: string; readonly summary: string; readonly source: IndexedSummary["source"] }
  | { readonly key: string; readonly why: string };

/** Rejects a summary that is empty or contains a secret. */
export async function storeCheckedSummary(
  engine: Pick<Engine, "secrets" | "clock">,
  index: Pick<CodeIndex, "keepSummary">,
  { text, ...said }: Omit<IndexedSummary, "at">,
): Promise<SummaryResult> {
  const { key, source } = said;
  const { found } = await engine.secrets.mask(text);
  if (found.length > 0) return { key, why: `It held what looks like a secret: ${found.join(", ")}.` };
  const summary = truncateSummary(stripReplyQuotes(text));
  if (!/[\p{L}\p{N}]/u.test(summary)) return { key, why: "It said nothing." };
  await index.keepSummary({ ...said, text: summary, at: engine.clock.now() });
  return { key, summary, source };
}

/** Some models put quotes around their reply. */
const stripReplyQuotes = (text: string): string => /^\s*(["'`])(?!.*\1.*\1)([\s\S]*)\1\s*$/.exec(text)?.[2] ?? text;

export function groupSummaryFailures(
  taken: readonly SummaryResult[],
): { why: string; count: number; keys: string[] }[] {
  const reasons = new Map<string, string[]>();
  for (const each of taken) if ("why" in each) reasons.set(each.why, [...(reasons.get(each.why) ?? []), each.key]);
  return [...reasons]
    .map(([why, keys]) => ({ why, count: keys.length, keys: keys.slice(0, 3) }))
    .toSorted((a, b) => b.count - a.count);
}

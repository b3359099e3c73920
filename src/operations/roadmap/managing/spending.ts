import { formatCount } from "#domain/count.ts";
import { summarizeSpending } from "#domain/roadmap/spending.ts";
import type { Engine } from "../../engine.ts";
import { loadCheckoutEntries, SPENDING_SPACE } from "../spaces.ts";
import { formatTokenCount } from "./span.ts";

export async function formatSpendingNotes({ store, checkout }: Pick<Engine, "store" | "checkout">): Promise<string[]> {
  const entries = await store.read((tree) => [...loadCheckoutEntries(tree, SPENDING_SPACE, checkout)]);
  const { all } = summarizeSpending(entries.map(([role, spent]) => ({ role, ...spent })));
  if (all.runs === 0) return [];
  const estimated = `${formatCount(all.runs, "agent run")} so far, estimated at ${formatTokenCount(all.estimated)} tokens`;
  if (all.ratio === null) return [`${estimated}; nobody reported what it cost.`];
  return [`${estimated}; ${all.reports} of them cost ${all.ratio.toFixed(2)} times what they were estimated at.`];
}

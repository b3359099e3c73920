import { formatCount } from "#domain/count.ts";
import { spendingOf } from "#domain/roadmap/spending.ts";
import type { Engine } from "../../engine.ts";
import { keptOf, SPENT } from "../spaces.ts";
import { numberText } from "./span.ts";

export async function spentText({ store, checkout }: Pick<Engine, "store" | "checkout">): Promise<string[]> {
  const entries = await store.read((tree) => [...keptOf(tree, SPENT, checkout)]);
  const { all } = spendingOf(entries.map(([role, spent]) => ({ role, ...spent })));
  if (all.runs === 0) return [];
  const estimated = `${formatCount(all.runs, "agent run")} so far, estimated at ${numberText(all.estimated)} tokens`;
  if (all.ratio === null) return [`${estimated}; nobody reported what it cost.`];
  return [`${estimated}; ${all.reports} of them cost ${all.ratio.toFixed(2)} times what they were estimated at.`];
}

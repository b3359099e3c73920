import type { MemoryEngine } from "#memory/operations/engine.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import type { Journal } from "./ports/journal.ts";

/** Steps that record the start of sessions in the handover. */
type SessionStartPlanner = (
  tree: StoreTree,
  sessions: readonly string[],
  at: string,
) => Pick<StorePlan<void>, "steps" | "keeps">;

export interface PlanningEngine extends MemoryEngine {
  readonly journal: Journal;
  /** The handover ranks above planning, so the application hands its planner in. */
  sessionStart(): Promise<SessionStartPlanner>;
}

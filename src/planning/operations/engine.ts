import type { MemoryEngine } from "#memory/operations/engine.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import type { CallingProgram } from "./ports/caller.ts";
import type { Journal } from "./ports/journal.ts";

export interface PlanningEngine extends MemoryEngine {
  readonly journal: Journal;
  readonly caller: CallingProgram;
  missingTools(required?: readonly string[]): Promise<readonly string[]>;
  /** Plans the start of sessions in the handover, which ranks above planning. The application hands it in. */
  sessionStart(): Promise<
    (tree: StoreTree, sessions: readonly string[], at: string) => Pick<StorePlan<void>, "steps" | "keeps">
  >;
}

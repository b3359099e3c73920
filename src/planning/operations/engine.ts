import type { MemoryEngine } from "#memory/operations/engine.ts";
import type { Journal } from "./ports/journal.ts";

export interface PlanningEngine extends MemoryEngine {
  readonly journal: Journal;
}

import type { CodeEngine } from "#code/operations/engine.ts";
import type { MemoryStore } from "./ports/memory.ts";

export interface MemoryEngine extends CodeEngine {
  /** Opened on first use. Call `openEnabledMemory` instead. */
  memory(): Promise<MemoryStore>;
}

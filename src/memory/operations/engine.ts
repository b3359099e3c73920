import type { CodeEngine } from "#code/operations/engine.ts";
import type { Operation } from "#kernel/operations/operation.ts";
import type { MemoryStore } from "./ports/memory.ts";

export interface MemoryEngine extends CodeEngine {
  /** Opened on first use. Call `openEnabledMemory` instead. */
  memory(): Promise<MemoryStore>;
}

/** The memory belongs to the user, not to a workspace. */
export const defineMemoryOperation = <Input, Output>(
  definition: Omit<Operation<Input, Output, MemoryEngine>, "isUsers">,
): Operation<Input, Output, MemoryEngine> => ({ ...definition, isUsers: true });

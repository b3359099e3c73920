import type { Engine } from "../engine.ts";
import type { Runtime } from "./running/runtime.ts";

export async function foldJournal(_engine: Engine): Promise<void> {
  // comes with the hooks
}

export async function folded(_engine: Engine, runtime: Runtime): Promise<Runtime> {
  return runtime;
}

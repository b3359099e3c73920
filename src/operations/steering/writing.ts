import type { Engine } from "../engine.ts";
import { commitWithSession } from "../handover/drafting.ts";
import { readNextStep } from "../handover/next.ts";
import type { LockedStoreTree, StorePlan } from "../ports/store.ts";

export const commitSteering = <T>(engine: Engine, decide: (tree: LockedStoreTree) => StorePlan<T>): Promise<T> =>
  commitWithSession(engine, decide, (tree, { occurrences: [{ data = {} } = {}] }) => ({
    accomplished: `Steering: ${String(data["summary"])}`,
    next: readNextStep(tree, engine),
    files: data["paths"] as readonly string[],
  }));

import type { Engine } from "../engine.ts";
import { commitDrafted } from "../handover/drafting.ts";
import { nextIn } from "../handover/next.ts";
import type { LockedStoreTree, StorePlan } from "../ports/store.ts";

export const writeSteering = <T>(engine: Engine, decide: (tree: LockedStoreTree) => StorePlan<T>): Promise<T> =>
  commitDrafted(engine, decide, (tree, { occurrences: [{ data = {} } = {}] }) => ({
    accomplished: `Steering: ${String(data["summary"])}`,
    next: nextIn(tree, engine),
    files: data["paths"] as readonly string[],
  }));

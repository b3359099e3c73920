import { Fault } from "#kernel/model/fault.ts";
import type { KernelEngine } from "#kernel/operations/engine.ts";
import type { LockedStoreTree, Store, StorePlan } from "./ports/store.ts";

/**
 * Follows ledger events: exports, notifications, memory. It stores its own position, so that it also sees writes that
 * another process finished. A failure here never undoes the write.
 */
export interface LedgerObserver {
  readonly name: string;
  catchUp(): Promise<void>;
  /** Why it cannot keep up, and the fix. Undefined if it can. The check never writes. */
  problem?(): Promise<{ readonly found: string; readonly fix: string } | undefined>;
}

export interface StoreEngine extends KernelEngine {
  readonly store: Store;
  readonly observers: readonly LedgerObserver[];
}

/** Then lets every observer catch up. A failing observer is reported, and the others continue. */
export async function commitStoreWrite<T>(
  engine: Pick<StoreEngine, "store" | "observers" | "notice">,
  decide: (tree: LockedStoreTree) => StorePlan<T>,
): Promise<T> {
  const result = await engine.store.write(decide);
  for (const observer of engine.observers) {
    try {
      await observer.catchUp();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      engine.notice(`The write is kept, but ${observer.name} failed: ${why}`);
    }
  }
  return result;
}

/** The extras come first: if one cannot be written, none is, and the plan is committed without them. */
export async function commitWithExtras<T>(
  engine: Pick<StoreEngine, "store" | "observers" | "notice">,
  decide: (tree: LockedStoreTree) => StorePlan<T>,
  beside: (tree: LockedStoreTree, plan: StorePlan<T>) => Pick<StorePlan<T>, "steps" | "keeps">,
): Promise<T> {
  let paths: readonly string[] = [];
  try {
    return await commitStoreWrite(engine, (tree) => {
      paths = [];
      const plan = decide(tree);
      const { steps, keeps = [] } = beside(tree, plan);
      if (steps.length === 0) return plan;
      paths = steps.map((step) => (step.kind === "move" ? step.to : step.path));
      return { ...plan, steps: [...steps, ...plan.steps], keeps: [...(plan.keeps ?? []), ...keeps] };
    });
  } catch (error) {
    // A recorded write is finished by the next command. Another write would repeat it.
    if (paths.length === 0 || (error instanceof Fault && error.code === "store.pending")) throw error;
    const result = await commitStoreWrite(engine, decide);
    const why = error instanceof Error ? error.message : String(error);
    engine.notice(`${paths.join(", ")} could not be brought up to date: ${why}`);
    return result;
  }
}

import * as z from "zod/mini";
import type { Immutable } from "#kernel/model/record-schema.ts";
import { createCheckoutKey, loadCheckoutEntries } from "#roadmap/operations/lead/lead-store.ts";
import type { LedgerSpace, StorePlan } from "#store/operations/ports/store.ts";
import { applyRunEvent, formatWorktreeName, RunAction, type RunEvent } from "../model/run-action.ts";
import type { RunningEngine } from "./engine.ts";

type Engine = Pick<RunningEngine, "store" | "checkout" | "clock">;

/** Keyed by checkout and action. */
const RUN_ACTION_SPACE: LedgerSpace<RunAction> & { readonly schema: z.core.$ZodType } = {
  name: "run-action",
  schema: RunAction,
};

export const loadRunActions = ({ store, checkout }: Engine): Promise<Map<string, RunAction>> =>
  store.read((tree) => loadCheckoutEntries(tree, RUN_ACTION_SPACE, checkout));

/** Stores the action after an event, in one write together with what else follows from it. */
export async function saveRunEvent(
  engine: Engine,
  id: string,
  action: RunAction,
  event: RunEvent,
  more: (tree: Parameters<Parameters<Engine["store"]["write"]>[0]>[0]) => Partial<StorePlan<void>> = () => ({}),
): Promise<RunAction> {
  const next = applyRunEvent(action, event, engine.clock.now());
  await engine.store.write((tree) => {
    const { steps = [], keeps = [] } = more(tree);
    return {
      steps,
      keeps: [{ space: RUN_ACTION_SPACE.name, key: createCheckoutKey(engine.checkout, id), value: next }, ...keeps],
      occurrences: [{ kind: `run.${event.kind}`, subject: id, data: { state: next.state } }],
      result: undefined,
    };
  });
  return next;
}

export const saveNewRunAction = (engine: Engine, id: string, action: RunAction): Promise<void> =>
  engine.store.write(() => ({
    steps: [],
    keeps: [{ space: RUN_ACTION_SPACE.name, key: createCheckoutKey(engine.checkout, id), value: action }],
    occurrences: [{ kind: "run.assigned", subject: id, data: { agent: action.agent } }],
    result: undefined,
  }));

export const dropRunAction = (engine: Engine, id: string, outcome: string): Promise<void> =>
  engine.store.write(() => ({
    steps: [],
    keeps: [RUN_ACTION_SPACE, STOP_SPACE].map(({ name: space }) => ({
      space,
      key: createCheckoutKey(engine.checkout, id),
    })),
    occurrences: [{ kind: "run.finished", subject: id, data: { outcome } }],
    result: undefined,
  }));

/** When the user stopped an action. Apart from its state, which the process that leads the run overwrites. */
const STOP_SPACE: LedgerSpace<string> = { name: "run-stop" };

export const isActionStopped = ({ store, checkout }: Engine, id: string): Promise<boolean> =>
  store.read((tree) => tree.kept(STOP_SPACE).has(createCheckoutKey(checkout, id)));

export const loadStoppedActions = ({ store, checkout }: Engine): Promise<ReadonlyMap<string, string>> =>
  store.read((tree) => loadCheckoutEntries(tree, STOP_SPACE, checkout));

export const saveActionStop = (engine: Engine, id: string, isStopped: boolean): Promise<void> => {
  const value = isStopped ? { value: engine.clock.now() } : {};
  return engine.store.write(() => ({
    steps: [],
    keeps: [{ space: STOP_SPACE.name, key: createCheckoutKey(engine.checkout, id), ...value }],
    occurrences: [{ kind: isStopped ? "run.stopped" : "run.resumed", subject: id, data: {} }],
    result: undefined,
  }));
};

/** Worktrees whose work did not land, and that no action of a run continues. */
export async function listLeftWorktrees(engine: Engine & Pick<RunningEngine, "landings" | "digest">) {
  const actions = [...(await loadRunActions(engine)).keys()];
  return engine.landings.list(new Set(actions.map((id) => formatWorktreeName(id, engine.digest))));
}

/** The latest run of a checkout. */
export const RoadmapRunRecord = z.object({
  id: z.string(),
  /** The one piece of work that was named. */
  work: z.exactOptional(z.string()),
  at: z.string(),
  branch: z.string(),
  agents: z.record(z.string(), z.number()),
  cap_usd: z.nullable(z.number()),
  /** What agents have used since the cap was set. */
  usd: z.number(),
  tokens: z.number(),
  landed: z.number(),
});
export type RoadmapRunRecord = Immutable<z.infer<typeof RoadmapRunRecord>>;
const RUN_SPACE: LedgerSpace<RoadmapRunRecord> = { name: "run" };

export const loadRunRecord = ({ store, checkout }: Engine): Promise<RoadmapRunRecord | undefined> =>
  store.read((tree) => tree.kept(RUN_SPACE).get(checkout));

/** What an agent used counts against the cap of the run in the write that notes it, so that a kill loses nothing. */
export const saveSpending = (
  engine: Engine,
  id: string,
  action: RunAction,
  more: Pick<RunAction, "tokens" | "usd">,
): Promise<RunAction> => {
  const total = { tokens: action.tokens + more.tokens, usd: action.usd + more.usd };
  return saveRunEvent(engine, id, action, { kind: "spent", ...total }, (tree) => {
    const record = tree.kept(RUN_SPACE).get(engine.checkout);
    if (!record) return {};
    const value = { ...record, tokens: record.tokens + more.tokens, usd: record.usd + more.usd };
    return { keeps: [{ space: RUN_SPACE.name, key: engine.checkout, value }] };
  });
};

export const saveRunRecord = ({ store, checkout }: Engine, record: RoadmapRunRecord): Promise<void> =>
  store.write(() => ({
    steps: [],
    keeps: [{ space: RUN_SPACE.name, key: checkout, value: record }],
    occurrences: [{ kind: "run.noted", subject: record.id, data: { tokens: record.tokens, usd: record.usd } }],
    result: undefined,
  }));

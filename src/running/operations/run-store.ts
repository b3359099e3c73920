import * as z from "zod/mini";
import type { Immutable } from "#kernel/model/record-schema.ts";
import { createCheckoutKey, loadCheckoutEntries } from "#roadmap/operations/lead/lead-store.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { RoadmapRole } from "#roadmap/model/agent/agent-roles.ts";
import type { LedgerEntry, LedgerSpace, StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import {
  applyRunEvent,
  formatWorktreeName,
  RunAction,
  type RunEvent,
  SINGLE_WORK_PREFIX,
} from "../model/run-action.ts";
import type { RunningEngine } from "./engine.ts";

type Engine = Pick<RunningEngine, "store" | "checkout" | "clock">;

/** Keyed by checkout and action. In a team, all clones share the actions of a roadmap. */
export const RUN_ACTION_SPACE: LedgerSpace<RunAction> & { readonly schema: z.core.$ZodType } = {
  name: "run-action",
  schema: RunAction,
};

const TEAM_KEY = "team";

const createRunKey = ({ store, checkout }: Engine, id: string): string =>
  createCheckoutKey(store.isTeam === true && !id.startsWith(SINGLE_WORK_PREFIX) ? TEAM_KEY : checkout, id);

export const createTeamKey = (id: string): string => createCheckoutKey(TEAM_KEY, id);

export const readTeamActions = (tree: StoreTree): Map<string, RunAction> =>
  loadCheckoutEntries(tree, RUN_ACTION_SPACE, TEAM_KEY);

export const loadRunActions = ({ store, checkout }: Engine): Promise<Map<string, RunAction>> =>
  store.read((tree) => {
    const own = loadCheckoutEntries(tree, RUN_ACTION_SPACE, checkout);
    return store.isTeam === true ? new Map([...own, ...readTeamActions(tree)]) : own;
  });

/** Stores the action after an event, in one write together with what else follows from it. */
export async function saveRunEvent(
  engine: Engine,
  id: string,
  action: RunAction,
  event: RunEvent,
  more: (tree: Parameters<Parameters<Engine["store"]["write"]>[0]>[0]) => Partial<StorePlan<void>> = () => ({}),
): Promise<RunAction> {
  const next = applyRunEvent(action, event, engine.clock.now());
  const key = createRunKey(engine, id);
  const writing = engine.store.write((tree) => {
    if (action.worker !== undefined) assertOwned(tree.kept(RUN_ACTION_SPACE).get(key), id, action.worker);
    const { steps = [], keeps = [] } = more(tree);
    return {
      steps,
      keeps: [
        { space: RUN_ACTION_SPACE.name, key, value: next },
        ...(event.kind === "started" ? planWorkerNote(tree, engine, id, event.tag) : []),
        ...keeps,
      ],
      occurrences: [{ kind: `run.${event.kind}`, subject: id, data: { state: next.state } }],
      result: undefined,
    };
  });
  // Without the database, an agent at work goes on until its work is committed. That write has the steps before it.
  if (KEPT_FOR_LATER.has(event.kind))
    await writing.catch((error: unknown) => {
      if (!(error instanceof Fault) || error.code !== "team.unreachable") throw error;
    });
  else await writing;
  return next;
}

const KEPT_FOR_LATER = new Set<RunEvent["kind"]>(["spent", "ended"]);

function assertOwned(known: RunAction | undefined, id: string, worker: string): void {
  if (known?.worker === worker) return;
  throw new Fault("lease.lost", {
    what: `${id} is no longer with ${worker}.`,
    why: known?.worker === undefined ? "Its lease had run out." : `${known.worker} has taken it over.`,
    fix: { operation: "run.show" },
  });
}

export const saveNewRunAction = (engine: Engine, id: string, action: RunAction): Promise<void> =>
  engine.store.write(() => ({
    steps: [],
    keeps: [{ space: RUN_ACTION_SPACE.name, key: createRunKey(engine, id), value: action }],
    occurrences: [{ kind: "run.assigned", subject: id, data: { agent: action.agent } }],
    result: undefined,
  }));

export const dropRunAction = (engine: Engine, id: string, outcome: string): Promise<void> =>
  engine.store.write(() => ({
    steps: [],
    keeps: [
      ...[RUN_ACTION_SPACE, ...(engine.store.isTeam === true ? [OFFER_SPACE] : [])].map(({ name: space }) => ({
        space,
        key: createRunKey(engine, id),
      })),
      { space: STOP_SPACE.name, key: createCheckoutKey(engine.checkout, id) },
    ],
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
/** Everything that a worker needs to know of an action. Keyed like the action. */
export interface ActionOffer {
  readonly role: RoadmapRole;
  readonly about: string;
  readonly files: readonly string[];
  readonly isReview: boolean;
  readonly brief: string;
  /** The pushed branch to start from. */
  readonly branch: string;
}
export const OFFER_SPACE: LedgerSpace<ActionOffer> = { name: "run-offer" };

/** A clone that takes actions of others' runs, and the tags of agents with a worktree there. Keyed by checkout. */
export interface TeamWorker {
  readonly at: string;
  readonly agents: Readonly<Record<string, number>>;
  readonly work: Readonly<Record<string, string>>;
}
export const WORKER_SPACE: LedgerSpace<TeamWorker> = { name: "run-worker" };

/** A worker that was killed finds its leftovers by this note. */
function planWorkerNote(tree: StoreTree, { checkout }: Engine, id: string, tag = ""): LedgerEntry[] {
  const known = tree.kept(WORKER_SPACE).get(checkout);
  const value = known && { ...known, work: { ...known.work, [id]: tag } };
  return value ? [{ space: WORKER_SPACE.name, key: checkout, value }] : [];
}

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

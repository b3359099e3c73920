import { covers } from "#domain/workflow/locks.ts";
import type { Snapshot, WorkflowRecord } from "#domain/workflow/record.ts";
import { Fault } from "#domain/fault.ts";
import type { Engine } from "../../engine.ts";
import type { ComingFile } from "../../ports/snapshots.ts";
import type { Draft } from "./draft.ts";
import type { Runtime } from "./runtime.ts";

/** Of each workflow so many are kept, and as many of those that take rollbacks back. */
const MOST = 5;
const MOST_PATHS = 200;

const counterOf = (id: string): string => `snapshot ${id}`;

/** Nothing outside git: there a workflow has no snapshots, and says so when it is asked to roll back. */
export async function takeSnapshot(
  engine: Pick<Engine, "store" | "snapshots" | "clock" | "checkout">,
  runtime: Runtime,
  state: WorkflowRecord,
  why: Snapshot["why"],
  coming?: ComingFile,
): Promise<Snapshot | undefined> {
  const { snapshots, store } = engine;
  if (!(await snapshots.isPossible())) return undefined;
  // A number of its own before the ref is made, so that two at once do not meet under one name.
  const n = await store.write((tree) => {
    const next = tree.counter(counterOf(state.id)) + 1;
    return { steps: [], occurrences: [], counters: { [counterOf(state.id)]: next }, result: next };
  });
  const taken = await snapshots.take(state.id, n, `${state.id} at ${state.current_stage}`, coming);
  const before = snapshotsOf(runtime, state.id).at(-1);
  // Git cleans up what no ref names.
  const isThere = before !== undefined && (await snapshots.has(before.commit));
  const changed = isThere ? await snapshots.between(before.tree, taken.tree) : [];
  const own = runtime.locks.filter(({ workflow }) => workflow === state.id);
  const isOwn = (path: string): boolean => own.some((lock) => covers(lock, path));
  return {
    workflow: state.id,
    n,
    stage: state.current_stage,
    why,
    at: engine.clock.now(),
    checkout: engine.checkout,
    ...taken,
    files_modified: changed
      .map(({ path }) => path)
      .filter(isOwn)
      .slice(0, MOST_PATHS),
    state,
  };
}

/** Of one workflow, oldest first, without those that a rollback set aside. */
export const snapshotsOf = (runtime: Runtime, id: string): Snapshot[] =>
  runtime.snapshots
    .filter(({ workflow, dropped_by }) => workflow === id && dropped_by === undefined)
    .toSorted((a, b) => a.n - b.n);

/** Keeps a snapshot; the oldest of its sort goes where there are too many, unless it is still needed. */
export function keepSnapshot(draft: Draft, snapshot: Snapshot | undefined, needed?: number): Snapshot[] {
  if (!snapshot) return [];
  draft.putSnapshot(snapshot);
  moveBase(draft, snapshot);
  draft.say("workflow.snapshot", snapshot.workflow, { n: snapshot.n, why: snapshot.why, stage: snapshot.stage });
  const all = [...draft.runtime.snapshots, snapshot].filter(({ workflow }) => workflow === snapshot.workflow);
  const isSafety = snapshot.why === "safety";
  const alike = all.filter(({ why, dropped_by }) => (why === "safety") === isSafety && dropped_by === undefined);
  // What was kept before a fix goes first: gates that are tried often must not use up the stages to go back to.
  const rank = ({ why, n }: Snapshot): number => (why === "fix" ? n - Number.MAX_SAFE_INTEGER : n);
  const spare = alike.filter(({ n }) => n !== needed && n !== snapshot.n).toSorted((a, b) => rank(a) - rank(b));
  const oldest = spare.slice(0, Math.max(0, alike.length - MOST));
  // What only a safety snapshot could bring back goes with it.
  const gone = [...oldest, ...all.filter(({ dropped_by }) => oldest.some(({ n }) => n === dropped_by))];
  for (const each of gone) draft.dropSnapshot(each);
  return gone;
}

/** A write that is refused keeps none of the snapshots that were taken for it. */
export async function withSnapshots<T>(
  engine: Dropping,
  taken: readonly (Snapshot | undefined)[],
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    // One that is only not finished yet still needs them.
    const isRefused = error instanceof Fault && error.code !== "store.pending";
    if (isRefused)
      await dropRefs(
        engine,
        taken.filter((each) => each !== undefined),
      );
    throw error;
  }
}

type Dropping = Pick<Engine, "snapshots" | "notice">;

/** What differs is looked for since the last snapshot, for that has a ref and will not be cleaned up. */
function moveBase(draft: Draft, { workflow, checkout, tree }: Snapshot): void {
  for (const { id } of draft.runtime.sessions.values()) {
    const known = draft.session(id);
    if (known?.current === workflow && known.tree !== undefined && known.checkout === checkout)
      draft.putSession({ ...known, tree });
  }
}

/** After the write: what the ledger no longer knows needs no ref. */
export function dropRefs(engine: Dropping, gone: readonly Snapshot[]): Promise<void> {
  return unhindered(engine, async () => {
    for (const { workflow, n } of gone) await engine.snapshots.drop(workflow, n);
  });
}

/** Of a workflow that has ended: also refs go that somebody who was killed had made and never told of. */
export function dropEveryRef(engine: Dropping, id: string): Promise<void> {
  return unhindered(engine, async () => {
    if (await engine.snapshots.isPossible()) await engine.snapshots.dropAll(id);
  });
}

/** A ref that stays behind harms nobody, so it makes no failure of what is done. */
async function unhindered(engine: Dropping, drop: () => Promise<void>): Promise<void> {
  try {
    await drop();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    engine.notice(`The ref of a snapshot stays behind. ${error.why}`);
  }
}

/** A workflow that has ended needs none of its snapshots. */
export function forgetSnapshots(draft: Draft, id: string): void {
  for (const each of draft.runtime.snapshots) if (each.workflow === id) draft.dropSnapshot(each);
}

import type * as z from "zod";
import { countSecondsBetween, formatDuration } from "#domain/day.ts";
import { Fault } from "#domain/fault.ts";
import { overlap } from "#domain/workflow/glob.ts";
import { isHeld } from "#domain/workflow/locks.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import { NOBODY } from "#domain/workflow/session-name.ts";
import { isUnfinished } from "#domain/workflow/workflow.ts";
import { commit, type Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import type { LockedTree, Plan } from "../ports/store.ts";
import { Draft } from "./running/draft.ts";
import { snapshotsOf } from "./running/keeping-files.ts";
import { lockOwnWork, ownWork, type OwnWork, withOwnWork } from "./running/own-work.ts";
import { refuseRolling } from "./running/rolling-back.ts";
import { chooseWorkflow, type Runtime, runtimeIn, sessionIn, standingIn } from "./running/runtime.ts";
import { takeUp } from "./running/taking-up.ts";
import { warnOfTime } from "./running/time.ts";
import { listed, nextCalls, nextStage, viewWorkflow, workflowPage } from "./running/view.ts";
import { bringUpToDate } from "./running/writing.ts";
import type { Resume, Resumed } from "./schema.ts";

type Input = z.infer<typeof Resume>;
type Output = z.infer<typeof Resumed>;

export const resume = operation<Input, Output>({
  id: "workflow.resume",
  effect: "change",
  input: async () => (await import("./schema.ts")).Resume,
  output: async () => (await import("./schema.ts")).Resumed,
  async run(engine, input) {
    await bringUpToDate(engine);
    const session = sessionIn(engine, input.session);
    const before = await engine.store.read(runtimeIn);
    const record = chooseInterrupted(before, input.id, session);
    const { session: vanished } = standingIn(before, record.id);
    refuseTaken(before, record.id, session, input.take_over ?? false);
    const seen = await ownWork(engine, before, vanished?.id ?? session);
    const work = await lookAtFiles(engine, withOwnWork(before, seen), record);
    const taking = { session, isTakingOver: input.take_over ?? false, files: work.tree, work: seen };
    const { resumed, notes } = await commit(engine, (tree) => takeOver(tree, engine, record.id, taking));
    const after = await engine.store.read(runtimeIn);
    return {
      workflow: viewWorkflow(resumed, after, session, engine.clock.now()),
      session,
      ...(vanished && vanished.id !== session ? { interrupted_session: vanished.id } : {}),
      last_activity: vanished?.seen_at ?? record.updated_at,
      uncommitted: work.uncommitted,
      since_snapshot: work.since,
      next: await nextStage(engine, resumed),
      notes: [
        ...notes,
        `Last seen ${formatDuration(countSecondsBetween(vanished?.seen_at ?? record.updated_at, engine.clock.now()))} ago.`,
      ],
    };
  },
  page: ({ workflow, uncommitted, since_snapshot, next, notes }) => ({
    ...workflowPage(`${workflow.id} goes on at stage ${workflow.stage}. No file was changed.`, workflow),
    points: [
      uncommitted.length > 0 ? `Not committed: ${listed(uncommitted)}` : "Everything of it is committed.",
      ...(since_snapshot.length > 0 ? [`Changed since its last snapshot: ${listed(since_snapshot)}`] : []),
      ...notes,
    ],
    guide: next.guide,
    next: nextCalls(workflow),
  }),
});

function chooseInterrupted(runtime: Runtime, id: string | undefined, session: string): WorkflowRecord {
  const interrupted = [...runtime.workflows.values()].filter(
    (record) => isUnfinished(record) && standingIn(runtime, record.id).standing === "interrupted",
  );
  const only = interrupted.length === 1 ? interrupted[0]?.id : undefined;
  const record = chooseWorkflow(runtime, { id: id ?? only, session }, "workflow.resume");
  if (isUnfinished(record)) return record;
  throw ended(record);
}

function ended({ id, status }: WorkflowRecord): Fault {
  return new Fault("flow.not-active", {
    what: `${id} cannot go on.`,
    why: `It is ${status}.`,
    fix: { operation: "workflow.status" },
  });
}

function refuseTaken(runtime: Runtime, id: string, session: string, isTakingOver: boolean): void {
  const lease = runtime.lease(id);
  if (isTakingOver || !lease?.isLive || lease.holder === session) return;
  throw new Fault("lease.lost", {
    what: `${id} was not taken over.`,
    why: `Session ${lease.holder} is at work on it.`,
    fix: [
      { operation: "workflow.status", input: { id } },
      { operation: "workflow.resume", input: { id, take_over: true } },
    ],
  });
}

function takeOver(
  tree: LockedTree,
  engine: Engine,
  id: string,
  { session, isTakingOver, files, work }: Taking,
): Plan<{ resumed: WorkflowRecord; notes: string[] }> {
  const draft = new Draft(runtimeIn(tree), engine.clock.now());
  refuseRolling(tree, id);
  const record = chooseWorkflow(draft.runtime, { id, session }, "workflow.resume");
  if (!isUnfinished(record)) throw ended(record);
  refuseTaken(draft.runtime, id, session, isTakingOver);
  const { session: vanished } = standingIn(draft.runtime, id);
  // Shell edits of the vanished session belong to the workflow, as edits seen by hooks do.
  if (work?.workflow === id) lockOwnWork(draft, work);
  if (vanished && vanished.id !== session && vanished.id !== NOBODY) {
    draft.putSession({ ...vanished, ended_at: draft.at });
  }
  takeUp(draft, id, { session, checkout: engine.checkout, tree: files });
  const isOther = vanished !== undefined && vanished.id !== session;
  draft.say("workflow.resumed", id, { session, ...(isOther ? { taken_over: vanished.id } : {}) });
  const notes = warnOfTime(draft, id);
  return draft.plan({ resumed: draft.workflow(id) ?? record, notes });
}

interface Taking {
  readonly session: string;
  readonly isTakingOver: boolean;
  readonly files: string | undefined;
  readonly work: OwnWork | undefined;
}

async function lookAtFiles(
  engine: Engine,
  runtime: Runtime,
  { id }: WorkflowRecord,
): Promise<{ uncommitted: string[]; since: string[]; tree?: string }> {
  if (!(await engine.snapshots.isPossible())) return { uncommitted: [], since: [] };
  const tree = await engine.snapshots.tree();
  const own = runtime.locks.filter((lock) => lock.workflow === id && isHeld(lock));
  const isOwn = (path: string): boolean => own.some((lock) => overlap(lock.path, path));
  const last = snapshotsOf(runtime, id).at(-1);
  const since = last ? (await engine.snapshots.between(last.tree, tree)).map(({ path }) => path) : [];
  return { uncommitted: (await engine.snapshots.uncommitted()).filter(isOwn), since: since.filter(isOwn), tree };
}

import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import type { Lock, Snapshot, WorkflowRecord } from "#domain/workflow/record.ts";
import { idsInMessage, planRollback, type RollbackPlan } from "#domain/workflow/rollback.ts";
import { specFile } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import { dropRefs, keepSnapshot, snapshotsOf, takeSnapshot, withSnapshots } from "./running/keeping-files.ts";
import { lockOwnWork, ownWork } from "./running/own-work.ts";
import { alone, carryOut, refuseObstacle } from "./running/rolling-back.ts";
import { chooseWorkflow, type Runtime, runtimeIn, sessionIn } from "./running/runtime.ts";
import { listed, nextCalls, refuseElsewhere, viewWorkflow, workflowPage } from "./running/view.ts";
import { bringUpToDate, mayBeWritten, writeFor } from "./running/writing.ts";
import type { Rollback, RolledBack } from "./schema.ts";
import { noGit } from "./snapshot.ts";
import type { PendingRollback } from "./spaces.ts";

type Input = z.infer<typeof Rollback>;
type Output = z.infer<typeof RolledBack>;

/** The planned rollback. Its token is valid only while nothing has changed. */
interface Prepared extends RollbackPlan {
  readonly runtime: Runtime;
  readonly record: WorkflowRecord;
  readonly target: Snapshot;
  readonly tree: string;
  readonly planWith: (locks: readonly Lock[]) => RollbackPlan;
  readonly token: string;
}

export const rollback = operation<Input, Output>({
  id: "workflow.rollback",
  effect: "destroy",
  input: async () => (await import("./schema.ts")).Rollback,
  output: async () => (await import("./schema.ts")).RolledBack,
  async run(engine, input) {
    await bringUpToDate(engine);
    const session = sessionIn(engine, input.session);
    const prepared = await prepare(engine, input, session);
    if (input.confirm === undefined) return show(engine, prepared, session, { done: false, foreign: [] });
    refuseOther(input.confirm, prepared, input.keep_overlaps ?? false);
    return carryOutPlan(engine, prepared, session);
  },
  page({ done, workflow, to, restored, deleted, kept, overlaps, foreign, token, undo, notes }) {
    const goal = `stage ${to.stage} as of ${to.timestamp}`;
    const page = workflowPage(
      done ? `${workflow.id} is back at ${goal}.` : `${workflow.id} would go back to ${goal}. Nothing is changed yet.`,
      workflow,
    );
    return {
      ...page,
      points: [
        ...pointsOf(done ? "Restored" : "To restore", restored),
        ...pointsOf(done ? "Deleted" : "To delete", deleted),
        ...pointsOf("Not this workflow's, left alone", kept),
        ...overlaps.map(({ path, with: others }) => `${path} was changed by ${others.join(" and ")} too.`),
        ...pointsOf("Changed meanwhile, left alone", foreign),
        ...notes,
      ],
      next: [
        ...(token === undefined
          ? []
          : [
              {
                operation: "workflow.rollback",
                input: {
                  id: workflow.id,
                  snapshot: to.snapshot,
                  ...(overlaps.length > 0 ? { keep_overlaps: true } : {}),
                  confirm: token,
                },
              },
            ]),
        ...(done ? nextCalls(workflow) : []),
        ...(undo ? ["To take the rollback back:", { operation: "workflow.rollback", input: undo }] : []),
      ],
    };
  },
});

const pointsOf = (label: string, paths: readonly string[]): string[] =>
  paths.length === 0 ? [] : [`${label}: ${listed(paths)}`];

/** Edits made by a shell belong to the workflow, as edits seen by hooks do. */
async function seeOwnWork(engine: Engine, id: string, session: string): Promise<void> {
  const work = await ownWork(engine, await engine.store.read(runtimeIn), session);
  if (work?.workflow !== id || work.paths.length === 0) return;
  await writeFor(engine, { id, session }, (draft) => lockOwnWork(draft, work));
}

async function prepare(engine: Engine, input: Input, session: string): Promise<Prepared> {
  const before = await engine.store.read(runtimeIn);
  const { id } = chooseWorkflow(before, { id: input.id, session }, "workflow.rollback");
  refuseElsewhere(engine, mayBeWritten(before, id, session));
  if (!(await engine.snapshots.isPossible())) throw noGit(engine, id);
  await refuseObstacle(engine.snapshots, `${id} was not rolled back.`);
  await seeOwnWork(engine, id, session);
  const runtime = await engine.store.read(runtimeIn);
  const record = mayBeWritten(runtime, id, session);
  const target = chooseSnapshot(runtime, record, input);
  if (!(await engine.snapshots.has(target.commit))) throw lost(id, target);
  if (target.checkout !== engine.checkout) throw elsewhere(id, target);
  const tree = await engine.snapshots.tree();
  const differences = (await engine.snapshots.between(tree, target.commit)).map(({ path, to }) => ({
    path,
    wasThere: to !== undefined,
  }));
  const commits = (await engine.snapshots.commitsSince(target.head)).map(({ subject, body, paths }) => ({
    paths,
    // Skips text that only looks like an id, such as SHA-256.
    ids: idsInMessage(`${subject}\n${body}`).filter((named) => runtime.workflows.has(named)),
  }));
  const spec = specFile(id);
  const planWith: Prepared["planWith"] = (locks) =>
    planRollback({ id, since: target.at, differences, locks, commits, spec });
  const plan = planWith(runtime.locks);
  const token = engine.digest(JSON.stringify([id, target.n, tree, record.current_stage, plan])).slice(0, 16);
  return { ...plan, runtime, record, target, tree, planWith, token };
}

function chooseSnapshot(runtime: Runtime, record: WorkflowRecord, { stage, snapshot }: Input): Snapshot {
  const all = snapshotsOf(runtime, record.id);
  const found =
    snapshot === undefined
      ? all.findLast((each) => each.stage === stage && each.why !== "safety")
      : all.find(({ n }) => n === snapshot);
  if (found && (stage !== undefined || snapshot !== undefined)) return found;
  const known = all.map(({ n, stage: at, why }) => `${n} (${at}, ${why})`);
  const to = snapshot === undefined ? `to stage ${quote(stage ?? "", 40)}` : `to snapshot ${snapshot}`;
  const isUnsaid = snapshot === undefined && stage === undefined;
  throw new Fault("snapshot.unknown", {
    what: isUnsaid ? `Where ${record.id} shall go back to was not said.` : `${record.id} cannot go back ${to}.`,
    why: known.length === 0 ? "It has no snapshots." : `Its snapshots are ${known.join(", ")}.`,
    fix:
      known.length === 0
        ? { operation: "workflow.snapshot", input: { id: record.id } }
        : { operation: "workflow.rollback", input: { id: record.id, snapshot: all.at(-1)?.n } },
  });
}

function refuseOther(confirm: string, { token, record, target, overlaps }: Prepared, isKeeping: boolean): void {
  const again = { operation: "workflow.rollback", input: { id: record.id, snapshot: target.n } };
  if (confirm !== token) {
    throw new Fault("rollback.void", {
      what: `${record.id} was not rolled back.`,
      why: "The plan that was agreed to no longer holds: files or the workflow changed since, or it was for another snapshot.",
      fix: again,
    });
  }
  if (overlaps.length === 0 || isKeeping) return;
  throw new Fault("rollback.overlap", {
    what: `${record.id} was not rolled back.`,
    why: `${overlaps.map(({ path, with: others }) => `${path} was changed by ${others.join(" and ")} too`).join("; ")}.`,
    fix: { operation: "workflow.rollback", input: { ...again.input, keep_overlaps: true, confirm: token } },
  });
}

/** Takes a safety snapshot first, so that the rollback can be undone. */
async function carryOutPlan(engine: Engine, prepared: Prepared, session: string): Promise<Output> {
  const { record, target, runtime } = prepared;
  const safety = await takeSnapshot(engine, runtime, record, "safety");
  if (!safety) throw noGit(engine, record.id);
  const pending: PendingRollback = {
    workflow: record.id,
    checkout: engine.checkout,
    root: engine.root,
    from: safety.commit,
    to: target.commit,
    paths: [...prepared.restored, ...prepared.deleted],
    n: target.n,
    safety: safety.n,
    at: engine.clock.now(),
  };
  const begin = (): Promise<Snapshot[]> =>
    writeFor(engine, { id: record.id, session }, (draft) => {
      if (safety.tree !== prepared.tree || !isAsItWas(draft.runtime, prepared)) refuseOther("", prepared, true);
      const dropped = keepSnapshot(draft, safety, target.n);
      draft.putRollback(record.id, pending);
      return dropped;
    });
  const { gone, foreign } = await withSnapshots(engine, [safety], () =>
    alone(engine, async () => {
      const dropped = await begin();
      return { gone: dropped, ...(await carryOut(engine, engine.snapshots, pending)) };
    }),
  );
  await dropRefs(engine, gone);
  return show(engine, prepared, session, { done: true, foreign, safety: safety.n });
}

function isAsItWas(now: Runtime, { record, runtime, planWith, ...prepared }: Prepared): boolean {
  const numbers = (from: Runtime): string => JSON.stringify(snapshotsOf(from, record.id).map(({ n }) => n));
  const { restored, deleted, kept, overlaps } = prepared;
  const isSamePlan = JSON.stringify(planWith(now.locks)) === JSON.stringify({ restored, deleted, kept, overlaps });
  const stage = now.workflows.get(record.id)?.current_stage;
  return isSamePlan && stage === record.current_stage && numbers(now) === numbers(runtime);
}

async function show(
  engine: Engine,
  { record, target, restored, deleted, kept, overlaps, token }: Prepared,
  session: string,
  { done, foreign, safety }: { readonly done: boolean; readonly foreign: readonly string[]; readonly safety?: number },
): Promise<Output> {
  const runtime = await engine.store.read(runtimeIn);
  const now = runtime.workflows.get(record.id) ?? record;
  const isTouched = (path: string): boolean => !foreign.includes(path);
  return {
    done,
    workflow: viewWorkflow(now, runtime, session, engine.clock.now()),
    to: { snapshot: target.n, stage: target.stage, timestamp: target.at },
    restored: restored.filter(isTouched),
    deleted: deleted.filter(isTouched),
    kept: [...kept],
    overlaps: overlaps.map(({ path, with: others }) => ({ path, with: [...others] })),
    foreign: [...foreign],
    ...(done ? {} : { token }),
    ...(safety === undefined ? {} : { undo: { id: record.id, snapshot: safety } }),
    notes: done
      ? ["No branch was moved, and no commit was made. Later snapshots are set aside until this is taken back."]
      : [`${formatCount(restored.length + deleted.length, "path")} would change; a snapshot is taken first.`],
  };
}

function elsewhere(id: string, { n, checkout }: Snapshot): Fault {
  return new Fault("workflow.elsewhere", {
    what: `${id} cannot go back to snapshot ${n} here.`,
    why: `It kept the files of another checkout: ${quote(checkout, 60)}.`,
    fix: "Run it there: git worktree list",
  });
}

function lost(id: string, { n }: Snapshot): Fault {
  return new Fault("snapshot.unknown", {
    what: `${id} cannot go back to snapshot ${n}.`,
    why: `Git no longer has what refs/tenon/${id}/${n} kept.`,
    fix: { operation: "workflow.status", input: { id } },
  });
}

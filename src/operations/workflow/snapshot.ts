import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import type { Snapshot } from "#domain/workflow/record.ts";
import { refuseFenced } from "#domain/workflow/sessions.ts";
import { commit, type Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import type { LockedTree, Plan } from "../store.ts";
import { foldJournal } from "./fold.ts";
import { Draft } from "./running/draft.ts";
import { dropRefs, keepSnapshot, takeSnapshot, withSnapshots } from "./running/keeping-files.ts";
import { lockOwnWork, ownWork, withOwnWork } from "./running/own-work.ts";
import { finishRollbacks, refuseRolling } from "./running/rolling-back.ts";
import { chooseWorkflow, runtimeIn, sessionIn } from "./running/runtime.ts";
import { beSeen } from "./running/taking-up.ts";
import { refuseOverdue } from "./running/time.ts";
import { listed } from "./running/view.ts";
import type { SnapshotRequest, SnapshotTaken } from "./schema.ts";

export const snapshot = operation<z.infer<typeof SnapshotRequest>, z.infer<typeof SnapshotTaken>>({
  id: "workflow.snapshot",
  effect: "append",
  input: async () => (await import("./schema.ts")).SnapshotRequest,
  output: async () => (await import("./schema.ts")).SnapshotTaken,
  async run(engine, { id, session: said }) {
    await finishRollbacks(engine);
    await foldJournal(engine);
    const session = sessionIn(engine, said);
    const runtime = await engine.store.read(runtimeIn);
    const record = chooseWorkflow(runtime, { id, session }, "workflow.snapshot");
    if (record.status !== "active") throw ended(record.id, record.status);
    refuseFenced(record.id, session, runtime.sessions, runtime.lease(record.id));
    refuseOverdue(record, `${record.id} was not kept.`, engine.clock.now());
    const work = await ownWork(engine, runtime, session);
    const taken = await takeSnapshot(engine, withOwnWork(runtime, work), record, "request");
    if (!taken) throw noGit(engine, record.id);
    const decide = (tree: LockedTree): Plan<Snapshot[]> => {
      const draft = new Draft(runtimeIn(tree), engine.clock.now());
      refuseRolling(tree, record.id);
      refuseFenced(record.id, session, draft.runtime.sessions, draft.runtime.lease(record.id));
      if (draft.workflow(record.id)?.status !== "active") throw ended(record.id, "ended meanwhile");
      beSeen(draft, session);
      lockOwnWork(draft, work?.workflow === record.id ? work : undefined);
      return draft.plan(keepSnapshot(draft, taken));
    };
    const gone = await withSnapshots(engine, [taken], () => commit(engine, decide));
    await dropRefs(engine, gone);
    return {
      id: record.id,
      snapshot: taken.n,
      stage: taken.stage,
      timestamp: taken.at,
      files_modified: [...taken.files_modified],
      ref: `refs/tenon/${record.id}/${taken.n}`,
    };
  },
  page: ({ id, snapshot: n, stage, files_modified, ref }) => ({
    title: `Snapshot ${n} of ${id} is kept, at stage ${stage}.`,
    facts: [["ref", ref], ...(files_modified.length > 0 ? [["changed", listed(files_modified)] as const] : [])],
    next: [{ operation: "workflow.rollback", input: { id, snapshot: n } }],
  }),
});

function ended(id: string, status: string): Fault {
  return new Fault("flow.not-active", {
    what: `${id} was not kept.`,
    why: `It is ${status}.`,
    fix: { operation: "workflow.status", input: { all: true } },
  });
}

/** Snapshots are trees in git, so there are none without it. */
export function noGit({ root }: Pick<Engine, "root">, id: string): Fault {
  return new Fault("workspace.no-git", {
    what: `${id} has no snapshots.`,
    why: `${root} is in no git repository with working files.`,
    fix: "git init",
  });
}

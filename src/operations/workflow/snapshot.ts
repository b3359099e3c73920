import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import type { Snapshot } from "#domain/workflow/record.ts";
import type { Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import { dropRefs, keepSnapshot, takeSnapshot, withSnapshots } from "./running/keeping-files.ts";
import { lockOwnWork, ownWork, withOwnWork } from "./running/own-work.ts";
import { chooseWorkflow, runtimeIn, sessionIn } from "./running/runtime.ts";
import { refuseOverdue, warnOfTime } from "./running/time.ts";
import { listed, refuseElsewhere } from "./running/view.ts";
import { bringUpToDate, mayBeWritten, writeFor } from "./running/writing.ts";
import type { SnapshotRequest, SnapshotTaken } from "./schema.ts";

export const snapshot = operation<z.infer<typeof SnapshotRequest>, z.infer<typeof SnapshotTaken>>({
  id: "workflow.snapshot",
  effect: "append",
  input: async () => (await import("./schema.ts")).SnapshotRequest,
  output: async () => (await import("./schema.ts")).SnapshotTaken,
  async run(engine, { id, session: said }) {
    await bringUpToDate(engine);
    const session = sessionIn(engine, said);
    const runtime = await engine.store.read(runtimeIn);
    const chosen = chooseWorkflow(runtime, { id, session }, "workflow.snapshot");
    const record = mayBeWritten(runtime, chosen.id, session);
    refuseElsewhere(engine, record);
    refuseOverdue(record, `No snapshot of ${record.id} was taken.`, engine.clock.now());
    const work = await ownWork(engine, runtime, session);
    const taken = await takeSnapshot(engine, withOwnWork(runtime, work), record, "request");
    if (!taken) throw noGit(engine, record.id);
    const write = (): Promise<Snapshot[]> =>
      writeFor(engine, { id: record.id, session }, (draft) => {
        lockOwnWork(draft, work?.workflow === record.id ? work : undefined);
        warnOfTime(draft, record.id);
        return keepSnapshot(draft, taken);
      });
    const gone = await withSnapshots(engine, [taken], write);
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

export function noGit({ root }: Pick<Engine, "root">, id: string): Fault {
  return new Fault("workspace.no-git", {
    what: `${id} has no snapshots.`,
    why: `${root} is in no git repository with working files.`,
    fix: "git init",
  });
}

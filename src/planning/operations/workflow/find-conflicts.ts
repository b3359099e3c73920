import type { PlanningEngine } from "../engine.ts";
import type * as z from "zod";
import { findLockConflicts } from "../../model/workflow/file-locks.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { loadFoldedRuntime } from "./fold-journal.ts";
import { formatLockHolder, listLockHolders, createConflictReport } from "./workflow-view.ts";
import { resolveQueueItem } from "./workflow-runtime.ts";
import type { FindConflictsInput, FindConflictsOutput } from "./schema.ts";

export const findConflictsOperation = defineOperation<
  z.infer<typeof FindConflictsInput>,
  z.infer<typeof FindConflictsOutput>,
  PlanningEngine
>({
  id: "workflow.conflicts",
  effect: "read",
  input: async () => (await import("./schema.ts")).FindConflictsInput,
  output: async () => (await import("./schema.ts")).FindConflictsOutput,
  async run(engine: PlanningEngine, { a, b }) {
    const runtime = await loadFoldedRuntime(engine);
    for (const id of [a, b]) resolveQueueItem(runtime, id);
    const report = createConflictReport(runtime, a, b);
    const met = findLockConflicts(
      report.conflicting_files,
      "",
      runtime.locks.filter(({ workflow }) => workflow === a || workflow === b),
    );
    return { ...report, conflicting_files: [...report.conflicting_files], holders: listLockHolders(met, runtime) };
  },
  page: ({ conflict, conflicting_files, current_workflow, target_workflow, holders }) => ({
    title: conflict
      ? `${current_workflow} and ${target_workflow} meet on ${conflicting_files.join(", ")}.`
      : `${current_workflow} and ${target_workflow} share no file.`,
    points: holders.map(formatLockHolder),
  }),
  isRefusal: ({ conflict }) => conflict,
});

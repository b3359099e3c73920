import type * as z from "zod";
import { conflictsWith } from "#domain/workflow/locks.ts";
import { operation } from "../operation.ts";
import { foldedRuntime } from "./fold.ts";
import { holderLine, holdersOf, reportConflict } from "./running/conflict.ts";
import { chooseItem } from "./running/runtime.ts";
import type { Conflicts, ConflictsFound } from "./schema.ts";

export const conflicts = operation<z.infer<typeof Conflicts>, z.infer<typeof ConflictsFound>>({
  id: "workflow.conflicts",
  effect: "read",
  input: async () => (await import("./schema.ts")).Conflicts,
  output: async () => (await import("./schema.ts")).ConflictsFound,
  async run(engine, { a, b }) {
    const runtime = await foldedRuntime(engine);
    for (const id of [a, b]) chooseItem(runtime, id);
    const report = reportConflict(runtime, a, b);
    const met = conflictsWith(
      report.conflicting_files,
      "",
      runtime.locks.filter(({ workflow }) => workflow === a || workflow === b),
    );
    return { ...report, conflicting_files: [...report.conflicting_files], holders: holdersOf(met, runtime) };
  },
  page: ({ conflict, conflicting_files, current_workflow, target_workflow, holders }) => ({
    title: conflict
      ? `${current_workflow} and ${target_workflow} meet on ${conflicting_files.join(", ")}.`
      : `${current_workflow} and ${target_workflow} share no file.`,
    points: holders.map(holderLine),
  }),
  isRefusal: ({ conflict }) => conflict,
});

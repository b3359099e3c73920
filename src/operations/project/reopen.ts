import type * as z from "zod";
import { reopenProjectStage } from "#domain/project/project.ts";
import { commitStoreWrite } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import type { ProjectReopen, ProjectReopened } from "./schema.ts";
import { createProjectRecordStep, requireProjectRecord } from "./record.ts";
import { createProjectOccurrences } from "./shelf.ts";
import { listNextProjectCalls, loadOpenProjectStage, formatProjectPage, createProjectView } from "./view.ts";

export const reopenProjectOperation = defineOperation<z.infer<typeof ProjectReopen>, z.infer<typeof ProjectReopened>>({
  id: "project.reopen",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectReopen,
  output: async () => (await import("./schema.ts")).ProjectReopened,
  async run(engine, { stage, reason }) {
    const record = await commitStoreWrite(engine, (tree) => {
      const [reopened, effects] = reopenProjectStage(
        requireProjectRecord(tree),
        stage,
        reason.trim(),
        engine.clock.now(),
      );
      const happened = createProjectOccurrences(reopened, effects).map((occurrence) =>
        occurrence.kind === "project.stage-opened"
          ? { ...occurrence, data: { ...occurrence.data, reason } }
          : occurrence,
      );
      return { steps: [createProjectRecordStep(reopened)], occurrences: happened, result: reopened };
    });
    const next = await loadOpenProjectStage(engine, record);
    if (!next) throw new RangeError("A project that was reopened has a stage that is open.");
    const stale = record.stages.flatMap((entry) => (entry.status === "stale" ? [entry.name] : []));
    return { project: createProjectView(record), stale, next };
  },
  page: ({ project, next }) => ({
    ...formatProjectPage(`Stage ${next.stage} is open again.`, project),
    guide: next.guide,
    next: listNextProjectCalls(project),
  }),
});

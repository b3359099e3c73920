import type { PlanningEngine } from "../engine.ts";
import { reopenProjectStage } from "../../model/project/project-lifecycle.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { createProjectRecordStep, requireProjectRecord } from "./project-record-file.ts";
import { createProjectOccurrences } from "./project-document-files.ts";
import { listNextProjectCalls, loadOpenProjectStage, formatProjectPage, createProjectView } from "./project-stage.ts";

export const reopenProjectOperation = defineOperation({
  id: "project.reopen",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectReopen,
  output: async () => (await import("./schema.ts")).ProjectReopened,
  async run(engine: PlanningEngine, { stage, reason }) {
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

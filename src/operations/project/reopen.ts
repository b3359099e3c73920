import type * as z from "zod";
import { reopenStage } from "#domain/project/project.ts";
import { commit } from "../engine.ts";
import { operation } from "../operation.ts";
import type { ProjectReopen, ProjectReopened } from "./schema.ts";
import { projectStep, theProject } from "./record.ts";
import { occurrences } from "./shelf.ts";
import { nextCalls, nextStage, projectPage, viewProject } from "./view.ts";

export const reopenProject = operation<z.infer<typeof ProjectReopen>, z.infer<typeof ProjectReopened>>({
  id: "project.reopen",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectReopen,
  output: async () => (await import("./schema.ts")).ProjectReopened,
  async run(engine, { stage, reason }) {
    const record = await commit(engine, (tree) => {
      const [reopened, effects] = reopenStage(theProject(tree), stage, reason.trim(), engine.clock.now());
      const happened = occurrences(reopened, effects).map((occurrence) =>
        occurrence.kind === "project.stage-opened"
          ? { ...occurrence, data: { ...occurrence.data, reason } }
          : occurrence,
      );
      return { steps: [projectStep(reopened)], occurrences: happened, result: reopened };
    });
    const next = await nextStage(engine, record);
    if (!next) throw new RangeError("A project that was reopened has a stage that is open.");
    const stale = record.stages.flatMap((entry) => (entry.status === "stale" ? [entry.name] : []));
    return { project: viewProject(record), stale, next };
  },
  page: ({ project, next }) => ({
    ...projectPage(`Stage ${next.stage} is open again.`, project),
    guide: next.guide,
    next: nextCalls(project),
  }),
});

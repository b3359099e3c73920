import type * as z from "zod";
import { count } from "#domain/count.ts";
import { inWaves, planTasks } from "#domain/project/plan.ts";
import { operation } from "../operation.ts";
import type { ProjectTasks, StageEnded } from "./schema.ts";
import { completeStage, endedPage, textProblems, tidy } from "./stage.ts";

export const tasks = operation<z.infer<typeof ProjectTasks>, z.infer<typeof StageEnded>>({
  id: "project.tasks",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectTasks,
  output: async () => (await import("./schema.ts")).StageEnded,
  run: (engine, input) =>
    completeStage(engine, "tasks", () => {
      const { total_tasks, ...said } = tidy(input);
      const planned = planTasks(`## Tasks\n\n${said.tasks}`);
      const waves = inWaves(planned);
      const isOff = total_tasks !== undefined && total_tasks !== planned.length;
      return {
        values: {
          tasks: said.tasks,
          acceptance_criteria: said.acceptance_criteria ?? "",
          summary: `${count(planned.length, "task")} in ${count(waves.length, "wave")}. Effort: ${said.estimated_effort}`,
          waves: waves.map((ids, i) => `- Wave ${i + 1}: ${ids.join(", ")}`).join("\n"),
        },
        problems: [
          ...textProblems(said, 3),
          ...(isOff
            ? [{ problem: `total_tasks says ${total_tasks}, but there are ${planned.length} tasks with an id.` }]
            : []),
        ],
        waves,
      };
    }),
  page: endedPage,
  isRefusal: (output) => !output.passed,
});

import type { PlanningEngine } from "../engine.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { groupTasksByWave, planTaskWaves } from "../../model/project/design-coverage.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import {
  completeProjectStage,
  formatStageResultPage,
  findInputTextProblems,
  normalizeInputTexts,
} from "./project-stage.ts";

export const projectTasksOperation = defineOperation({
  id: "project.tasks",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectTasks,
  output: async () => (await import("./schema.ts")).StageEnded,
  run: (engine: PlanningEngine, input) =>
    completeProjectStage(engine, "tasks", () => {
      const { total_tasks, ...said } = normalizeInputTexts(input);
      const planned = planTaskWaves(`## Tasks\n\n${said.tasks}`);
      const waves = groupTasksByWave(planned);
      const isOff = total_tasks !== undefined && total_tasks !== planned.length;
      return {
        values: {
          tasks: said.tasks,
          acceptance_criteria: said.acceptance_criteria ?? "",
          summary: `${formatCount(planned.length, "task")} in ${formatCount(waves.length, "wave")}. Effort: ${said.estimated_effort}`,
          waves: waves.map((ids, i) => `- Wave ${i + 1}: ${ids.join(", ")}`).join("\n"),
        },
        problems: [
          ...findInputTextProblems(said, 3),
          ...(isOff
            ? [{ problem: `total_tasks says ${total_tasks}, but there are ${planned.length} tasks with an id.` }]
            : []),
        ],
        waves,
      };
    }),
  page: formatStageResultPage,
  isRefusal: (output) => !output.passed,
});

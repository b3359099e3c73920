import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import {
  completeProjectStage,
  formatStageResultPage,
  findInputTextProblems,
  normalizeInputTexts,
} from "./project-stage.ts";

export const proposeProjectOperation = defineOperation({
  id: "project.propose",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectPropose,
  output: async () => (await import("./schema.ts")).StageEnded,
  run: (engine: PlanningEngine, input) =>
    completeProjectStage(engine, "propose", (_, { name }) => {
      const values = normalizeInputTexts(input);
      return { values: { open_questions: "", ...values, name }, problems: findInputTextProblems(values, 3) };
    }),
  page: formatStageResultPage,
  isRefusal: (output) => !output.passed,
});

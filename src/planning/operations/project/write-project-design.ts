import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import {
  completeProjectStage,
  formatStageResultPage,
  findInputTextProblems,
  normalizeInputTexts,
} from "./project-stage.ts";

export const designProjectOperation = defineOperation({
  id: "project.design",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectDesign,
  output: async () => (await import("./schema.ts")).StageEnded,
  run: (engine: PlanningEngine, input) =>
    completeProjectStage(engine, "design", () => {
      const said = normalizeInputTexts(input);
      const optional = { api_contracts: "", infrastructure: "", security: "", quality_analysis: "" };
      return { values: { ...optional, ...said }, problems: findInputTextProblems(said, 3) };
    }),
  page: formatStageResultPage,
  isRefusal: (output) => !output.passed,
});

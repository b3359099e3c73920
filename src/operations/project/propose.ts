import type * as z from "zod";
import { defineOperation } from "../operation.ts";
import type { ProjectPropose, StageEnded } from "./schema.ts";
import { completeProjectStage, formatStageResultPage, findInputTextProblems, normalizeInputTexts } from "./stage.ts";

export const proposeProjectOperation = defineOperation<z.infer<typeof ProjectPropose>, z.infer<typeof StageEnded>>({
  id: "project.propose",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectPropose,
  output: async () => (await import("./schema.ts")).StageEnded,
  run: (engine, input) =>
    completeProjectStage(engine, "propose", (_, { name }) => {
      const values = normalizeInputTexts(input);
      return { values: { open_questions: "", ...values, name }, problems: findInputTextProblems(values, 3) };
    }),
  page: formatStageResultPage,
  isRefusal: (output) => !output.passed,
});

import type * as z from "zod";
import { operation } from "../operation.ts";
import type { ProjectDesign, StageEnded } from "./schema.ts";
import { completeStage, endedPage, textProblems, tidy } from "./stage.ts";

export const design = operation<z.infer<typeof ProjectDesign>, z.infer<typeof StageEnded>>({
  id: "project.design",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectDesign,
  output: async () => (await import("./schema.ts")).StageEnded,
  run: (engine, input) =>
    completeStage(engine, "design", () => {
      const said = tidy(input);
      const optional = { api_contracts: "", infrastructure: "", security: "", quality_analysis: "" };
      return { values: { ...optional, ...said }, problems: textProblems(said, 3) };
    }),
  page: endedPage,
  isRefusal: (output) => !output.passed,
});

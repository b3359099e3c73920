import type * as z from "zod";
import { operation } from "../operation.ts";
import type { ProjectPropose, StageEnded } from "./schema.ts";
import { completeStage, endedPage, textProblems, tidy } from "./stage.ts";

export const propose = operation<z.infer<typeof ProjectPropose>, z.infer<typeof StageEnded>>({
  id: "project.propose",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectPropose,
  output: async () => (await import("./schema.ts")).StageEnded,
  run: (engine, input) =>
    completeStage(engine, "propose", (_, { name }) => {
      const values = tidy(input);
      return { values: { open_questions: "", ...values, name }, problems: textProblems(values, 3) };
    }),
  page: endedPage,
  isRefusal: (output) => !output.passed,
});

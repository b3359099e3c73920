import type * as z from "zod";
import { numberConstraints } from "#domain/project/business-rules.ts";
import { renderItems } from "#domain/project/items.ts";
import { removedPart } from "#domain/project/document.ts";
import { operation } from "../operation.ts";
import type { ProjectRules, StageEnded } from "./schema.ts";
import { documentText, givenIds } from "./shelf.ts";
import { completeStage, endedPage, textProblems, tidy } from "./stage.ts";

export const businessRules = operation<z.infer<typeof ProjectRules>, z.infer<typeof StageEnded>>({
  id: "project.business-rules",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectRules,
  output: async () => (await import("./schema.ts")).StageEnded,
  run: (engine, input) =>
    completeStage(engine, "business-rules", (tree, record) => {
      const { constraints, definitions, facts, derivations = "", glossary = "" } = tidy(input);
      const before = documentText(tree, "business-rules");
      const given = givenIds(tree, record);
      const { items, problems } = numberConstraints(constraints, before, given);
      const rules = renderItems(items);
      const removed = removedPart(before ?? "");
      return {
        values: { definitions, facts, rules, derivations, glossary, removed },
        problems: [
          ...textProblems({ constraints }, 7),
          ...textProblems({ definitions, facts, derivations, glossary }, 3),
          ...problems,
        ],
        items,
        kept: { ids: [...new Set([...record.ids, ...given.taken, ...items.map(({ id }) => id)])] },
      };
    }),
  page: endedPage,
  isRefusal: (output) => !output.passed,
});

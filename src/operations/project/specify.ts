import type * as z from "zod";
import { numberRequirements } from "#domain/project/requirements.ts";
import { removedPart } from "#domain/project/document.ts";
import { operation } from "../operation.ts";
import type { ProjectSpecify, StageEnded } from "./schema.ts";
import { documentText, givenIds } from "./shelf.ts";
import { completeStage, endedPage, textProblems, tidy } from "./stage.ts";

const LISTS = ["must_have", "should_have", "could_have", "wont_have", "non_functional"];

export const specify = operation<z.infer<typeof ProjectSpecify>, z.infer<typeof StageEnded>>({
  id: "project.specify",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectSpecify,
  output: async () => (await import("./schema.ts")).StageEnded,
  run: (engine, input) =>
    completeStage(engine, "specify", (tree, record) => {
      const said = tidy(input);
      const before = documentText(tree, "specify");
      const given = givenIds(tree, record);
      const lists = {
        must: said.must_have,
        should: said.should_have,
        could: said.could_have,
        wont: said.wont_have,
        qualities: said.non_functional,
      };
      const { requirements, texts, problems } = numberRequirements(lists, before, given);
      const { constraints = "", assumptions = "", dependencies = "" } = said;
      const ids = requirements.map(({ id }) => id);
      return {
        values: { ...texts, constraints, assumptions, dependencies, removed: removedPart(before ?? "") },
        problems: [...textProblems(said, 7, LISTS), ...textProblems(said, 3), ...problems],
        items: requirements,
        kept: { ids: [...new Set([...record.ids, ...given.taken, ...ids])] },
      };
    }),
  page: endedPage,
  isRefusal: (output) => !output.passed,
});

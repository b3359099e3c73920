import type { PlanningEngine } from "../engine.ts";
import { assignRequirementIds } from "../../model/project/requirement-items.ts";
import { extractRemovedSection } from "../../model/project/project-document.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { readStageDocument, collectAssignedIds } from "./project-document-files.ts";
import {
  completeProjectStage,
  formatStageResultPage,
  findInputTextProblems,
  normalizeInputTexts,
} from "./project-stage.ts";

const REQUIREMENT_FIELDS = ["must_have", "should_have", "could_have", "wont_have", "non_functional"];

export const specifyProjectOperation = defineOperation({
  id: "project.specify",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectSpecify,
  output: async () => (await import("./schema.ts")).StageEnded,
  run: (engine: PlanningEngine, input) =>
    completeProjectStage(engine, "specify", (tree, record) => {
      const said = normalizeInputTexts(input);
      const before = readStageDocument(tree, "specify");
      const given = collectAssignedIds(tree, record);
      const lists = {
        must: said.must_have,
        should: said.should_have,
        could: said.could_have,
        wont: said.wont_have,
        qualities: said.non_functional,
      };
      const { requirements, texts, problems } = assignRequirementIds(lists, before, given);
      const { constraints = "", assumptions = "", dependencies = "" } = said;
      const ids = requirements.map(({ id }) => id);
      return {
        values: { ...texts, constraints, assumptions, dependencies, removed: extractRemovedSection(before ?? "") },
        problems: [
          ...findInputTextProblems(said, 7, REQUIREMENT_FIELDS),
          ...findInputTextProblems(said, 3),
          ...problems,
        ],
        items: requirements,
        kept: { ids: [...new Set([...record.ids, ...given.taken, ...ids])] },
      };
    }),
  page: formatStageResultPage,
  isRefusal: (output) => !output.passed,
});

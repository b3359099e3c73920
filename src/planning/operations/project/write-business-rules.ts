import type { PlanningEngine } from "../engine.ts";
import { assignConstraintIds } from "../../model/project/requirement-items.ts";
import { renderNumberedItems } from "../../model/project/requirement-lists.ts";
import { extractRemovedSection } from "../../model/project/project-document.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { readStageDocument, collectAssignedIds } from "./project-document-files.ts";
import {
  completeProjectStage,
  formatStageResultPage,
  findInputTextProblems,
  normalizeInputTexts,
} from "./project-stage.ts";

export const businessRulesOperation = defineOperation({
  id: "project.business-rules",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectRules,
  output: async () => (await import("./schema.ts")).StageEnded,
  run: (engine: PlanningEngine, input) =>
    completeProjectStage(engine, "business-rules", (tree, record) => {
      const { constraints, definitions, facts, derivations = "", glossary = "" } = normalizeInputTexts(input);
      const before = readStageDocument(tree, "business-rules");
      const given = collectAssignedIds(tree, record);
      const { items, problems } = assignConstraintIds(constraints, before, given);
      const rules = renderNumberedItems(items);
      const removed = extractRemovedSection(before ?? "");
      return {
        values: { definitions, facts, rules, derivations, glossary, removed },
        problems: [
          ...findInputTextProblems({ constraints }, 7),
          ...findInputTextProblems({ definitions, facts, derivations, glossary }, 3),
          ...problems,
        ],
        items,
        kept: { ids: [...new Set([...record.ids, ...given.taken, ...items.map(({ id }) => id)])] },
      };
    }),
  page: formatStageResultPage,
  isRefusal: (output) => !output.passed,
});

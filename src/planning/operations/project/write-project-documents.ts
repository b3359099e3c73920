import type { ZodType } from "zod";
import type { PlanningEngine } from "../engine.ts";
import type { ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { groupTasksByWave, planTaskWaves } from "../../model/project/design-coverage.ts";
import { extractRemovedSection } from "../../model/project/project-document.ts";
import type { ProjectRecord } from "../../model/project/project-record.ts";
import { assignConstraintIds, assignRequirementIds } from "../../model/project/requirement-items.ts";
import { renderNumberedItems } from "../../model/project/requirement-lists.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { readStageDocument, collectAssignedIds } from "./project-document-files.ts";
import {
  completeProjectStage,
  findInputTextProblems,
  formatStageResultPage,
  normalizeInputTexts,
  type StageDraft,
} from "./project-stage.ts";

const loadSchemas = () => import("./schema.ts");

const defineStageOperation = <Input extends object>(
  stage: ProjectDocumentStage,
  input: () => Promise<ZodType<Input>>,
  makeDraft: (said: Input, tree: StoreTree, record: ProjectRecord) => StageDraft,
) =>
  defineOperation({
    id: `project.${stage}`,
    effect: "change",
    input,
    output: async () => (await loadSchemas()).StageEnded,
    run: (engine: PlanningEngine, given: Input) =>
      completeProjectStage(engine, stage, (tree, record) => makeDraft(normalizeInputTexts(given), tree, record)),
    page: formatStageResultPage,
    isRefusal: (output) => !output.passed,
  });

export const proposeProjectOperation = defineStageOperation(
  "propose",
  async () => (await loadSchemas()).ProjectPropose,
  (said, _, { name }) => ({
    values: { open_questions: "", ...said, name },
    problems: findInputTextProblems(said, 3),
  }),
);

const REQUIREMENT_FIELDS = ["must_have", "should_have", "could_have", "wont_have", "non_functional"];

export const specifyProjectOperation = defineStageOperation(
  "specify",
  async () => (await loadSchemas()).ProjectSpecify,
  (said, tree, record) => {
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
    return {
      values: { ...texts, constraints, assumptions, dependencies, removed: extractRemovedSection(before ?? "") },
      problems: [...findInputTextProblems(said, 7, REQUIREMENT_FIELDS), ...findInputTextProblems(said, 3), ...problems],
      items: requirements,
      kept: { ids: [...new Set([...record.ids, ...given.taken, ...requirements.map(({ id }) => id)])] },
    };
  },
);

export const businessRulesOperation = defineStageOperation(
  "business-rules",
  async () => (await loadSchemas()).ProjectRules,
  ({ constraints, ...said }, tree, record) => {
    const before = readStageDocument(tree, "business-rules");
    const given = collectAssignedIds(tree, record);
    const { items, problems } = assignConstraintIds(constraints, before, given);
    const rules = renderNumberedItems(items);
    return {
      values: { derivations: "", glossary: "", ...said, rules, removed: extractRemovedSection(before ?? "") },
      problems: [...findInputTextProblems({ constraints }, 7), ...findInputTextProblems(said, 3), ...problems],
      items,
      kept: { ids: [...new Set([...record.ids, ...given.taken, ...items.map(({ id }) => id)])] },
    };
  },
);

export const designProjectOperation = defineStageOperation(
  "design",
  async () => (await loadSchemas()).ProjectDesign,
  (said) => ({
    values: { api_contracts: "", infrastructure: "", security: "", quality_analysis: "", ...said },
    problems: findInputTextProblems(said, 3),
  }),
);

export const projectTasksOperation = defineStageOperation(
  "tasks",
  async () => (await loadSchemas()).ProjectTasks,
  ({ total_tasks, ...said }) => {
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
  },
);

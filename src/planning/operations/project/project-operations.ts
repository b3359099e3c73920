import type * as z from "zod";
import type { PlanningEngine } from "../engine.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { type ProjectDocumentStage, PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";
import { formatCount, quote, sanitizeText } from "#kernel/model/text-format.ts";
import { renderTemplate, type TemplateValues } from "#kernel/model/template.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { PROJECT_RECORD_PATH, getProjectDocumentPath } from "#kernel/model/workspace-paths.ts";
import {
  describeUncoveredMusts,
  groupTasksByWave,
  parseDesignComponents,
  planTaskWaves,
} from "../../model/project/design-coverage.ts";
import {
  checkProjectDocument,
  extractRemovedSection,
  listRequirementIds,
  listRuleIds,
} from "../../model/project/project-document.ts";
import { beginProject, reopenProjectStage, requireOpenProjectStage } from "../../model/project/project-lifecycle.ts";
import type { ProjectRecord } from "../../model/project/project-record.ts";
import {
  assignConstraintIds,
  assignRequirementIds,
  parseRequirementItems,
} from "../../model/project/requirement-items.ts";
import { type NumberedItem, renderNumberedItems } from "../../model/project/requirement-lists.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { createFlowOccurrences, formatRefusalPage } from "../stage-end.ts";
import { planFoundationSteps } from "../workspace-foundation.ts";
import {
  readStageDocument,
  collectAssignedIds,
  findMissingDocuments,
  loadDocumentReferences,
} from "./project-document-files.ts";
import { createProjectRecordStep, findProjectRecord, requireProjectRecord } from "./project-record-file.ts";
import {
  createProjectView,
  createStageVerdict,
  findInputTextProblems,
  formatProjectPage,
  listNextProjectCalls,
  loadOpenProjectStage,
  normalizeInputTexts,
  planProjectStageEnd,
} from "./project-stage.ts";
import type { StageEnded } from "./schema.ts";

const loadSchemas = () => import("./schema.ts");

export const initProjectOperation = defineOperation({
  id: "project.init",
  effect: "append",
  mayBegin: true,
  input: async () => (await loadSchemas()).ProjectInit,
  output: async () => (await loadSchemas()).ProjectBegun,
  async run(engine: PlanningEngine, { name, description, mode = "guided" }) {
    const config = await engine.assets.text("templates/config");
    const { record, ...paths } = await commitStoreWrite(engine, (tree) => {
      const known = findProjectRecord(tree);
      if (known) {
        throw new Fault("project.exists", {
          what: "The project was not started.",
          why: `${PROJECT_RECORD_PATH} exists already: ${quote(known.name, 60)}, at stage ${known.current_stage}.`,
          fix: { operation: "project.context" },
        });
      }
      const existing = PROJECT_DOCUMENT_STAGES.map(getProjectDocumentPath).filter((path) => tree.has(path));
      const begun = beginProject({ name, description, mode }, engine.clock.now());
      const files = planFoundationSteps(tree, config);
      return {
        steps: [...files, createProjectRecordStep(begun)],
        occurrences: [{ kind: "project.started", subject: begun.name, data: { mode, description } }],
        result: { record: begun, existing, created: [...files.map(({ path }) => path), PROJECT_RECORD_PATH] },
      };
    });
    return { ...(await showOpenedStage(engine, record)), ...paths };
  },
  page({ project, created, existing, next }) {
    const title = `Project ${quote(project.name)} started; stage ${next.stage} is open.`;
    return {
      ...formatProjectPage(title, project, next.guide),
      points: [
        ...created.map((path) => `${path} written`),
        ...existing.map(
          (path) => `${path} exists already: its ids stay in use, and its stage keeps a copy of the text.`,
        ),
      ],
    };
  },
});

export const reopenProjectOperation = defineOperation({
  id: "project.reopen",
  effect: "change",
  input: async () => (await loadSchemas()).ProjectReopen,
  output: async () => (await loadSchemas()).ProjectReopened,
  async run(engine: PlanningEngine, { stage, reason }) {
    const record = await commitStoreWrite(engine, (tree) => {
      const before = requireProjectRecord(tree);
      const [reopened, effects] = reopenProjectStage(before, stage, reason.trim(), engine.clock.now());
      return {
        steps: [createProjectRecordStep(reopened)],
        occurrences: createFlowOccurrences("project", before.name, effects, { "stage-opened": { reason } }),
        result: reopened,
      };
    });
    const stale = record.stages.flatMap((entry) => (entry.status === "stale" ? [entry.name] : []));
    return { ...(await showOpenedStage(engine, record)), stale };
  },
  page: ({ project, next }) => formatProjectPage(`Stage ${next.stage} is open again.`, project, next.guide),
});

async function showOpenedStage(engine: PlanningEngine, record: ProjectRecord) {
  const next = await loadOpenProjectStage(engine, record);
  if (!next) throw new RangeError("A project that was created or reopened has a stage that is open.");
  return { project: createProjectView(record), next };
}

interface StageDraft {
  readonly values: TemplateValues;
  readonly problems: readonly Problem[];
  readonly kept?: Partial<ProjectRecord>;
  readonly items?: readonly NumberedItem[];
  readonly waves?: string[][];
  readonly notes?: readonly string[];
}

const defineStageOperation = <Input extends object>(
  stage: ProjectDocumentStage,
  input: () => Promise<z.ZodType<Input>>,
  makeDraft: (said: Input, tree: StoreTree, record: ProjectRecord) => StageDraft,
) =>
  defineOperation({
    id: `project.${stage}`,
    effect: "change",
    input,
    output: async () => (await loadSchemas()).StageEnded,
    async run(engine: PlanningEngine, given: Input) {
      const template = await engine.assets.text(`templates/project/${stage}`);
      const { draft, ...outcome } = await commitStoreWrite(engine, (tree) => {
        const before = requireProjectRecord(tree);
        requireOpenProjectStage(before, stage);
        const made = makeDraft(normalizeInputTexts(given), tree, before);
        const text = renderTemplate(template, { guided: before.mode === "guided", ...made.values });
        const found = [
          ...findMissingDocuments(tree, before),
          ...made.problems,
          ...findHiddenItems(made.items ?? [], text),
          ...checkProjectDocument(stage, text, loadDocumentReferences(tree)),
        ];
        // The document is not written yet, so line numbers would mean nothing to the caller.
        const problems = [...new Set(found.map(({ problem }) => problem))].map((problem) => ({ problem }));
        const ending = { stage, text, kept: made.kept, problems, at: engine.clock.now() };
        const plan = planProjectStageEnd(tree, before, ending);
        return { ...plan, result: { ...plan.result, draft: made } };
      });
      return {
        ...(await createStageVerdict(engine, { ...outcome, stage })),
        ...(outcome.passed && draft.items ? { items: draft.items.map(({ id, text }) => ({ id, text })) } : {}),
        ...(outcome.passed && draft.waves ? { waves: draft.waves } : {}),
        ...(outcome.passed && draft.notes?.length ? { notes: [...draft.notes] } : {}),
      };
    },
    page: formatStageEndPage,
    isRefusal: (output) => !output.passed,
  });

/** An id inside a comment or code block is invisible to later stages. */
function findHiddenItems(items: readonly NumberedItem[], text: string): Problem[] {
  const shown = new Set([...listRequirementIds(text), ...listRuleIds(text)]);
  return items
    .filter(({ id }) => !shown.has(id))
    .map(({ id }) => ({ problem: `${id} is hidden in a comment or code block of the document: move it out.` }));
}

export function formatStageEndPage(output: z.infer<typeof StageEnded>): Page {
  const { passed, problems, project, document, items, waves = [], notes = [], next } = output;
  if (!passed)
    return formatRefusalPage(
      sanitizeText(project.name),
      project.current_stage,
      problems,
      listNextProjectCalls(project),
    );
  const state = next ? `stage ${next.stage} is open` : `the project is ${project.status}`;
  const page = formatProjectPage(`${document} is accepted; ${state}.`, project, next?.guide);
  return {
    ...page,
    facts: [
      ...page.facts,
      ...(items ? [["ids", items.map(({ id }) => id).join(", ")] as const] : []),
      ...waves.map((wave, i) => [`wave ${i + 1}`, wave.join(", ")] as const),
    ],
    points: [...page.points, ...notes],
  };
}

export const proposeProjectOperation = defineStageOperation(
  "propose",
  async () => (await loadSchemas()).ProjectPropose,
  (said, _, { name }) => ({ values: { open_questions: "", ...said, name }, problems: findInputTextProblems(said, 3) }),
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
    const { requirements: items, texts, problems } = assignRequirementIds(lists, before, given);
    const { constraints = "", assumptions = "", dependencies = "" } = said;
    return {
      values: { ...texts, constraints, assumptions, dependencies, removed: extractRemovedSection(before ?? "") },
      problems: [...findInputTextProblems(said, 7, REQUIREMENT_FIELDS), ...findInputTextProblems(said, 3), ...problems],
      items,
      kept: { ids: [...new Set([...record.ids, ...given.taken, ...items.map(({ id }) => id)])] },
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

const loadRequirements = (tree: StoreTree) => parseRequirementItems(readStageDocument(tree, "specify") ?? "");

export const designProjectOperation = defineStageOperation(
  "design",
  async () => (await loadSchemas()).ProjectDesign,
  (said, tree) => {
    const components = parseDesignComponents(`## Components\n\n${said.components}`);
    return {
      values: { api_contracts: "", infrastructure: "", security: "", quality_analysis: "", ...said },
      problems: findInputTextProblems(said, 3),
      notes: describeUncoveredMusts(
        loadRequirements(tree),
        "design",
        components.flatMap(({ carries }) => carries),
      ),
    };
  },
);

export const projectTasksOperation = defineStageOperation(
  "tasks",
  async () => (await loadSchemas()).ProjectTasks,
  ({ total_tasks: total, ...said }, tree) => {
    const planned = planTaskWaves(`## Tasks\n\n${said.tasks}`);
    const waves = groupTasksByWave(planned);
    const problem = `total_tasks is ${total}, but ${planned.length} tasks have an id.`;
    return {
      values: {
        tasks: said.tasks,
        acceptance_criteria: said.acceptance_criteria ?? "",
        summary: `${formatCount(planned.length, "task")} in ${formatCount(waves.length, "wave")}. Effort: ${said.estimated_effort}`,
        waves: waves.map((ids, i) => `- Wave ${i + 1}: ${ids.join(", ")}`).join("\n"),
      },
      problems: [
        ...findInputTextProblems(said, 3),
        ...(total === undefined || total === planned.length ? [] : [{ problem }]),
      ],
      waves,
      notes: describeUncoveredMusts(
        loadRequirements(tree),
        "tasks",
        planned.flatMap(({ covers }) => covers),
      ),
    };
  },
);

import { Fault } from "#kernel/model/fault.ts";
import { type Problem, createVerdict } from "#kernel/model/verdict.ts";
import { checkProjectDocument } from "../../model/project/project-document.ts";
import { PROJECT_STAGE_CALLS, type ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";
import { isOpenStageStale } from "#kernel/model/flow/flow-engine.ts";
import type { ProjectRecord } from "../../model/project/project-record.ts";
import { isMilderVerdict } from "../../model/project/design-coverage.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import { loadProjectTemplates, type ProjectTemplates, planClarityRound } from "./clarify-project.ts";
import {
  findLostIds,
  readStageDocument,
  collectAssignedIds,
  findMissingDocuments,
  loadDocumentReferences,
} from "./project-document-files.ts";
import { createProjectRecordStep, requireProjectRecord } from "./project-record-file.ts";
import {
  buildStageResult,
  createProjectView,
  formatProjectPage,
  formatStageResultPage,
  loadOpenProjectStage,
  planProjectStageEnd,
  type ProjectVerdictResult,
} from "./project-stage.ts";
import type { EngineClock } from "#kernel/operations/engine.ts";
import { createFlowOccurrences } from "../stage-end.ts";
import { reopenProjectStage } from "../../model/project/project-lifecycle.ts";

import { collectProjectFacts } from "./validate-project.ts";

export const reopenProjectOperation = defineOperation({
  id: "project.reopen",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectReopen,
  output: async () => (await import("./schema.ts")).ProjectReopened,
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
    const next = await loadOpenProjectStage(engine, record);
    if (!next) throw new RangeError("A project that was reopened has a stage that is open.");
    const stale = record.stages.flatMap((entry) => (entry.status === "stale" ? [entry.name] : []));
    return { project: createProjectView(record), stale, next };
  },
  page: ({ project, next }) => formatProjectPage(`Stage ${next.stage} is open again.`, project, next.guide),
});

export const confirmProjectOperation = defineOperation({
  id: "project.confirm",
  effect: "change",
  output: async () => (await import("./schema.ts")).StageEnded,
  async run(engine: PlanningEngine) {
    const templates = await loadProjectTemplates(engine);
    const outcome = await commitStoreWrite(engine, (tree) => planStageConfirmation(tree, templates, engine.clock));
    return buildStageResult(engine, outcome.stage, outcome);
  },
  page: formatStageResultPage,
  isRefusal: (output) => !output.passed,
});

/** Runs every check that a new document would go through. */
function planStageConfirmation(
  tree: StoreTree,
  templates: ProjectTemplates,
  clock: EngineClock,
): StorePlan<ProjectVerdictResult & { stage: ProjectDocumentStage }> {
  const before = requireProjectRecord(tree);
  const stage = before.current_stage as ProjectDocumentStage;
  const text = readStageDocument(tree, stage);
  if (before.status !== "active" || !isOpenStageStale(before) || !text?.trim()) throw createNothingStaleFault(before);
  const at = clock.now();
  if (stage === "clarify") {
    const { result, ...plan } = planClarityRound(tree, {}, templates, at);
    const { record, problems } = result;
    return { ...plan, result: { record, ...createVerdict(problems), stage } };
  }
  const problems = [
    ...findMissingDocuments(tree, before),
    ...checkProjectDocument(stage, text, loadDocumentReferences(tree)),
    ...findLostIds(tree, before, stage),
    ...(stage === "validate" ? checkStoredVerdict(tree, before, templates) : []),
  ];
  const kept = { ids: collectAssignedIds(tree, before).taken };
  const plan = planProjectStageEnd(tree, before, { stage, text, kept, problems }, { now: () => at });
  return { ...plan, result: { ...plan.result, stage } };
}

/**
 * The verdict was given on earlier documents. It still holds if the current facts support it; an override does not
 * carry over.
 */
function checkStoredVerdict(tree: StoreTree, record: ProjectRecord, templates: ProjectTemplates): Problem[] {
  const last = record.validations.at(-1);
  const facts = collectProjectFacts(tree, record, templates);
  if (last && last.verdict !== "FAIL" && !isMilderVerdict(last.verdict, facts.verdict)) return [];
  return [{ problem: `The documents now say ${facts.verdict}: validate them anew.` }];
}

function createNothingStaleFault(record: ProjectRecord): Fault {
  return new Fault("project.not-stale", {
    what: `Stage ${record.current_stage} has nothing to confirm.`,
    why: record.status === "active" ? "Its document is not stale, or not there." : `The project is ${record.status}.`,
    fix:
      record.status === "active"
        ? PROJECT_STAGE_CALLS[record.current_stage as ProjectDocumentStage]
        : { operation: "project.context" },
  });
}

import { Fault } from "#kernel/model/fault.ts";
import type { Problem } from "#kernel/model/verdict.ts";
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
import { requireProjectRecord } from "./project-record-file.ts";
import { buildStageResult, formatStageResultPage, planStageEnd } from "./project-stage.ts";
import { collectProjectFacts } from "./validate-project.ts";

interface ConfirmOutcome {
  readonly record: ProjectRecord;
  readonly problems: readonly Problem[];
  readonly stage: ProjectDocumentStage;
}

export const confirmProjectOperation = defineOperation({
  id: "project.confirm",
  effect: "change",
  output: async () => (await import("./schema.ts")).StageEnded,
  async run(engine: PlanningEngine) {
    const templates = await loadProjectTemplates(engine);
    const outcome = await commitStoreWrite(engine, (tree) => planStageConfirmation(tree, templates, engine));
    return buildStageResult(engine, outcome.stage, outcome);
  },
  page: formatStageResultPage,
  isRefusal: (output) => !output.passed,
});

/** Runs every check that a new document would go through. */
function planStageConfirmation(
  tree: StoreTree,
  templates: ProjectTemplates,
  engine: Pick<PlanningEngine, "clock">,
): StorePlan<ConfirmOutcome> {
  const before = requireProjectRecord(tree);
  const stage = before.current_stage as ProjectDocumentStage;
  const text = readStageDocument(tree, stage);
  if (before.status !== "active" || !isOpenStageStale(before) || !text?.trim()) throw createNothingStaleFault(before);
  const at = engine.clock.now();
  if (stage === "clarify") {
    const { result, ...plan } = planClarityRound(tree, {}, templates, at);
    return { ...plan, result: { ...result, stage } };
  }
  const problems = [
    ...findMissingDocuments(tree, before),
    ...checkProjectDocument(stage, text, loadDocumentReferences(tree)),
    ...findLostIds(tree, before, stage),
    ...(stage === "validate" ? checkStoredVerdict(tree, before, templates) : []),
  ];
  if (problems.length > 0) return { steps: [], occurrences: [], result: { record: before, problems, stage } };
  const kept = { ids: collectAssignedIds(tree, before).taken };
  const { record, ...plan } = planStageEnd(tree, before, { stage, text, kept }, at);
  return { ...plan, result: { record, problems: [], stage } };
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

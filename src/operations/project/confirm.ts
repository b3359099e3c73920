import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { checkProjectDocument } from "#domain/project/document.ts";
import { PROJECT_STAGE_CALLS, type ProjectDocumentStage } from "#domain/project/flow.ts";
import { isOpenStageStale } from "#domain/project/project.ts";
import type { ProjectRecord } from "#domain/project/record.ts";
import { isMilderVerdict } from "#domain/project/coverage.ts";
import { commitStoreWrite, type Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import type { StorePlan, StoreTree } from "../ports/store.ts";
import { loadProjectTemplates, type ProjectTemplates, planClarityRound } from "./clarify.ts";
import { findLostIds } from "./inspect.ts";
import type { StageEnded } from "./schema.ts";
import { requireProjectRecord } from "./record.ts";
import { readStageDocument, collectAssignedIds, findMissingDocuments, loadDocumentReferences } from "./shelf.ts";
import { buildStageResult, formatStageResultPage, planStageEnd } from "./stage.ts";
import { collectProjectFacts } from "./validate.ts";

interface ConfirmOutcome {
  readonly record: ProjectRecord;
  readonly problems: readonly Problem[];
  readonly stage: ProjectDocumentStage;
}

export const confirmProjectOperation = defineOperation<Record<string, never>, z.infer<typeof StageEnded>>({
  id: "project.confirm",
  effect: "change",
  output: async () => (await import("./schema.ts")).StageEnded,
  async run(engine) {
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
  engine: Pick<Engine, "clock">,
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

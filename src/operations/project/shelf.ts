import { listRemovedIds, listRequirementIds, listRuleIds, type DocumentReferences } from "#domain/project/document.ts";
import { type ProjectDocumentStage, PROJECT_DOCUMENT_STAGES } from "#domain/project/flow.ts";
import type { AssignedIds } from "#domain/project/items.ts";
import type { ProjectRecord } from "#domain/project/record.ts";
import type { FlowEffect } from "#domain/flow/transition.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { listNewIds } from "#domain/spec/check.ts";
import {
  STAGE_DOCUMENTS,
  CHANGES_FOLDER,
  HISTORY_FOLDER,
  getProjectDocumentPath,
  type ChangeShelf,
  SUPERSEDED_FOLDER,
  getSupersededDocumentPath,
} from "#domain/workspace/path.ts";
import { listWorkspaceDecisionIds } from "../adr/shelf.ts";
import { loadChangeRecords } from "../change/census.ts";
import type { StoreOccurrence, StoreStep, StoreTree } from "../ports/store.ts";
import { findNextArchiveNumber } from "../superseded.ts";

export const readStageDocument = (tree: StoreTree, stage: ProjectDocumentStage): string | undefined =>
  tree.text(getProjectDocumentPath(stage));

export function loadDocumentReferences(tree: StoreTree): DocumentReferences {
  return {
    requirements: readStageDocument(tree, "specify"),
    rules: readStageDocument(tree, "business-rules"),
    tasks: readStageDocument(tree, "tasks"),
    adrs: listWorkspaceDecisionIds(tree),
  };
}

export function collectAssignedIds(tree: StoreTree, record: ProjectRecord): AssignedIds {
  const requirements = readStageDocument(tree, "specify") ?? "";
  const rules = readStageDocument(tree, "business-rules") ?? "";
  const taken = new Set([
    ...record.ids,
    ...listRequirementIds(requirements),
    ...listRuleIds(rules),
    ...listArchivedChangeSpecIds(tree),
  ]);
  const claimed = listNewSpecIds(tree, CHANGES_FOLDER).filter((id) => !taken.has(id));
  return { taken: [...taken], removed: [...[requirements, rules].flatMap(listRemovedIds), ...claimed] };
}

/** Includes ids that are no longer in a document. */
export const listArchivedChangeSpecIds = (tree: StoreTree): string[] => listNewSpecIds(tree, HISTORY_FOLDER);

function listNewSpecIds(tree: StoreTree, shelf: ChangeShelf): string[] {
  return loadChangeRecords(tree, [shelf])
    .changes.filter(({ record }) => record.abandoned === undefined)
    .flatMap(({ record }) => (record.deltas ?? []).flatMap(listNewIds));
}

export function findMissingDocuments(tree: StoreTree, record: ProjectRecord): Problem[] {
  return PROJECT_DOCUMENT_STAGES.filter((stage) =>
    record.stages.some(({ name, status }) => name === stage && status === "completed"),
  )
    .map(getProjectDocumentPath)
    .filter((path) => (tree.text(path) ?? "").trim() === "")
    .map((path) => ({ problem: `${path} is missing or empty: restore it, or reopen its stage.` }));
}

/** Keeps the earlier text as superseded, including edits by hand. */
export function createStageDocumentSteps(
  tree: StoreTree,
  stage: ProjectDocumentStage,
  text: string,
  generated?: string,
): StoreStep[] {
  const before = readStageDocument(tree, stage);
  if (before === text) return [];
  const isWorthless = before === undefined || before === generated || before.trim() === "";
  return [
    ...(isWorthless ? [] : [createSupersededDocumentStep(tree, stage, before)]),
    { kind: "document", path: getProjectDocumentPath(stage), text },
  ];
}

function createSupersededDocumentStep(tree: StoreTree, stage: ProjectDocumentStage, text: string): StoreStep {
  const n = findNextArchiveNumber(tree, SUPERSEDED_FOLDER, STAGE_DOCUMENTS[stage]);
  return { kind: "document", path: getSupersededDocumentPath(stage, n), text };
}

export function createProjectOccurrences(record: ProjectRecord, effects: readonly FlowEffect[]): StoreOccurrence[] {
  return effects.map(({ kind, ...data }) => ({
    kind: `project.${kind.replace("flow-", "")}`,
    subject: record.name,
    ...(Object.keys(data).length > 0 ? { data } : {}),
  }));
}

import { listRemovedIds, listRequirementIds, listRuleIds, type DocumentReferences } from "#domain/project/document.ts";
import { type ProjectDocumentStage, PROJECT_DOCUMENT_STAGES } from "#domain/project/flow.ts";
import type { AssignedIds } from "#domain/project/items.ts";
import type { ProjectRecord } from "#domain/project/record.ts";
import type { FlowEffect } from "#domain/flow/transition.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { newIds } from "#domain/spec/check.ts";
import {
  DOCUMENTS,
  CHANGES,
  HISTORY,
  projectDocument,
  type Shelf,
  SUPERSEDED,
  supersededDocument,
} from "#domain/workspace/path.ts";
import { listWorkspaceDecisionIds } from "../adr/shelf.ts";
import { loadChangeRecords } from "../change/census.ts";
import type { Occurrence, Step, Tree } from "../ports/store.ts";
import { nextNumber } from "../superseded.ts";

export const readStageDocument = (tree: Tree, stage: ProjectDocumentStage): string | undefined =>
  tree.text(projectDocument(stage));

export function loadDocumentReferences(tree: Tree): DocumentReferences {
  return {
    requirements: readStageDocument(tree, "specify"),
    rules: readStageDocument(tree, "business-rules"),
    tasks: readStageDocument(tree, "tasks"),
    adrs: listWorkspaceDecisionIds(tree),
  };
}

export function collectAssignedIds(tree: Tree, record: ProjectRecord): AssignedIds {
  const requirements = readStageDocument(tree, "specify") ?? "";
  const rules = readStageDocument(tree, "business-rules") ?? "";
  const taken = new Set([
    ...record.ids,
    ...listRequirementIds(requirements),
    ...listRuleIds(rules),
    ...listArchivedChangeSpecIds(tree),
  ]);
  const claimed = listNewSpecIds(tree, CHANGES).filter((id) => !taken.has(id));
  return { taken: [...taken], removed: [...[requirements, rules].flatMap(listRemovedIds), ...claimed] };
}

/** Includes ids that are no longer in a document. */
export const listArchivedChangeSpecIds = (tree: Tree): string[] => listNewSpecIds(tree, HISTORY);

function listNewSpecIds(tree: Tree, shelf: Shelf): string[] {
  return loadChangeRecords(tree, [shelf])
    .changes.filter(({ record }) => record.abandoned === undefined)
    .flatMap(({ record }) => (record.deltas ?? []).flatMap(newIds));
}

export function findMissingDocuments(tree: Tree, record: ProjectRecord): Problem[] {
  return PROJECT_DOCUMENT_STAGES.filter((stage) =>
    record.stages.some(({ name, status }) => name === stage && status === "completed"),
  )
    .map(projectDocument)
    .filter((path) => (tree.text(path) ?? "").trim() === "")
    .map((path) => ({ problem: `${path} is missing or empty: restore it, or reopen its stage.` }));
}

/** Keeps the earlier text as superseded, including edits by hand. */
export function createStageDocumentSteps(
  tree: Tree,
  stage: ProjectDocumentStage,
  text: string,
  generated?: string,
): Step[] {
  const before = readStageDocument(tree, stage);
  if (before === text) return [];
  const isWorthless = before === undefined || before === generated || before.trim() === "";
  return [
    ...(isWorthless ? [] : [createSupersededDocumentStep(tree, stage, before)]),
    { kind: "document", path: projectDocument(stage), text },
  ];
}

function createSupersededDocumentStep(tree: Tree, stage: ProjectDocumentStage, text: string): Step {
  const n = nextNumber(tree, SUPERSEDED, DOCUMENTS[stage]);
  return { kind: "document", path: supersededDocument(stage, n), text };
}

export function createProjectOccurrences(record: ProjectRecord, effects: readonly FlowEffect[]): Occurrence[] {
  return effects.map(({ kind, ...data }) => ({
    kind: `project.${kind.replace("flow-", "")}`,
    subject: record.name,
    ...(Object.keys(data).length > 0 ? { data } : {}),
  }));
}

import type { Problem } from "#domain/gate/verdict.ts";
import {
  checkProjectDocument,
  findReferenceProblems,
  listRequirementIds,
  listRuleIds,
} from "#domain/project/document.ts";
import { PROJECT_DOCUMENT_STAGES, type ProjectDocumentStage } from "#domain/project/flow.ts";
import type { ProjectRecord } from "#domain/project/record.ts";
import { PROJECT_RECORD_PATH, getProjectDocumentPath } from "#domain/workspace/path.ts";
import { Fault } from "#domain/fault.ts";
import type { StoreTree } from "../ports/store.ts";
import { findProjectRecord } from "./record.ts";
import { listArchivedChangeSpecIds, readStageDocument, loadDocumentReferences } from "./shelf.ts";

interface ProjectDocumentProblem extends Problem {
  readonly path: string;
}

/** Compares the record with the documents. Without a record, checks only the references. */
export function inspectProjectDocuments(tree: StoreTree): { items: number; problems: ProjectDocumentProblem[] } {
  const record = tryReadProjectRecord(tree);
  if (!record) return inspectDocumentReferences(tree);
  if (typeof record === "string") return { items: 1, problems: [{ path: PROJECT_RECORD_PATH, problem: record }] };
  return { items: 1 + listCompletedStages(record).length, problems: findProjectProblems(tree, record) };
}

/** Rendered from the record, and quotes earlier states of the documents. */
const isRenderedStage = (stage: ProjectDocumentStage): boolean => stage === "clarify" || stage === "validate";

function inspectDocumentReferences(tree: StoreTree): { items: number; problems: ProjectDocumentProblem[] } {
  const around = loadDocumentReferences(tree);
  const present = PROJECT_DOCUMENT_STAGES.filter((stage) => !isRenderedStage(stage)).flatMap((stage) => {
    const text = readStageDocument(tree, stage);
    return text === undefined ? [] : [{ stage, text }];
  });
  const problems = present.flatMap(({ stage, text }) =>
    findReferenceProblems(stage, text, around).map((problem) => ({ path: getProjectDocumentPath(stage), ...problem })),
  );
  return { items: present.length, problems };
}

export function findProjectProblems(tree: StoreTree, record: ProjectRecord): ProjectDocumentProblem[] {
  const around = loadDocumentReferences(tree);
  return listCompletedStages(record).flatMap((stage): ProjectDocumentProblem[] => {
    const path = getProjectDocumentPath(stage);
    const text = readStageDocument(tree, stage);
    if (text === undefined) return [{ path, problem: "The stage is completed, but its document is missing." }];
    const found = isRenderedStage(stage) ? [] : checkProjectDocument(stage, text, around);
    return [...found, ...findLostIds(tree, record, stage)].map((problem) => ({ path, ...problem }));
  });
}

const listCompletedStages = (record: ProjectRecord): ProjectDocumentStage[] =>
  PROJECT_DOCUMENT_STAGES.filter((stage) =>
    record.stages.some(({ name, status }) => name === stage && status === "completed"),
  );

export function findLostIds(tree: StoreTree, record: ProjectRecord, stage: ProjectDocumentStage): Problem[] {
  if (stage !== "specify" && stage !== "business-rules") return [];
  const text = readStageDocument(tree, stage) ?? "";
  const isRule = stage === "business-rules";
  const present = new Set(isRule ? listRuleIds(text) : listRequirementIds(text));
  return [...new Set([...record.ids, ...listArchivedChangeSpecIds(tree)])]
    .filter((id) => id.startsWith("BR-") === isRule && !present.has(id))
    .map((id) => ({ problem: `${id} is gone: an id is kept, under "Removed" if need be.` }));
}

function tryReadProjectRecord(tree: StoreTree): ProjectRecord | string | undefined {
  try {
    return findProjectRecord(tree);
  } catch (error) {
    if (error instanceof Fault) return error.why;
    throw error;
  }
}

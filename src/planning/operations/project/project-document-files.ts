import * as projectDocument from "../../model/project/project-document.ts";
import { type ProjectDocumentStage, PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";
import type { AssignedIds } from "../../model/project/requirement-lists.ts";
import type { ProjectRecord } from "../../model/project/project-record.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { listNewIds } from "../../model/living-spec/delta-merge.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import { listWorkspaceDecisionIds } from "../adr/decision-files.ts";
import { loadChangeRecords } from "../change/change-records.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { catchFault } from "#kernel/model/fault.ts";
import { findProjectRecord } from "./project-record-file.ts";

export const readStageDocument = (tree: StoreTree, stage: ProjectDocumentStage): string | undefined =>
  tree.text(paths.getProjectDocumentPath(stage));

export const loadDocumentReferences = (tree: StoreTree): projectDocument.DocumentReferences => ({
  requirements: readStageDocument(tree, "specify"),
  rules: readStageDocument(tree, "business-rules"),
  tasks: readStageDocument(tree, "tasks"),
  adrs: listWorkspaceDecisionIds(tree),
});

export function collectAssignedIds(tree: StoreTree, record: ProjectRecord): AssignedIds {
  const requirements = readStageDocument(tree, "specify") ?? "";
  const rules = readStageDocument(tree, "business-rules") ?? "";
  const taken = new Set([
    ...record.ids,
    ...projectDocument.listRequirementIds(requirements),
    ...projectDocument.listRuleIds(rules),
    ...listArchivedChangeSpecIds(tree),
  ]);
  const claimed = listNewSpecIds(tree, paths.CHANGES_FOLDER).filter((id) => !taken.has(id));
  return { taken: [...taken], removed: [...[requirements, rules].flatMap(projectDocument.listRemovedIds), ...claimed] };
}

/** Includes ids that are no longer in a document. */
export const listArchivedChangeSpecIds = (tree: StoreTree): string[] => listNewSpecIds(tree, paths.HISTORY_FOLDER);

const listNewSpecIds = (tree: StoreTree, shelf: paths.ChangeShelf): string[] =>
  loadChangeRecords(tree, [shelf])
    .changes.filter(({ record }) => record.abandoned === undefined)
    .flatMap(({ record }) => (record.deltas ?? []).flatMap(listNewIds));

export const findMissingDocuments = (tree: StoreTree, record: ProjectRecord): Problem[] =>
  listCompletedStages(record)
    .map(paths.getProjectDocumentPath)
    .filter((path) => (tree.text(path) ?? "").trim() === "")
    .map((path) => ({ problem: `${path} is missing or empty: restore it, or reopen its stage.` }));

type ProjectDocumentProblem = Problem & { readonly path: string };

/** Compares the record with the documents. Without a record, checks only the references. */
export function inspectProjectDocuments(tree: StoreTree): { items: number; problems: ProjectDocumentProblem[] } {
  const record = catchFault(
    () => findProjectRecord(tree),
    ({ why }) => why,
  );
  if (typeof record === "string") return { items: 1, problems: [{ path: paths.PROJECT_RECORD_PATH, problem: record }] };
  if (record) return { items: 1 + listCompletedStages(record).length, problems: findProjectProblems(tree, record) };
  const around = loadDocumentReferences(tree);
  const present = PROJECT_DOCUMENT_STAGES.filter((stage) => !isRenderedStage(stage)).flatMap((stage) => {
    const text = readStageDocument(tree, stage);
    return text === undefined ? [] : [{ stage, text, path: paths.getProjectDocumentPath(stage) }];
  });
  const problems = present.flatMap(({ stage, text, path }) =>
    projectDocument.findReferenceProblems(stage, text, around).map((problem) => ({ path, ...problem })),
  );
  return { items: present.length, problems };
}

/** Rendered from the record, and quotes earlier states of the documents. */
const isRenderedStage = (stage: ProjectDocumentStage): boolean => stage === "clarify" || stage === "validate";

export function findProjectProblems(tree: StoreTree, record: ProjectRecord): ProjectDocumentProblem[] {
  const around = loadDocumentReferences(tree);
  return listCompletedStages(record).flatMap((stage): ProjectDocumentProblem[] => {
    const path = paths.getProjectDocumentPath(stage);
    const text = readStageDocument(tree, stage);
    if (text === undefined) return [{ path, problem: "The stage is completed, but its document is missing." }];
    const found = isRenderedStage(stage) ? [] : projectDocument.checkProjectDocument(stage, text, around);
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
  const present = new Set(isRule ? projectDocument.listRuleIds(text) : projectDocument.listRequirementIds(text));
  return [...new Set([...record.ids, ...listArchivedChangeSpecIds(tree)])]
    .filter((id) => id.startsWith("BR-") === isRule && !present.has(id))
    .map((id) => ({ problem: `${id} is missing: keep every id, under "Removed" if necessary.` }));
}

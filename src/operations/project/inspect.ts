import type { Problem } from "#domain/gate/verdict.ts";
import { checkDocument, referenceProblems, requirementIds, ruleIds } from "#domain/project/document.ts";
import { WRITTEN_STAGES, type WrittenStage } from "#domain/project/flow.ts";
import type { ProjectRecord } from "#domain/project/record.ts";
import { PROJECT, projectDocument } from "#domain/workspace/path.ts";
import { Fault } from "#domain/fault.ts";
import type { Tree } from "../ports/store.ts";
import { findProject } from "./record.ts";
import { broughtIds, documentText, neighbours } from "./shelf.ts";

interface PlacedProblem extends Problem {
  readonly path: string;
}

/** Compares the record with the documents. Without a record, checks only the references. */
export function inspectProject(tree: Tree): { items: number; problems: PlacedProblem[] } {
  const record = readable(tree);
  if (!record) return inspectDocuments(tree);
  if (typeof record === "string") return { items: 1, problems: [{ path: PROJECT, problem: record }] };
  return { items: 1 + doneStages(record).length, problems: projectProblems(tree, record) };
}

/** Rendered from the record, and quotes earlier states of the documents. */
const isOfRecord = (stage: WrittenStage): boolean => stage === "clarify" || stage === "validate";

function inspectDocuments(tree: Tree): { items: number; problems: PlacedProblem[] } {
  const around = neighbours(tree);
  const present = WRITTEN_STAGES.filter((stage) => !isOfRecord(stage)).flatMap((stage) => {
    const text = documentText(tree, stage);
    return text === undefined ? [] : [{ stage, text }];
  });
  const problems = present.flatMap(({ stage, text }) =>
    referenceProblems(stage, text, around).map((problem) => ({ path: projectDocument(stage), ...problem })),
  );
  return { items: present.length, problems };
}

export function projectProblems(tree: Tree, record: ProjectRecord): PlacedProblem[] {
  const around = neighbours(tree);
  return doneStages(record).flatMap((stage): PlacedProblem[] => {
    const path = projectDocument(stage);
    const text = documentText(tree, stage);
    if (text === undefined) return [{ path, problem: "The stage is completed, but its document is missing." }];
    const found = isOfRecord(stage) ? [] : checkDocument(stage, text, around);
    return [...found, ...lostIds(tree, record, stage)].map((problem) => ({ path, ...problem }));
  });
}

const doneStages = (record: ProjectRecord): WrittenStage[] =>
  WRITTEN_STAGES.filter((stage) => record.stages.some(({ name, status }) => name === stage && status === "completed"));

export function lostIds(tree: Tree, record: ProjectRecord, stage: WrittenStage): Problem[] {
  if (stage !== "specify" && stage !== "business-rules") return [];
  const text = documentText(tree, stage) ?? "";
  const isRule = stage === "business-rules";
  const present = new Set(isRule ? ruleIds(text) : requirementIds(text));
  return [...new Set([...record.ids, ...broughtIds(tree)])]
    .filter((id) => id.startsWith("BR-") === isRule && !present.has(id))
    .map((id) => ({ problem: `${id} is gone: an id is kept, under "Removed" if need be.` }));
}

function readable(tree: Tree): ProjectRecord | string | undefined {
  try {
    return findProject(tree);
  } catch (error) {
    if (error instanceof Fault) return error.why;
    throw error;
  }
}

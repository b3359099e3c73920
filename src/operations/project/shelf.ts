import { removedIds, requirementIds, ruleIds, type Neighbours } from "#domain/project/document.ts";
import { type WrittenStage, WRITTEN_STAGES } from "#domain/project/flow.ts";
import type { Given } from "#domain/project/items.ts";
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
import { knownAdrs } from "../adr/shelf.ts";
import { everyChange } from "../change/census.ts";
import type { Occurrence, Step, Tree } from "../ports/store.ts";
import { nextNumber } from "../superseded.ts";

export const documentText = (tree: Tree, stage: WrittenStage): string | undefined => tree.text(projectDocument(stage));

export function neighbours(tree: Tree): Neighbours {
  return {
    requirements: documentText(tree, "specify"),
    rules: documentText(tree, "business-rules"),
    tasks: documentText(tree, "tasks"),
    adrs: knownAdrs(tree),
  };
}

export function givenIds(tree: Tree, record: ProjectRecord): Given {
  const requirements = documentText(tree, "specify") ?? "";
  const rules = documentText(tree, "business-rules") ?? "";
  const taken = new Set([...record.ids, ...requirementIds(requirements), ...ruleIds(rules), ...broughtIds(tree)]);
  const claimed = newIdsIn(tree, CHANGES).filter((id) => !taken.has(id));
  return { taken: [...taken], removed: [...[requirements, rules].flatMap(removedIds), ...claimed] };
}

/** Includes ids that are no longer in a document. */
export const broughtIds = (tree: Tree): string[] => newIdsIn(tree, HISTORY);

function newIdsIn(tree: Tree, shelf: Shelf): string[] {
  return everyChange(tree, [shelf])
    .changes.filter(({ record }) => record.abandoned === undefined)
    .flatMap(({ record }) => (record.deltas ?? []).flatMap(newIds));
}

export function missingDocuments(tree: Tree, record: ProjectRecord): Problem[] {
  return WRITTEN_STAGES.filter((stage) =>
    record.stages.some(({ name, status }) => name === stage && status === "completed"),
  )
    .map(projectDocument)
    .filter((path) => (tree.text(path) ?? "").trim() === "")
    .map((path) => ({ problem: `${path} is missing or empty: restore it, or reopen its stage.` }));
}

/** Keeps the earlier text as superseded, including edits by hand. */
export function documentSteps(tree: Tree, stage: WrittenStage, text: string, generated?: string): Step[] {
  const before = documentText(tree, stage);
  if (before === text) return [];
  const isWorthless = before === undefined || before === generated || before.trim() === "";
  return [
    ...(isWorthless ? [] : [setAside(tree, stage, before)]),
    { kind: "document", path: projectDocument(stage), text },
  ];
}

function setAside(tree: Tree, stage: WrittenStage, text: string): Step {
  const n = nextNumber(tree, SUPERSEDED, DOCUMENTS[stage]);
  return { kind: "document", path: supersededDocument(stage, n), text };
}

export function occurrences(record: ProjectRecord, effects: readonly FlowEffect[]): Occurrence[] {
  return effects.map(({ kind, ...data }) => ({
    kind: `project.${kind.replace("flow-", "")}`,
    subject: record.name,
    ...(Object.keys(data).length > 0 ? { data } : {}),
  }));
}

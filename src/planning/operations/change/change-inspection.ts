import { checkChangeArtifact, type ArtifactReferences } from "../../model/change/change-artifact.ts";
import type { ChangeStage } from "#kernel/model/stages/change-stages.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { Config } from "#kernel/model/workspace-config.ts";
import {
  getChangeArtifactPath,
  getChangeRecordPath,
  HISTORY_FOLDER,
  BUSINESS_RULES_PATH,
  REQUIREMENTS_PATH,
} from "#kernel/model/workspace-paths.ts";
import { listChangeDecisions, hasDecisionFile, listWorkspaceDecisionIds } from "../adr/decision-files.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { StoredChange } from "./change-records.ts";
import type { ChangeRecord } from "../../model/change/change-record.ts";
import { listMentionedIds } from "#kernel/model/document/id-references.ts";

export interface LocatedProblem extends Problem {
  readonly path: string;
}

/** Compares a change's record with its files. `items` counts the checked documents. */
export function inspectStoredChange(
  tree: StoreTree,
  change: StoredChange,
  config: Config,
): { items: number; problems: LocatedProblem[] } {
  const { shelf, record } = change;
  const path = getChangeRecordPath(shelf, record.id);
  const problems: LocatedProblem[] = [];
  if ((record.status === "archived") !== (shelf === HISTORY_FOLDER)) {
    problems.push({ path, problem: `It is ${record.status} but stands in ${shelf}.` });
  }
  const files = new Set(listChangeDecisions(tree, change).map((place) => place.id as string));
  for (const id of record.adrs)
    if (!files.has(id)) problems.push({ path, problem: `${id} is listed, but its file is missing.` });
  let items = 0;
  for (const stage of record.stages.filter((entry) => entry.status === "completed")) {
    const artifact = getChangeArtifactPath(shelf, record.id, stage.name);
    const text = tree.text(artifact);
    items++;
    if (text === undefined) {
      problems.push({ path: artifact, problem: "The stage is completed, but its artifact is missing." });
      continue;
    }
    const around = loadArtifactReferences(tree, change, stage.name, config);
    const found = checkChangeArtifact(stage.name, text, around).problems;
    problems.push(...found.map((problem) => ({ path: artifact, ...problem })));
  }
  return { items, problems };
}

/** Leaves out the text of the stage itself: an artifact cannot define the ids it refers to. */
export function loadArtifactReferences(
  tree: StoreTree,
  change: StoredChange,
  stage: ChangeStage,
  config: Config,
): ArtifactReferences {
  const { shelf, record } = change;
  const text = (other: ChangeStage): string | undefined =>
    other === stage ? undefined : tree.text(getChangeArtifactPath(shelf, record.id, other));
  return {
    requirements: tree.text(REQUIREMENTS_PATH),
    rules: tree.text(BUSINESS_RULES_PATH),
    spec: text("spec"),
    tasks: text("tasks"),
    adrs: [...record.adrs, ...listWorkspaceDecisionIds(tree)],
    told: stage === "context-check" ? listContextCheckIds(record) : [],
    isAdr: (reference) => hasDecisionFile(tree, reference),
    headings: config.changes.headings[stage],
  };
}

function listContextCheckIds({ context_check }: ChangeRecord): string[] {
  const lines = (context_check?.facts ?? []).map(({ fact }, i) => ({ number: i + 1, text: fact }));
  return listMentionedIds(lines, "requirement", "rule", "task", "adr");
}

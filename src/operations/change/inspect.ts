import { checkChangeArtifact } from "#domain/change/artifact.ts";
import type { ChangeStage } from "#domain/change/flows.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import type { Config } from "#domain/workspace/config.ts";
import { getChangeArtifactPath, getChangeRecordPath, HISTORY_FOLDER } from "#domain/workspace/path.ts";
import { listChangeDecisions } from "../adr/shelf.ts";
import type { StoreTree } from "../ports/store.ts";
import { loadArtifactReferences } from "./artifact.ts";
import type { StoredChange } from "./census.ts";

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
    const artifact = getChangeArtifactPath(shelf, record.id, stage.name as ChangeStage);
    const text = tree.text(artifact);
    items++;
    if (text === undefined) {
      problems.push({ path: artifact, problem: "The stage is completed, but its artifact is missing." });
      continue;
    }
    const around = loadArtifactReferences(tree, change, stage.name as ChangeStage, config);
    const found = checkChangeArtifact(stage.name as ChangeStage, text, around).problems;
    problems.push(...found.map((problem) => ({ path: artifact, ...problem })));
  }
  return { items, problems };
}

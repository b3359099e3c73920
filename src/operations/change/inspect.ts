import { checkArtifact } from "#domain/change/artifact.ts";
import type { ChangeStage } from "#domain/change/flows.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import type { Config } from "#domain/workspace/config.ts";
import { changeArtifact, changeRecord, HISTORY } from "#domain/workspace/path.ts";
import { changeAdrPlaces } from "../adr/shelf.ts";
import type { Tree } from "../ports/store.ts";
import { surroundings } from "./artifact.ts";
import type { ShelvedChange } from "./census.ts";

export interface PlacedProblem extends Problem {
  readonly path: string;
}

/** Compares a change's record with its files. `items` counts the checked documents. */
export function inspectChange(
  tree: Tree,
  change: ShelvedChange,
  config: Config,
): { items: number; problems: PlacedProblem[] } {
  const { shelf, record } = change;
  const path = changeRecord(shelf, record.id);
  const problems: PlacedProblem[] = [];
  if ((record.status === "archived") !== (shelf === HISTORY)) {
    problems.push({ path, problem: `It is ${record.status} but stands in ${shelf}.` });
  }
  const files = new Set(changeAdrPlaces(tree, change).map((place) => place.id as string));
  for (const id of record.adrs)
    if (!files.has(id)) problems.push({ path, problem: `${id} is listed, but its file is missing.` });
  let items = 0;
  for (const stage of record.stages.filter((entry) => entry.status === "completed")) {
    const artifact = changeArtifact(shelf, record.id, stage.name as ChangeStage);
    const text = tree.text(artifact);
    items++;
    if (text === undefined) {
      problems.push({ path: artifact, problem: "The stage is completed, but its artifact is missing." });
      continue;
    }
    const around = surroundings(tree, change, stage.name as ChangeStage, config);
    const found = checkArtifact(stage.name as ChangeStage, text, around).problems;
    problems.push(...found.map((problem) => ({ path: artifact, ...problem })));
  }
  return { items, problems };
}

import { extractHeldText } from "../../model/change/held-artifacts.ts";
import type { PlanningEngine } from "../engine.ts";
import { checkChangeArtifact } from "../../model/change/change-artifact.ts";
import type { ChangeStage } from "#kernel/model/stages/change-stages.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { Config } from "#kernel/model/workspace-config.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import { listChangeDecisions, hasDecisionFile, listWorkspaceDecisionIds } from "../adr/decision-files.ts";
import { listNewIds } from "../../model/living-spec/delta-merge.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { readArtifactText } from "./artifact-files.ts";
import type { StoredChange } from "./change-records.ts";
import { listMentionedIds } from "#kernel/model/document/id-references.ts";

export interface LocatedProblem extends Problem {
  readonly path: string;
}

/** Compares a change's record with its files. `items` counts the checked documents. */
export function inspectStoredChange(tree: StoreTree, change: StoredChange, config: Config) {
  const { shelf, record } = change;
  const path = paths.getChangeRecordPath(shelf, record.id);
  const problems: LocatedProblem[] = [];
  if ((record.status === "archived") !== (shelf === paths.HISTORY_FOLDER))
    problems.push({ path, problem: `It is ${record.status} but is in ${shelf}.` });
  const files = new Set(listChangeDecisions(tree, change).map((place) => place.id as string));
  for (const id of record.adrs)
    if (!files.has(id)) problems.push({ path, problem: `${id} is listed, but its file is missing.` });
  let items = 0;
  for (const stage of record.stages.filter((entry) => entry.status === "completed")) {
    const artifact = paths.getChangeArtifactPath(shelf, record.id, stage.name);
    const text = readArtifactText(tree, artifact);
    // A quick change may end without a document.
    if (text === undefined && record.size === "quick") continue;
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

/** Accepted artifacts that say something else now. */
export function listEditedArtifacts(
  { digest }: Pick<PlanningEngine, "digest">,
  tree: StoreTree,
  { shelf, record }: StoredChange,
): { readonly stage: ChangeStage; readonly path: paths.WorkspacePath }[] {
  return record.stages.flatMap(({ name: stage, status }) => {
    const path = paths.getChangeArtifactPath(shelf, record.id, stage);
    const accepted = status === "completed" ? record.accepted?.[stage] : undefined;
    const text = accepted === undefined ? undefined : tree.text(path);
    return text === undefined || digest(extractHeldText(stage, text)) === accepted ? [] : [{ stage, path }];
  });
}

export const describeEditedArtifact = (path: string, stage: string): string =>
  `${path} changed since it was accepted. Reopen stage ${stage} to accept the edit, or undo it: git checkout -- ${path}`;

/** Leaves out the text of the stage itself: an artifact cannot define the ids it refers to. */
export function loadArtifactReferences(tree: StoreTree, change: StoredChange, stage: ChangeStage, config: Config) {
  const { shelf, record } = change;
  const text = (other: ChangeStage): string | undefined =>
    other === stage ? undefined : readArtifactText(tree, paths.getChangeArtifactPath(shelf, record.id, other));
  const facts = (record.context_check?.facts ?? []).map(({ fact }, i) => ({ number: i + 1, text: fact }));
  return {
    requirements: tree.text(paths.REQUIREMENTS_PATH),
    rules: tree.text(paths.BUSINESS_RULES_PATH),
    spec: text("spec"),
    tasks: text("tasks"),
    deltaIds: (record.deltas ?? []).flatMap(listNewIds),
    adrs: [...record.adrs, ...listWorkspaceDecisionIds(tree)],
    told: stage === "context-check" ? listMentionedIds(facts, "requirement", "rule", "task", "adr") : [],
    isAdr: (reference: string) => hasDecisionFile(tree, reference),
    headings: config.changes.headings[stage],
  };
}

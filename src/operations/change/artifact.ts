import type { ArtifactReferences } from "#domain/change/artifact.ts";
import type { ChangeStage } from "#domain/change/flows.ts";
import type { ChangeRecord } from "#domain/change/record.ts";
import { type IdFamily, findIdMentions } from "#domain/document/reference.ts";
import type { Config } from "#domain/workspace/config.ts";
import { BUSINESS_RULES_PATH, getChangeArtifactPath, REQUIREMENTS_PATH } from "#domain/workspace/path.ts";
import { hasDecisionFile, listWorkspaceDecisionIds } from "../adr/shelf.ts";
import type { StoreTree } from "../ports/store.ts";
import type { StoredChange } from "./census.ts";

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

const REPORTED_ID_FAMILIES: readonly IdFamily[] = ["requirement", "rule", "task", "adr"];

function listContextCheckIds({ context_check }: ChangeRecord): string[] {
  const lines = (context_check?.facts ?? []).map(({ fact }, i) => ({ number: i + 1, text: fact }));
  return REPORTED_ID_FAMILIES.flatMap((family) => findIdMentions(lines, family).map(({ id }) => id));
}

import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import { listDefinedIds } from "#kernel/model/document/id-references.ts";
import { listRequirementIds, listRuleIds } from "../model/project/project-document.ts";
import { listRenameTargets } from "../model/living-spec/item-outline.ts";
import {
  BUSINESS_RULES_PATH,
  getChangeArtifactPath,
  CHANGES_FOLDER,
  HISTORY_FOLDER,
  REQUIREMENTS_PATH,
  type ChangeShelf,
} from "#kernel/model/workspace-paths.ts";
import { listChangeDecisions, listWorkspaceDecisions } from "./adr/decision-files.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { loadChangeRecords } from "./change/change-records.ts";

/**
 * Ids that no project document, change or decision ever had. Archived and removed ids count as known. The history is
 * read only if ids are left.
 */
export function listUnknownIds(tree: StoreTree, ids: Iterable<string>): string[] {
  const forgiving = createTolerantTree(tree, () => undefined);
  let left = [...new Set(ids)];
  for (const known of [
    listProjectDocumentIds,
    createSpecIdLister(CHANGES_FOLDER),
    createSpecIdLister(HISTORY_FOLDER),
    listAdrIds,
  ]) {
    if (left.length === 0) break;
    const found = new Set(known(forgiving));
    left = left.filter((id) => !found.has(id));
  }
  return left.toSorted();
}

const listProjectDocumentIds = (tree: StoreTree): string[] => [
  ...listRequirementIds(tree.text(REQUIREMENTS_PATH) ?? ""),
  ...listRuleIds(tree.text(BUSINESS_RULES_PATH) ?? ""),
];

const createSpecIdLister =
  (shelf: ChangeShelf) =>
  (tree: StoreTree): string[] => {
    const changes = tree.names(shelf).filter(isChangeId);
    return changes.flatMap((id) => {
      const spec = tree.text(getChangeArtifactPath(shelf, id, "spec")) ?? "";
      return [...listDefinedIds(spec, "requirement", "rule"), ...listRenameTargets(spec)];
    });
  };

const listAdrIds = (tree: StoreTree): string[] =>
  [
    ...listWorkspaceDecisions(tree),
    ...loadChangeRecords(tree).changes.flatMap((change) => listChangeDecisions(tree, change)),
  ].map(({ id }) => id);

import { type ChangeId, isChangeId } from "#domain/change/id.ts";
import { parseProseLines } from "#domain/document/prose.ts";
import { findIdDefinitions } from "#domain/document/reference.ts";
import { listRequirementIds, listRuleIds } from "#domain/project/document.ts";
import { listRenameTargets } from "#domain/spec/delta.ts";
import {
  BUSINESS_RULES_PATH,
  getChangeArtifactPath,
  CHANGES_FOLDER,
  HISTORY_FOLDER,
  REQUIREMENTS_PATH,
  type ChangeShelf,
} from "#domain/workspace/path.ts";
import { listChangeDecisions, listWorkspaceDecisions } from "./adr/shelf.ts";
import { createTolerantTree } from "./forgiving-tree.ts";
import type { StoreTree } from "./ports/store.ts";
import { loadChangeRecords } from "./change/census.ts";

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
    const changes = tree.names(shelf).filter((name): name is ChangeId => isChangeId(name));
    return changes.flatMap((id) => {
      const spec = tree.text(getChangeArtifactPath(shelf, id, "spec")) ?? "";
      const lines = parseProseLines(spec);
      const defined = [...findIdDefinitions(lines, "requirement"), ...findIdDefinitions(lines, "rule")];
      return [...defined.map((each) => each.id), ...listRenameTargets(spec)];
    });
  };

const listAdrIds = (tree: StoreTree): string[] =>
  [
    ...listWorkspaceDecisions(tree),
    ...loadChangeRecords(tree).changes.flatMap((change) => listChangeDecisions(tree, change)),
  ].map(({ id }) => id);

import { type ChangeId, isChangeId } from "#domain/change/id.ts";
import { parseProseLines } from "#domain/document/prose.ts";
import { findIdDefinitions } from "#domain/document/reference.ts";
import { listRequirementIds, listRuleIds } from "#domain/project/document.ts";
import { renameTargets } from "#domain/spec/delta.ts";
import { BUSINESS_RULES, changeArtifact, CHANGES, HISTORY, REQUIREMENTS, type Shelf } from "#domain/workspace/path.ts";
import { listChangeDecisions, listWorkspaceDecisions } from "./adr/shelf.ts";
import { forgivingTree } from "./forgiving-tree.ts";
import type { Tree } from "./ports/store.ts";
import { loadChangeRecords } from "./change/census.ts";

/**
 * Ids that no project document, change or decision ever had. Archived and removed ids count as known. The history is
 * read only if ids are left.
 */
export function strangersAmong(tree: Tree, ids: Iterable<string>): string[] {
  const forgiving = forgivingTree(tree, () => undefined);
  let left = [...new Set(ids)];
  for (const known of [documentIds, specIds(CHANGES), specIds(HISTORY), adrIds]) {
    if (left.length === 0) break;
    const found = new Set(known(forgiving));
    left = left.filter((id) => !found.has(id));
  }
  return left.toSorted();
}

const documentIds = (tree: Tree): string[] => [
  ...listRequirementIds(tree.text(REQUIREMENTS) ?? ""),
  ...listRuleIds(tree.text(BUSINESS_RULES) ?? ""),
];

const specIds =
  (shelf: Shelf) =>
  (tree: Tree): string[] => {
    const changes = tree.names(shelf).filter((name): name is ChangeId => isChangeId(name));
    return changes.flatMap((id) => {
      const spec = tree.text(changeArtifact(shelf, id, "spec")) ?? "";
      const lines = parseProseLines(spec);
      const defined = [...findIdDefinitions(lines, "requirement"), ...findIdDefinitions(lines, "rule")];
      return [...defined.map((each) => each.id), ...renameTargets(spec)];
    });
  };

const adrIds = (tree: Tree): string[] =>
  [
    ...listWorkspaceDecisions(tree),
    ...loadChangeRecords(tree).changes.flatMap((change) => listChangeDecisions(tree, change)),
  ].map(({ id }) => id);

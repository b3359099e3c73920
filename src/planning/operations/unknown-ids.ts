import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import { listDefinedIds } from "#kernel/model/document/id-references.ts";
import { listRequirementIds, listRuleIds } from "../model/project/project-document.ts";
import { listRenameTargets } from "../model/living-spec/item-outline.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import { readDeltaArtifact } from "./change/change-deltas.ts";
import { listAllDecisions } from "./adr/decision-files.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";

/** Ids that nothing ever had. Archived and removed ids count as known. The history is read only if ids are left. */
export function listUnknownIds(tree: StoreTree, ids: Iterable<string>): string[] {
  const forgiving = createTolerantTree(tree, () => undefined);
  let left = [...new Set(ids)];
  const listDocumentIds = (): string[] => [
    ...listRequirementIds(forgiving.text(paths.REQUIREMENTS_PATH) ?? ""),
    ...listRuleIds(forgiving.text(paths.BUSINESS_RULES_PATH) ?? ""),
  ];
  const specListers = ([paths.CHANGES_FOLDER, paths.HISTORY_FOLDER] as const).map((shelf) => (): string[] => {
    const changes = forgiving.names(shelf).filter(isChangeId);
    return changes.flatMap((id) => {
      const spec = readDeltaArtifact(forgiving, shelf, id);
      return [...listDefinedIds(spec, "requirement", "rule"), ...listRenameTargets(spec)];
    });
  });
  for (const listIds of [listDocumentIds, ...specListers, () => listAllDecisions(forgiving).map(({ id }) => id)]) {
    if (left.length === 0) break;
    const found = new Set<string>(listIds());
    left = left.filter((id) => !found.has(id));
  }
  return left.toSorted();
}

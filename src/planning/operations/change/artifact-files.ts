import { isUntouchedTemplate } from "../../model/change/artifact-template.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";

/** The text of an artifact. A template in which nothing is written yet is not one. */
export function readArtifactText(tree: Pick<StoreTree, "text">, path: WorkspacePath): string | undefined {
  const text = tree.text(path);
  return text === undefined || isUntouchedTemplate(text) ? undefined : text;
}

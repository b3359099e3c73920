import { isWorkflowId, type WorkflowId } from "#kernel/model/workflow-id.ts";
import { joinFolderPath, type WorkspacePath, SPEC_FILE_FOLDER, getSpecPath } from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";

export interface ListedSpec {
  readonly id: WorkflowId;
  readonly path: WorkspacePath;
  readonly text: string;
}

export type SpecListing = ReturnType<typeof listSpecFiles>;

export function listSpecFiles(tree: StoreTree) {
  const specs: ListedSpec[] = [];
  const strays: { path: string; problem: string }[] = [];
  for (const name of tree.names(SPEC_FILE_FOLDER).filter((each) => !each.startsWith("."))) {
    const id = name.slice(0, -".yaml".length);
    if (name.endsWith(".yaml") && isWorkflowId(id)) {
      const text = tree.text(getSpecPath(id));
      if (text !== undefined) specs.push({ id, path: getSpecPath(id), text });
    } else {
      const problem = "Its name is not a spec file's: AUTH-001.yaml, BUG-042.yaml, RES-007.yaml.";
      strays.push({ path: joinFolderPath(SPEC_FILE_FOLDER, name), problem });
    }
  }
  return { specs, strays };
}

import { isWorkflowId, type WorkflowId } from "#kernel/model/workflow-id.ts";
import { joinFolderPath, type WorkspacePath, SPEC_FILE_FOLDER, getSpecPath } from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";

export interface ListedSpec {
  readonly id: WorkflowId;
  readonly path: WorkspacePath;
  readonly text: string;
}

export interface SpecListing {
  readonly specs: readonly ListedSpec[];
  readonly strays: readonly { readonly path: string; readonly problem: string }[];
}

export function listSpecFiles(tree: StoreTree): SpecListing {
  const names = tree.names(SPEC_FILE_FOLDER).filter((name) => !name.startsWith("."));
  const ids = new Map(names.map((name) => [name, parseSpecFileName(name)]));
  return {
    specs: [...ids.values()].flatMap((id) => {
      const text = id && tree.text(getSpecPath(id));
      return id && text !== undefined ? [{ id, path: getSpecPath(id), text }] : [];
    }),
    strays: names
      .filter((name) => !ids.get(name))
      .map((name) => ({
        path: joinFolderPath(SPEC_FILE_FOLDER, name),
        problem: "Its name is not that of a spec: AUTH-001.yaml, BUG-042.yaml, RES-007.yaml.",
      })),
  };
}

function parseSpecFileName(name: string): WorkflowId | undefined {
  const stem = name.slice(0, -".yaml".length);
  return name.endsWith(".yaml") && isWorkflowId(stem) ? stem : undefined;
}

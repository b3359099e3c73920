import { isWorkflowId, type WorkflowId } from "#domain/workflow/id.ts";
import { inFolder, type Path, SPEC_FOLDER, specFile } from "#domain/workspace/path.ts";
import type { Tree } from "../ports/store.ts";

export interface ShelvedSpec {
  readonly id: WorkflowId;
  readonly path: Path;
  readonly text: string;
}

export interface SpecShelf {
  readonly specs: readonly ShelvedSpec[];
  readonly strays: readonly { readonly path: string; readonly problem: string }[];
}

export function everySpec(tree: Tree): SpecShelf {
  const names = tree.names(SPEC_FOLDER).filter((name) => !name.startsWith("."));
  const ids = new Map(names.map((name) => [name, idOf(name)]));
  return {
    specs: [...ids.values()].flatMap((id) => {
      const text = id && tree.text(specFile(id));
      return id && text !== undefined ? [{ id, path: specFile(id), text }] : [];
    }),
    strays: names
      .filter((name) => !ids.get(name))
      .map((name) => ({
        path: inFolder(SPEC_FOLDER, name),
        problem: "Its name is not that of a spec: AUTH-001.yaml, BUG-042.yaml, RES-007.yaml.",
      })),
  };
}

function idOf(name: string): WorkflowId | undefined {
  const stem = name.slice(0, -".yaml".length);
  return name.endsWith(".yaml") && isWorkflowId(stem) ? stem : undefined;
}

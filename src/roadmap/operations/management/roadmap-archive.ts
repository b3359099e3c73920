import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  FEATURE_FOLDER,
  getFeatureFolder,
  joinFolderPath,
  type WorkspacePath,
  REVIEWS_FOLDER,
  ROADMAP_PATH,
  SUPERSEDED_FOLDER,
  getSupersededFeatureFolder,
  getSupersededRoadmapFolder,
  WAVES_FOLDER,
} from "#kernel/model/workspace-paths.ts";
import type { StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { findNextArchiveNumber } from "#store/operations/tolerant-tree.ts";

export function planFeatureArchive(tree: StoreTree, names: readonly FeatureName[]): StoreStep[] {
  return names.map((name) => ({
    kind: "move",
    from: getFeatureFolder(name),
    to: getSupersededFeatureFolder(name, findNextArchiveNumber(tree, SUPERSEDED_FOLDER, `feature-${name}`)),
  }));
}

export function planRoadmapArchive(
  tree: StoreTree,
  names: readonly FeatureName[],
): { readonly to: WorkspacePath; readonly steps: readonly StoreStep[] } {
  const to = getSupersededRoadmapFolder(findNextArchiveNumber(tree, SUPERSEDED_FOLDER, "roadmap"));
  const page = tree.text(ROADMAP_PATH);
  const folders = [WAVES_FOLDER, REVIEWS_FOLDER].filter((folder) => tree.has(folder));
  return {
    to,
    steps: [
      ...(page === undefined
        ? []
        : [{ kind: "document", path: joinFolderPath(to, getLastPathSegment(ROADMAP_PATH)), text: page } as const]),
      ...folders.map((folder): StoreStep => ({
        kind: "move",
        from: folder,
        to: joinFolderPath(to, getLastPathSegment(folder)),
      })),
      ...names.map((name): StoreStep => ({
        kind: "move",
        from: getFeatureFolder(name),
        to: joinFolderPath(joinFolderPath(to, getLastPathSegment(FEATURE_FOLDER)), name),
      })),
    ],
  };
}

const getLastPathSegment = (path: WorkspacePath): string => path.slice(path.lastIndexOf("/") + 1);

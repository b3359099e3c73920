import type { FeatureName } from "#domain/feature/name.ts";
import {
  FEATURE_FOLDER,
  featureFolder,
  inFolder,
  type Path,
  REVIEWS,
  ROADMAP,
  SUPERSEDED,
  supersededFeature,
  supersededRoadmap,
  WAVES,
} from "#domain/workspace/path.ts";
import type { Step, Tree } from "../../ports/store.ts";
import { nextNumber } from "../../superseded.ts";

export function featuresAside(tree: Tree, names: readonly FeatureName[]): Step[] {
  return names.map((name) => ({
    kind: "move",
    from: featureFolder(name),
    to: supersededFeature(name, nextNumber(tree, SUPERSEDED, `feature-${name}`)),
  }));
}

export function roadmapAside(
  tree: Tree,
  names: readonly FeatureName[],
): { readonly to: Path; readonly steps: readonly Step[] } {
  const to = supersededRoadmap(nextNumber(tree, SUPERSEDED, "roadmap"));
  const page = tree.text(ROADMAP);
  const folders = [WAVES, REVIEWS].filter((folder) => tree.has(folder));
  return {
    to,
    steps: [
      ...(page === undefined ? [] : [{ kind: "document", path: inFolder(to, lastOf(ROADMAP)), text: page } as const]),
      ...folders.map((folder): Step => ({ kind: "move", from: folder, to: inFolder(to, lastOf(folder)) })),
      ...names.map((name): Step => ({
        kind: "move",
        from: featureFolder(name),
        to: inFolder(inFolder(to, lastOf(FEATURE_FOLDER)), name),
      })),
    ],
  };
}

const lastOf = (path: Path): string => path.slice(path.lastIndexOf("/") + 1);

import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import type { Lead, OpenReview, ReviewScope } from "../../model/lead/lead-state.ts";
import { getFeatureDesignPath, getFeatureResearchPath } from "#kernel/model/workspace-paths.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";

type HashEngine = Pick<RoadmapEngine, "source" | "digest" | "store">;

/** Sorted, so that hashes are stable. */
export const listImplementationFiles = ({ implementation }: FeatureRecord): string[] =>
  [...new Set(implementation.groups.flatMap(({ files }) => files))].toSorted();

/** Hashes the content of text files. Other files count by their size: reviews cover text. */
export async function hashFiles(
  { source, digest }: Pick<HashEngine, "source" | "digest">,
  paths: readonly string[],
): Promise<string> {
  const found: [path: string, said: string][] = [];
  for (const path of paths) {
    const standing = await source.stamped(path);
    found.push([path, standing.kind === "text" ? digest(standing.text) : standing.kind]);
  }
  const isOdd = found.some(([, said]) => said === "large" || said === "binary");
  const sizes = new Map(isOdd ? (await source.files()).map(({ path, bytes }) => [path, bytes] as const) : []);
  const sized = found.map(([path, said]) => [path, said, said.length === DIGEST_LENGTH ? 0 : (sizes.get(path) ?? 0)]);
  return digest(JSON.stringify(sized));
}

const DIGEST_LENGTH = 64;

function hashDesign(tree: StoreTree, { digest }: Pick<HashEngine, "digest">, feature: FeatureName): string | undefined {
  const text = tree.text(getFeatureDesignPath(feature));
  return text === undefined ? undefined : digest(text);
}

export async function hashReviewedContent(
  engine: HashEngine,
  lead: Lead,
  { kind, scope }: Pick<OpenReview, "kind" | "scope">,
): Promise<string> {
  const features = listReviewedFeatures(lead, scope);
  const [only] = features;
  if (scope.of === "feature" && only && kind === "design")
    return (await engine.store.read((tree) => hashDesign(tree, engine, only.feature_name))) ?? "";
  if (scope.of === "feature" && only) return hashFiles(engine, listImplementationFiles(only));
  const designs = await engine.store.read((tree) =>
    features.map(({ feature_name: name }) => [
      name,
      hashDesign(tree, engine, name) ?? "",
      kind === "design" ? (tree.text(getFeatureResearchPath(name)) ?? "") : "",
    ]),
  );
  const files = kind === "design" ? "" : await hashFiles(engine, listAllImplementationFiles(features));
  return engine.digest(JSON.stringify([designs, files]));
}

const listAllImplementationFiles = (features: readonly FeatureRecord[]): string[] =>
  [...new Set(features.flatMap(listImplementationFiles))].toSorted();

/** A review of a wave covers all earlier waves too. */
function listReviewedFeatures({ features }: Lead, scope: ReviewScope): FeatureRecord[] {
  const all = [...features.values()];
  switch (scope.of) {
    case "feature":
      return all.filter(({ feature_name }) => feature_name === scope.feature);
    case "wave":
      return all.filter(({ roadmap, phase }) => roadmap !== null && roadmap.wave <= scope.wave && phase !== "blocked");
    case "all":
      return all;
  }
}

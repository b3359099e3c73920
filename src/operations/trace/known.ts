import { isChangeId } from "#domain/change/id.ts";
import { isFeatureName } from "#domain/feature/name.ts";
import { type Known, knownFeature, type KnownIds, knownItems, knownSpec } from "#domain/trace/known.ts";
import {
  BUSINESS_RULES_PATH,
  getChangeArtifactPath,
  CHANGES_FOLDER,
  FEATURE_FOLDER,
  getFeatureDesignPath,
  type WorkspacePath,
  REQUIREMENTS_PATH,
} from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import { everyFeature } from "../feature/census.ts";
import { createTolerantTree } from "../forgiving-tree.ts";
import type { StoreTree } from "../ports/store.ts";
import { parseListedSpec } from "../spec/read.ts";
import { listSpecFiles, type ListedSpec } from "../spec/shelf.ts";

export async function knownIds(engine: Pick<Engine, "store" | "yaml" | "digest">): Promise<KnownIds> {
  const { specs, items, features } = await engine.store.read((tree) =>
    shelf(createTolerantTree(tree, () => undefined)),
  );
  const readings = await Promise.all(specs.map((spec) => parseListedSpec(engine, spec)));
  const known = readings.map(({ id, path, kind, document }) => knownSpec({ id, path, kind }, document?.spec));
  return {
    // A project document overrides the ids that a change will add.
    ids: new Map([...items.toReversed(), ...known, ...features].map((each) => [each.id, each])),
    ...(features.length === 0 ? {} : { features: new Set(features.map(({ id }) => id)) }),
  };
}

interface Shelf {
  readonly specs: readonly ListedSpec[];
  readonly items: readonly Known[];
  readonly features: readonly Known[];
}

function shelf(tree: StoreTree): Shelf {
  const changed = tree
    .names(CHANGES_FOLDER)
    .filter(isChangeId)
    .map((id) => getChangeArtifactPath(CHANGES_FOLDER, id, "spec"));
  const items = (kind: "requirement" | "rule", paths: readonly WorkspacePath[]): Known[] =>
    paths.flatMap((path) => knownItems(kind, path, tree.text(path) ?? ""));
  return {
    specs: listSpecFiles(tree).specs,
    items: [
      ...items("requirement", [REQUIREMENTS_PATH, ...changed]),
      ...items("rule", [BUSINESS_RULES_PATH, ...changed]),
    ],
    features: featuresIn(tree),
  };
}

/** A feature with a damaged record still counts. */
function featuresIn(tree: StoreTree): Known[] {
  const { found } = everyFeature(tree);
  return tree
    .names(FEATURE_FOLDER)
    .filter(isFeatureName)
    .map((name) => knownFeature(name, found.get(name), tree.text(getFeatureDesignPath(name))));
}

import { isChangeId } from "#domain/change/id.ts";
import { isFeatureName } from "#domain/feature/name.ts";
import { type Known, knownFeature, type KnownIds, knownItems, knownSpec } from "#domain/trace/known.ts";
import {
  BUSINESS_RULES,
  changeArtifact,
  CHANGES,
  FEATURE_FOLDER,
  featureDesign,
  type Path,
  REQUIREMENTS,
} from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import { everyFeature } from "../feature/census.ts";
import { forgivingTree } from "../forgiving-tree.ts";
import type { Tree } from "../ports/store.ts";
import { readShelvedSpec } from "../spec/read.ts";
import { everySpec, type ShelvedSpec } from "../spec/shelf.ts";

export async function knownIds(engine: Pick<Engine, "store" | "yaml" | "digest">): Promise<KnownIds> {
  const { specs, items, features } = await engine.store.read((tree) => shelf(forgivingTree(tree, () => undefined)));
  const readings = await Promise.all(specs.map((spec) => readShelvedSpec(engine, spec)));
  const known = readings.map(({ id, path, kind, document }) => knownSpec({ id, path, kind }, document?.spec));
  return {
    // A project document overrides the ids that a change will add.
    ids: new Map([...items.toReversed(), ...known, ...features].map((each) => [each.id, each])),
    ...(features.length === 0 ? {} : { features: new Set(features.map(({ id }) => id)) }),
  };
}

interface Shelf {
  readonly specs: readonly ShelvedSpec[];
  readonly items: readonly Known[];
  readonly features: readonly Known[];
}

function shelf(tree: Tree): Shelf {
  const changed = tree
    .names(CHANGES)
    .filter(isChangeId)
    .map((id) => changeArtifact(CHANGES, id, "spec"));
  const items = (kind: "requirement" | "rule", paths: readonly Path[]): Known[] =>
    paths.flatMap((path) => knownItems(kind, path, tree.text(path) ?? ""));
  return {
    specs: everySpec(tree).specs,
    items: [...items("requirement", [REQUIREMENTS, ...changed]), ...items("rule", [BUSINESS_RULES, ...changed])],
    features: featuresIn(tree),
  };
}

/** A feature with a damaged record still counts. */
function featuresIn(tree: Tree): Known[] {
  const { found } = everyFeature(tree);
  return tree
    .names(FEATURE_FOLDER)
    .filter(isFeatureName)
    .map((name) => knownFeature(name, found.get(name), tree.text(featureDesign(name))));
}

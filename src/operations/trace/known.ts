import { isChangeId } from "#domain/change/id.ts";
import { isFeatureName } from "#domain/feature/name.ts";
import {
  type TraceableItem,
  createFeatureItem,
  type TraceableIds,
  createDocumentItems,
  createSpecItem,
} from "#domain/trace/known.ts";
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
import { loadFeatureRecords } from "../feature/census.ts";
import { createTolerantTree } from "../forgiving-tree.ts";
import type { StoreTree } from "../ports/store.ts";
import { parseListedSpec } from "../spec/read.ts";
import { listSpecFiles, type ListedSpec } from "../spec/shelf.ts";

export async function loadTraceableIds(engine: Pick<Engine, "store" | "yaml" | "digest">): Promise<TraceableIds> {
  const { specs, items, features } = await engine.store.read((tree) =>
    readTraceableDocuments(createTolerantTree(tree, () => undefined)),
  );
  const readings = await Promise.all(specs.map((spec) => parseListedSpec(engine, spec)));
  const known = readings.map(({ id, path, kind, document }) => createSpecItem({ id, path, kind }, document?.spec));
  return {
    // A project document overrides the ids that a change will add.
    ids: new Map([...items.toReversed(), ...known, ...features].map((each) => [each.id, each])),
    ...(features.length === 0 ? {} : { features: new Set(features.map(({ id }) => id)) }),
  };
}

interface TraceableDocuments {
  readonly specs: readonly ListedSpec[];
  readonly items: readonly TraceableItem[];
  readonly features: readonly TraceableItem[];
}

function readTraceableDocuments(tree: StoreTree): TraceableDocuments {
  const changed = tree
    .names(CHANGES_FOLDER)
    .filter(isChangeId)
    .map((id) => getChangeArtifactPath(CHANGES_FOLDER, id, "spec"));
  const items = (kind: "requirement" | "rule", paths: readonly WorkspacePath[]): TraceableItem[] =>
    paths.flatMap((path) => createDocumentItems(kind, path, tree.text(path) ?? ""));
  return {
    specs: listSpecFiles(tree).specs,
    items: [
      ...items("requirement", [REQUIREMENTS_PATH, ...changed]),
      ...items("rule", [BUSINESS_RULES_PATH, ...changed]),
    ],
    features: listFeatureItems(tree),
  };
}

/** A feature with a damaged record still counts. */
function listFeatureItems(tree: StoreTree): TraceableItem[] {
  const { found } = loadFeatureRecords(tree);
  return tree
    .names(FEATURE_FOLDER)
    .filter(isFeatureName)
    .map((name) => createFeatureItem(name, found.get(name), tree.text(getFeatureDesignPath(name))));
}

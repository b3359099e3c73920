import type { FeatureRecord } from "#domain/feature/record.ts";
import { featureDesign, featureRecord, featureResearch, featureTasks, type Path } from "#domain/workspace/path.ts";
import type { PlacedProblem } from "../change/inspect.ts";
import type { Tree } from "../ports/store.ts";
import { everyFeature, everyWave } from "./census.ts";

interface Inspected {
  readonly items: number;
  readonly problems: readonly PlacedProblem[];
}

/** Whether records of features and waves are whole, and what they claim is borne out by the files beside them. */
export function inspectFeatures(tree: Tree): Inspected {
  const [features, waves] = [everyFeature(tree), everyWave(tree)];
  const looks = [...features.found.values()].map((record) => inspectFeature(tree, record));
  const damaged = [...features.damaged, ...waves.damaged];
  return {
    items: looks.reduce((total, { items }) => total + items, damaged.length + waves.found.size),
    problems: [
      ...damaged.map(({ path, why }) => ({ path, problem: why })),
      ...looks.flatMap(({ problems }) => problems),
      ...[...features.found.values()].flatMap((record) => unknownDependencies(record, features.found)),
    ],
  };
}

/** `items` counts the record and the documents that it says were accepted. */
export function inspectFeature(tree: Tree, record: FeatureRecord): Inspected {
  const wanted = documentsOf(record);
  return {
    items: 1 + wanted.length,
    problems: wanted
      .filter((path) => tree.text(path) === undefined)
      .map((path) => ({ path, problem: "The record of its feature says that it is there, but it is missing." })),
  };
}

function documentsOf({ feature_name: name, design, implementation }: FeatureRecord): Path[] {
  return [
    ...(design ? [featureDesign(name), featureResearch(name)] : []),
    ...(implementation.tasks_hash === null ? [] : [featureTasks(name)]),
  ];
}

function unknownDependencies(
  { feature_name, roadmap }: FeatureRecord,
  known: ReadonlyMap<string, FeatureRecord>,
): PlacedProblem[] {
  return (roadmap?.dependencies ?? [])
    .filter((name) => !known.has(name))
    .map((name) => ({ path: featureRecord(feature_name), problem: `It depends on ${name}, which does not exist.` }));
}

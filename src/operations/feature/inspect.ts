import { checkDesign } from "#domain/feature/design.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { checkResearch } from "#domain/feature/research.ts";
import { checkTasks } from "#domain/feature/tasks.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import {
  getFeatureDesignPath,
  getFeatureRecordPath,
  getFeatureResearchPath,
  getFeatureTasksPath,
  type WorkspacePath,
} from "#domain/workspace/path.ts";
import type { LocatedProblem } from "../change/inspect.ts";
import type { StoreTree } from "../ports/store.ts";
import type { YamlEditor } from "../ports/yaml.ts";
import { everyFeature, everyWave } from "./census.ts";

interface Inspected {
  readonly items: number;
  readonly problems: readonly LocatedProblem[];
}

/** Accepted tasks with the design they are checked against. A workspace without any never loads the YAML reader. */
export interface Plan {
  readonly path: WorkspacePath;
  readonly text: string;
  readonly design: string;
  readonly excluded: readonly string[];
}

export function inspectFeatures(tree: StoreTree): Inspected & { readonly plans: readonly Plan[] } {
  const [features, waves] = [everyFeature(tree), everyWave(tree)];
  const records = [...features.found.values()];
  const looks = records.map((record) => inspectFeature(tree, record));
  const damaged = [...features.damaged, ...waves.damaged];
  return {
    items: looks.reduce((total, { items }) => total + items, damaged.length + waves.found.size),
    problems: [
      ...damaged.map(({ path, why }) => ({ path, problem: why })),
      ...looks.flatMap(({ problems }) => problems),
      ...records.flatMap((record) => unknownDependencies(record, features.found)),
    ],
    plans: records.flatMap((record) => planOf(tree, record)),
  };
}

export function inspectFeature(tree: StoreTree, record: FeatureRecord): Inspected {
  const { feature_name: name, design, implementation } = record;
  const looks = [
    ...(design
      ? [look(tree, getFeatureDesignPath(name), checkDesign), look(tree, getFeatureResearchPath(name), checkResearch)]
      : []),
    ...(implementation.tasks_hash === null ? [] : [look(tree, getFeatureTasksPath(name), () => ({ problems: [] }))]),
  ];
  return { items: 1 + looks.length, problems: looks.flat() };
}

function look(
  tree: StoreTree,
  path: WorkspacePath,
  check: (text: string) => { readonly problems: readonly Problem[] },
): LocatedProblem[] {
  const text = tree.text(path);
  if (text === undefined)
    return [{ path, problem: "The record of its feature says that it is there, but it is missing." }];
  return check(text).problems.map((problem) => ({ path, ...problem }));
}

function planOf(tree: StoreTree, { feature_name: name, implementation }: FeatureRecord): Plan[] {
  const [path, text, design] = [
    getFeatureTasksPath(name),
    tree.text(getFeatureTasksPath(name)),
    tree.text(getFeatureDesignPath(name)),
  ];
  if (implementation.tasks_hash === null || text === undefined || design === undefined) return [];
  return [{ path, text, design, excluded: implementation.excluded }];
}

export function planProblems(yaml: YamlEditor, { path, text, design, excluded }: Plan): LocatedProblem[] {
  const { tree, problems: unread } = yaml.read(text);
  const problems = tree ? checkTasks(tree, checkDesign(design), excluded).problems : unread;
  return problems.map((problem) => ({ path, ...problem }));
}

function unknownDependencies(
  { feature_name, roadmap }: FeatureRecord,
  known: ReadonlyMap<string, FeatureRecord>,
): LocatedProblem[] {
  return (roadmap?.dependencies ?? [])
    .filter((name) => !known.has(name))
    .map((name) => ({
      path: getFeatureRecordPath(feature_name),
      problem: `It depends on ${name}, which does not exist.`,
    }));
}

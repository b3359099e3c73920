import { checkDesign, checkResearchDocument } from "../../model/feature/design-check.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import { checkTaskPlan } from "../../model/feature/task-plan.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import {
  getFeatureDesignPath,
  getFeatureRecordPath,
  getFeatureResearchPath,
  getFeatureTasksPath,
  type WorkspacePath,
} from "#kernel/model/workspace-paths.ts";
import type { LocatedProblem } from "#planning/operations/change/change-inspection.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { YamlEditor } from "#kernel/operations/ports/yaml.ts";
import { loadFeatureRecords, loadWaveRecords } from "./feature-records.ts";

interface FeatureInspection {
  readonly items: number;
  readonly problems: readonly LocatedProblem[];
}

/** Accepted tasks with the design they are checked against. A workspace without any never loads the YAML reader. */
export interface AcceptedTaskPlan {
  readonly path: WorkspacePath;
  readonly text: string;
  readonly design: string;
  readonly excluded: readonly string[];
}

export function inspectFeatureRecords(
  tree: StoreTree,
): FeatureInspection & { readonly plans: readonly AcceptedTaskPlan[] } {
  const [features, waves] = [loadFeatureRecords(tree), loadWaveRecords(tree)];
  const records = [...features.found.values()];
  const looks = records.map((record) => inspectFeatureDocuments(tree, record));
  const damaged = [...features.damaged, ...waves.damaged];
  return {
    items: looks.reduce((total, { items }) => total + items, damaged.length + waves.found.size),
    problems: [
      ...damaged.map(({ path, why }) => ({ path, problem: why })),
      ...looks.flatMap(({ problems }) => problems),
      ...records.flatMap((record) => findUnknownDependencies(record, features.found)),
    ],
    plans: records.flatMap((record) => readAcceptedPlan(tree, record)),
  };
}

export function inspectFeatureDocuments(tree: StoreTree, record: FeatureRecord): FeatureInspection {
  const { feature_name: name, design, implementation } = record;
  const looks = [
    ...(design
      ? [
          checkFeatureDocument(tree, getFeatureDesignPath(name), checkDesign),
          checkFeatureDocument(tree, getFeatureResearchPath(name), checkResearchDocument),
        ]
      : []),
    ...(implementation.tasks_hash === null
      ? []
      : [checkFeatureDocument(tree, getFeatureTasksPath(name), () => ({ problems: [] }))]),
  ];
  return { items: 1 + looks.length, problems: looks.flat() };
}

function checkFeatureDocument(
  tree: StoreTree,
  path: WorkspacePath,
  check: (text: string) => { readonly problems: readonly Problem[] },
): LocatedProblem[] {
  const text = tree.text(path);
  if (text === undefined)
    return [{ path, problem: "The record of its feature says that it is there, but it is missing." }];
  return check(text).problems.map((problem) => ({ path, ...problem }));
}

function readAcceptedPlan(tree: StoreTree, { feature_name: name, implementation }: FeatureRecord): AcceptedTaskPlan[] {
  const [path, text, design] = [
    getFeatureTasksPath(name),
    tree.text(getFeatureTasksPath(name)),
    tree.text(getFeatureDesignPath(name)),
  ];
  if (implementation.tasks_hash === null || text === undefined || design === undefined) return [];
  return [{ path, text, design, excluded: implementation.excluded }];
}

export function findTaskPlanProblems(
  yaml: YamlEditor,
  { path, text, design, excluded }: AcceptedTaskPlan,
): LocatedProblem[] {
  const { tree, problems: unread } = yaml.read(text);
  const problems = tree ? checkTaskPlan(tree, checkDesign(design), excluded).problems : unread;
  return problems.map((problem) => ({ path, ...problem }));
}

function findUnknownDependencies(
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

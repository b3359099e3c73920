import { formatCyclePath } from "#kernel/model/document/document-tasks.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord } from "./feature/feature-record.ts";
import { compareTexts, quote } from "#kernel/model/text-format.ts";

export interface PlannedFeature {
  readonly name: FeatureName;
  readonly dependencies: readonly FeatureName[];
  readonly description?: string;
  /** Declared by the user: every other feature depends on it, even without naming it. */
  readonly foundation?: boolean;
}

export type FeatureDependents = ReadonlyMap<FeatureName, readonly FeatureName[]>;

export function listPlannedFeatures(records: Iterable<FeatureRecord>): PlannedFeature[] {
  return [...records].flatMap(({ feature_name: name, description, roadmap }) =>
    roadmap ? [{ name, description, dependencies: roadmap.dependencies, ...pickFoundationFlag(roadmap) }] : [],
  );
}

export const pickFoundationFlag = (said: { readonly foundation?: boolean | undefined } | null | undefined) =>
  said?.foundation ? ({ foundation: true } as const) : {};

/** Assigns the earliest wave after all dependencies. Foundations come first. Throws on cycles and unknown names. */
export function assignFeatureWaves(features: readonly PlannedFeature[]): Map<FeatureName, number> {
  assertKnownDependencies(features);
  const levels = computeDependencyLevels(features);
  if (levels.size < features.length) throwDependencyCycle(features.filter(({ name }) => !levels.has(name)));
  const byName = new Map(features.map((feature) => [feature.name, feature]));
  const listDependencies = (name: FeatureName): readonly FeatureName[] => byName.get(name)?.dependencies ?? [];
  const foundation = new Set(features.filter((feature) => feature.foundation).map(({ name }) => name));
  // Iterating a Set also visits values added during the iteration.
  for (const name of foundation) for (const on of listDependencies(name)) foundation.add(on);
  const base = Math.max(0, ...Array.from(foundation, (name) => levels.get(name) ?? 0));
  const waves = new Map<FeatureName, number>();
  for (const [name, level] of levels) {
    const before = listDependencies(name).map((on) => waves.get(on) ?? 0);
    waves.set(name, foundation.has(name) ? level : Math.max(base, ...before) + 1);
  }
  return waves;
}

/** Level 1 has no dependencies. In topological order; unknown dependencies and features in a cycle are ignored. */
export function computeDependencyLevels(features: readonly PlannedFeature[]): Map<FeatureName, number> {
  const dependents = mapFeatureDependents(features);
  const waitsFor = new Map<FeatureName, number>(features.map(({ name }) => [name, 0]));
  for (const names of dependents.values()) for (const name of names) waitsFor.set(name, (waitsFor.get(name) ?? 0) + 1);
  const levels = new Map<FeatureName, number>();
  let ready = features.filter(({ name }) => waitsFor.get(name) === 0).map(({ name }) => name);
  for (let level = 1; ready.length > 0; level++) {
    for (const name of ready) levels.set(name, level);
    ready = ready.flatMap((name) =>
      (dependents.get(name) ?? []).filter((next) => {
        const left = (waitsFor.get(next) ?? 0) - 1;
        waitsFor.set(next, left);
        return left === 0;
      }),
    );
  }
  return levels;
}

export function sortFeaturesByWave(features: readonly PlannedFeature[]): FeatureName[] {
  const waves = assignFeatureWaves(features);
  return [...waves.keys()].toSorted((a, b) => (waves.get(a) ?? 0) - (waves.get(b) ?? 0) || compareTexts(a, b));
}

/** Declared ones, and features without dependencies but with two dependents that mention models, errors or such. */
export function findFoundationFeatures(features: readonly PlannedFeature[]): Set<FeatureName> {
  const dependents = mapFeatureDependents(features);
  const words = /\b(?:models?|schemas?|shared|common|core|base|errors?|logging|config(?:uration)?)\b/i;
  const isLikely = ({ name, description = "", dependencies: { length } }: PlannedFeature): boolean =>
    length === 0 && (dependents.get(name)?.length ?? 0) >= 2 && words.test(`${name} ${description}`);
  return new Set(features.filter((feature) => feature.foundation || isLikely(feature)).map(({ name }) => name));
}

export function mapFeatureDependents(features: readonly PlannedFeature[]): FeatureDependents {
  const dependents = new Map<FeatureName, FeatureName[]>(features.map(({ name }) => [name, []]));
  for (const { name, dependencies } of features) for (const on of new Set(dependencies)) dependents.get(on)?.push(name);
  for (const names of dependents.values()) names.sort();
  return dependents;
}

/** All direct and transitive dependents, nearest first. */
export const listDownstreamFeatures = (features: readonly PlannedFeature[], name: FeatureName): FeatureName[] =>
  collectDownstreamFeatures(mapFeatureDependents(features), [name]);

export function collectDownstreamFeatures(dependents: FeatureDependents, names: readonly FeatureName[]): FeatureName[] {
  const seen = new Set(names);
  for (const name of seen) for (const next of dependents.get(name) ?? []) seen.add(next);
  return [...seen].slice(new Set(names).size);
}

function assertKnownDependencies(features: readonly PlannedFeature[]): void {
  const known = new Set(features.map(({ name }) => name));
  const reject = (code: "roadmap.duplicate" | "roadmap.unknown-dependency", name: string, why: string, fix: string) =>
    new Fault(code, { what: `${name} cannot be planned.`, why, fix });
  const left = new Set(known);
  const twice = features.find(({ name }) => !left.delete(name))?.name;
  if (twice !== undefined)
    throw reject("roadmap.duplicate", twice, "It is named twice.", `Name ${twice} once, with all its dependencies.`);
  for (const { name, dependencies } of features) {
    const unknown = dependencies.find((on) => !known.has(on));
    if (unknown === undefined) continue;
    const why = `It depends on ${quote(unknown, 60)}, which is not a feature of the roadmap.`;
    const fix = `Plan that feature too, or remove it from the dependencies of ${name}.`;
    throw reject("roadmap.unknown-dependency", name, why, fix);
  }
}

/** Each of these features waits for another of them, so following any dependency leads into the cycle. */
function throwDependencyCycle(stuck: readonly PlannedFeature[]): never {
  const byName = new Map(stuck.map((feature) => [feature.name, feature]));
  const next = (name: FeatureName): FeatureName =>
    (byName.get(name)?.dependencies ?? []).filter((on) => byName.has(on)).toSorted()[0] ?? name;
  const trail = new Set<FeatureName>();
  let name = [...byName.keys()].toSorted()[0] as FeatureName;
  for (; !trail.has(name); name = next(name)) trail.add(name);
  const circle = [...trail].slice([...trail].indexOf(name));
  const first = circle.indexOf(circle.toSorted()[0] as FeatureName);
  const path = [...circle.slice(first), ...circle.slice(0, first + 1)];
  throw new Fault("roadmap.cycle", {
    what: "The features cannot be put in an order.",
    why: `They wait for each other: ${formatCyclePath(path)}.`,
    fix: `Remove one of these dependencies, such as the one of ${path.at(-2)} on ${path.at(-1)}.`,
  });
}

export const compareRoadmapPosition = (a: FeatureRecord, b: FeatureRecord): number =>
  (a.roadmap?.wave ?? Infinity) - (b.roadmap?.wave ?? Infinity) || compareTexts(a.feature_name, b.feature_name);

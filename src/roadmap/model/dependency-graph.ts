import { formatCyclePath } from "#kernel/model/document/document-tasks.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord } from "./feature/feature-record.ts";
import { quote } from "#kernel/model/text-format.ts";

export interface PlannedFeature {
  readonly name: FeatureName;
  readonly dependencies: readonly FeatureName[];
  readonly description?: string;
  /** Declared by the user: every other feature depends on it, even without naming it. */
  readonly foundation?: boolean;
}

export type FeatureDependents = ReadonlyMap<FeatureName, readonly FeatureName[]>;

const FOUNDATION_WORD = /\b(?:models?|schemas?|shared|common|core|base|errors?|logging|config(?:uration)?)\b/i;

export function listPlannedFeatures(records: Iterable<FeatureRecord>): PlannedFeature[] {
  return [...records].flatMap(({ feature_name: name, description, roadmap }) =>
    roadmap ? [{ name, description, dependencies: roadmap.dependencies, ...pickFoundationFlag(roadmap) }] : [],
  );
}

export const pickFoundationFlag = (said: { readonly foundation?: boolean | undefined } | null | undefined) =>
  said?.foundation ? ({ foundation: true } as const) : {};

/**
 * Assigns each feature the earliest wave after all its dependencies. Features declared as a foundation, with their
 * dependencies, come before all others. Throws on cycles and unknown names.
 */
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

/**
 * Level 1 has no dependencies; every other level is one above the highest dependency. The result is in topological
 * order. Ignores unknown dependencies and omits features in a cycle: merged records must still be displayable.
 */
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
  return [...waves.keys()].toSorted((a, b) => (waves.get(a) ?? 0) - (waves.get(b) ?? 0) || compareCodeUnits(a, b));
}

/**
 * Features the user declared as a foundation, and features without dependencies that have two or more dependents and
 * mention models, errors, logging or similar words.
 */
export function findFoundationFeatures(features: readonly PlannedFeature[]): Set<FeatureName> {
  const dependents = mapFeatureDependents(features);
  const isLikely = ({ name, description = "", dependencies }: PlannedFeature): boolean =>
    dependencies.length === 0 &&
    (dependents.get(name)?.length ?? 0) >= 2 &&
    FOUNDATION_WORD.test(`${name} ${description}`);
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

/** Compares code units, so the order is the same on every machine. */
export const compareCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function assertKnownDependencies(features: readonly PlannedFeature[]): void {
  const known = new Set<FeatureName>();
  for (const { name } of features) {
    if (known.has(name)) {
      throw new Fault("roadmap.duplicate", {
        what: `${name} cannot be planned.`,
        why: "It is named twice.",
        fix: `Name ${name} once, with all that it depends on.`,
      });
    }
    known.add(name);
  }
  for (const { name, dependencies } of features) {
    const unknown = dependencies.find((on) => !known.has(on));
    if (unknown === undefined) continue;
    throw new Fault("roadmap.unknown-dependency", {
      what: `${name} cannot be planned.`,
      why: `It depends on ${quote(unknown, 60)}, which is no feature of the roadmap.`,
      fix: `Plan that feature too, or take it out of what ${name} depends on.`,
    });
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
    fix: `Take one of these dependencies away, such as the one of ${path.at(-2)} on ${path.at(-1)}.`,
  });
}

export const compareRoadmapPosition = (a: FeatureRecord, b: FeatureRecord): number =>
  (a.roadmap?.wave ?? Infinity) - (b.roadmap?.wave ?? Infinity) || compareCodeUnits(a.feature_name, b.feature_name);

import { along } from "../document/tasks.ts";
import { Fault } from "../fault.ts";
import type { FeatureName } from "../feature/name.ts";
import type { FeatureRecord } from "../feature/record.ts";
import { quote } from "../quote.ts";

/** What the place of a feature in the roadmap follows from. */
export interface Planned {
  readonly name: FeatureName;
  readonly dependencies: readonly FeatureName[];
  readonly description?: string;
  /** Whether the user said that all others build on it, whatever they name. */
  readonly foundation?: boolean;
}

/** Who depends on a feature directly, in the order of their names. */
export type Dependents = ReadonlyMap<FeatureName, readonly FeatureName[]>;

const FOUNDATION_WORD = /\b(?:models?|schemas?|shared|common|core|base|errors?|logging|config(?:uration)?)\b/i;

/** The features that have a place in the roadmap; one that stands alone has none. */
export function plannedIn(records: Iterable<FeatureRecord>): Planned[] {
  return [...records].flatMap(({ feature_name: name, description, roadmap }) =>
    roadmap ? [{ name, description, dependencies: roadmap.dependencies, ...foundationOf(roadmap) }] : [],
  );
}

/** What is kept of the user's word that all others build on a feature. */
export const foundationOf = (said: { readonly foundation?: boolean | undefined } | null | undefined) =>
  said?.foundation ? ({ foundation: true } as const) : {};

/**
 * The wave of each feature, later than those of all it depends on and as early as that allows. What the user calls a
 * foundation comes first, with what it needs: everything else waits for it. Circles and unknown names are refused.
 */
export function wavesOf(features: readonly Planned[]): Map<FeatureName, number> {
  refuseUnknown(features);
  const levels = levelsOf(features);
  if (levels.size < features.length) refuseCircle(features.filter(({ name }) => !levels.has(name)));
  const foundation = needed(features, features.filter(isDeclared));
  const base = Math.max(0, ...Array.from(foundation, (name) => levels.get(name) ?? 0));
  // Levels are topological, so what a feature waits for has its wave before it.
  const byName = new Map(features.map((feature) => [feature.name, feature]));
  const waves = new Map<FeatureName, number>();
  for (const [name, level] of levels) {
    const before = (byName.get(name)?.dependencies ?? []).map((on) => waves.get(on) ?? 0);
    waves.set(name, foundation.has(name) ? level : Math.max(base, ...before) + 1);
  }
  return waves;
}

/**
 * 1 for what waits for nothing, else one more than the latest it waits for; in topological order. What is unknown is not
 * waited for, and whoever waits in a circle has no level: records that were merged are shown, whatever they say.
 */
export function levelsOf(features: readonly Planned[]): Map<FeatureName, number> {
  const dependents = dependentsIn(features);
  const waitsFor = new Map<FeatureName, number>(features.map(({ name }) => [name, 0]));
  for (const names of dependents.values()) for (const name of names) waitsFor.set(name, (waitsFor.get(name) ?? 0) + 1);
  const levels = new Map<FeatureName, number>();
  let ready = features.filter(({ name }) => waitsFor.get(name) === 0).map(({ name }) => name);
  for (let level = 1; ready.length > 0; level++) {
    for (const name of ready) levels.set(name, level);
    ready = ready.flatMap((name) => (dependents.get(name) ?? []).filter((next) => isFreed(waitsFor, next)));
  }
  return levels;
}

/** Every feature after all that it depends on: by wave, and in a wave by name. */
export function orderOf(features: readonly Planned[]): FeatureName[] {
  const waves = wavesOf(features);
  return [...waves.keys()].toSorted((a, b) => (waves.get(a) ?? 0) - (waves.get(b) ?? 0) || byText(a, b));
}

/**
 * Features that others build on: those the user calls so, and those that wait for nothing, that two or more wait for and
 * that speak of models, errors, logging and the like.
 */
export function foundationsOf(features: readonly Planned[]): Set<FeatureName> {
  const dependents = dependentsIn(features);
  const isLikely = ({ name, description = "", dependencies }: Planned): boolean =>
    dependencies.length === 0 &&
    (dependents.get(name)?.length ?? 0) >= 2 &&
    FOUNDATION_WORD.test(`${name} ${description}`);
  return new Set(features.filter((feature) => isDeclared(feature) || isLikely(feature)).map(({ name }) => name));
}

/** Who depends on each feature directly: made once, where many are asked about. */
export function dependentsIn(features: readonly Planned[]): Dependents {
  const dependents = new Map<FeatureName, FeatureName[]>(features.map(({ name }) => [name, []]));
  for (const { name, dependencies } of features) for (const on of new Set(dependencies)) dependents.get(on)?.push(name);
  for (const names of dependents.values()) names.sort(byText);
  return dependents;
}

/** Who depends on it directly. */
export function dependentsOf(features: readonly Planned[], name: FeatureName): readonly FeatureName[] {
  return dependentsIn(features).get(name) ?? [];
}

/** Everybody who depends on it, over however many others: the nearest first. */
export function downstreamOf(features: readonly Planned[], name: FeatureName): FeatureName[] {
  return downstreamIn(dependentsIn(features), [name]);
}

/** Everybody who depends on one of these, and is none of them. */
export function downstreamIn(dependents: Dependents, names: readonly FeatureName[]): FeatureName[] {
  const seen = new Set(names);
  // A set hands out what is added while it is gone through.
  for (const name of seen) for (const next of dependents.get(name) ?? []) seen.add(next);
  return [...seen].slice(new Set(names).size);
}

/** In the order of their code units, which is the same on every machine. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const isDeclared = ({ foundation }: Planned): boolean => foundation === true;

/** These and all that they depend on. */
function needed(features: readonly Planned[], wanted: readonly Planned[]): Set<FeatureName> {
  const byName = new Map(features.map((feature) => [feature.name, feature]));
  const names = new Set(wanted.map(({ name }) => name));
  for (const name of names) for (const on of byName.get(name)?.dependencies ?? []) names.add(on);
  return names;
}

/** Counts one dependency as met. */
function isFreed(waitsFor: Map<FeatureName, number>, name: FeatureName): boolean {
  const left = (waitsFor.get(name) ?? 0) - 1;
  waitsFor.set(name, left);
  return left === 0;
}

function refuseUnknown(features: readonly Planned[]): void {
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

/** Each of these waits for another of these, so whoever follows that comes by one of them again. */
function refuseCircle(stuck: readonly Planned[]): never {
  const byName = new Map(stuck.map((feature) => [feature.name, feature]));
  const next = (name: FeatureName): FeatureName =>
    (byName.get(name)?.dependencies ?? []).filter((on) => byName.has(on)).toSorted(byText)[0] ?? name;
  const trail = new Set<FeatureName>();
  let name = [...byName.keys()].toSorted(byText)[0] as FeatureName;
  for (; !trail.has(name); name = next(name)) trail.add(name);
  const circle = [...trail].slice([...trail].indexOf(name));
  const first = circle.indexOf(circle.toSorted(byText)[0] as FeatureName);
  const path = [...circle.slice(first), ...circle.slice(0, first + 1)];
  throw new Fault("roadmap.cycle", {
    what: "The features cannot be put in an order.",
    why: `They wait for each other: ${along(path)}.`,
    fix: `Take one of these dependencies away, such as the one of ${path.at(-2)} on ${path.at(-1)}.`,
  });
}

/** By wave, features that stand alone last, and in a wave by name. */
export const byPlace = (a: FeatureRecord, b: FeatureRecord): number =>
  (a.roadmap?.wave ?? Infinity) - (b.roadmap?.wave ?? Infinity) || byText(a.feature_name, b.feature_name);

import { PathSet } from "../feature/claimed-path.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord } from "../feature/feature-record.ts";
import {
  compareCodeUnits,
  type FeatureDependents,
  mapFeatureDependents,
  type PlannedFeature,
} from "../dependency-graph.ts";
import type { ActionAssignment, FeatureGoal, Lead } from "./lead-state.ts";

/** The sorted features, cached per immutable feature map. */
interface FeatureRoster {
  readonly order: readonly FeatureRecord[];
  readonly byWave: ReadonlyMap<number, readonly FeatureRecord[]>;
  readonly placed: number;
}

export interface LeadView extends FeatureRoster {
  readonly lead: Lead;
  readonly agreed: ReadonlySet<string>;
  /** Assignments by the first part of the action id: a feature, `wave-2`, `all`. */
  readonly outOf: ReadonlyMap<string, readonly ActionAssignment[]>;
  readonly held: Pick<PathSet, "has" | "size">;
  /** The first wave whose gate is not done. */
  readonly openWave: number;
}

const rosterCache = new WeakMap<Lead["features"], FeatureRoster>();
const viewCache = new WeakMap<Lead, LeadView>();
const dependentsCache = new WeakMap<Lead["features"], FeatureDependents>();

export function getLeadView(lead: Lead): LeadView {
  const known = viewCache.get(lead);
  if (known) return known;
  const roster = getFeatureRoster(lead.features);
  const outOf = Map.groupBy(lead.out.values(), ({ action }) => action.id.slice(0, action.id.indexOf("/")));
  const view: LeadView = {
    ...roster,
    lead,
    agreed: new Set(lead.run.agreed),
    outOf,
    held: collectHeldFiles(lead),
    openWave: findOpenWave(lead, roster),
  };
  viewCache.set(lead, view);
  return view;
}

function getFeatureRoster(features: Lead["features"]): FeatureRoster {
  const known = rosterCache.get(features);
  if (known) return known;
  const order = [...features.values()].toSorted(
    (a, b) => getFeatureWave(a) - getFeatureWave(b) || compareCodeUnits(a.feature_name, b.feature_name),
  );
  const placed = order.filter(({ roadmap }) => roadmap !== null);
  const roster = { order, byWave: Map.groupBy(placed, getFeatureWave), placed: placed.length };
  rosterCache.set(features, roster);
  return roster;
}

export const NO_WAVE = Number.POSITIVE_INFINITY;

export const getFeatureWave = ({ roadmap }: FeatureRecord): number => roadmap?.wave ?? NO_WAVE;

/** Skipped dependencies do not count. */
export function getActiveDependents(features: Lead["features"]): FeatureDependents {
  const known = dependentsCache.get(features);
  if (known) return known;
  const made = mapFeatureDependents([...features.values()].map((record) => createActivePlan(record)));
  dependentsCache.set(features, made);
  return made;
}

const createActivePlan = (record: FeatureRecord): PlannedFeature => ({
  name: record.feature_name,
  dependencies: listActiveDependencies(record),
});

/** Dependencies without the skipped ones. */
export function listActiveDependencies({ roadmap }: FeatureRecord): readonly FeatureName[] {
  if (!roadmap) return [];
  return roadmap.skipped.length === 0
    ? roadmap.dependencies
    : roadmap.dependencies.filter((name) => !roadmap.skipped.includes(name));
}

export function getFeatureGoal({ run }: Lead, { feature_name: name, roadmap }: FeatureRecord): FeatureGoal | null {
  if (run.isOn && roadmap) return "done";
  return Object.hasOwn(run.goals, name) ? (run.goals[name] ?? null) : null;
}

function collectHeldFiles({ features, out }: Lead): PathSet {
  const held = new PathSet();
  for (const { action } of out.values()) {
    if (action.kind !== "spawn" || action.work.of !== "build") continue;
    const { feature, group } = action.work;
    const its = features.get(feature)?.implementation.groups.find(({ id }) => id === group);
    for (const file of its?.files ?? []) held.add(file);
  }
  return held;
}

function findOpenWave(lead: Lead, { byWave }: FeatureRoster): number {
  for (const [wave, records] of byWave) if (!isWaveFinished(lead, wave, records)) return wave;
  return Number.POSITIVE_INFINITY;
}

/** A wave whose features are all blocked has nothing left to do. */
function isWaveFinished(lead: Lead, wave: number, records: readonly FeatureRecord[]): boolean {
  return lead.waves.get(wave)?.step === "done" || records.every(({ phase }) => phase === "blocked");
}

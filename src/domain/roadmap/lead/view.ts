import { PathSet } from "../../feature/file-path.ts";
import type { FeatureName } from "../../feature/name.ts";
import type { FeatureRecord } from "../../feature/record.ts";
import { byText, type Dependents, dependentsIn, type Planned } from "../graph.ts";
import type { HandedOut, Goal, Lead } from "./state.ts";

/** The sorted features, cached per immutable feature map. */
interface Roster {
  readonly order: readonly FeatureRecord[];
  readonly byWave: ReadonlyMap<number, readonly FeatureRecord[]>;
  readonly placed: number;
}

export interface View extends Roster {
  readonly lead: Lead;
  readonly agreed: ReadonlySet<string>;
  /** Assignments by the first part of the action id: a feature, `wave-2`, `all`. */
  readonly outOf: ReadonlyMap<string, readonly HandedOut[]>;
  readonly held: Pick<PathSet, "has" | "size">;
  /** The first wave whose gate is not done. */
  readonly openWave: number;
}

const rosters = new WeakMap<Lead["features"], Roster>();
const views = new WeakMap<Lead, View>();
const dependents = new WeakMap<Lead["features"], Dependents>();

export function viewOf(lead: Lead): View {
  const known = views.get(lead);
  if (known) return known;
  const roster = rosterOf(lead.features);
  const outOf = Map.groupBy(lead.out.values(), ({ action }) => action.id.slice(0, action.id.indexOf("/")));
  const view: View = {
    ...roster,
    lead,
    agreed: new Set(lead.run.agreed),
    outOf,
    held: heldIn(lead),
    openWave: openWaveIn(lead, roster),
  };
  views.set(lead, view);
  return view;
}

function rosterOf(features: Lead["features"]): Roster {
  const known = rosters.get(features);
  if (known) return known;
  const order = [...features.values()].toSorted(
    (a, b) => waveOf(a) - waveOf(b) || byText(a.feature_name, b.feature_name),
  );
  const placed = order.filter(({ roadmap }) => roadmap !== null);
  const roster = { order, byWave: Map.groupBy(placed, waveOf), placed: placed.length };
  rosters.set(features, roster);
  return roster;
}

export const STANDING_ALONE = Number.POSITIVE_INFINITY;

export const waveOf = ({ roadmap }: FeatureRecord): number => roadmap?.wave ?? STANDING_ALONE;

/** Skipped dependencies do not count. */
export function dependentsOf(features: Lead["features"]): Dependents {
  const known = dependents.get(features);
  if (known) return known;
  const made = dependentsIn([...features.values()].map((record) => plannedAs(record)));
  dependents.set(features, made);
  return made;
}

const plannedAs = (record: FeatureRecord): Planned => ({
  name: record.feature_name,
  dependencies: neededBy(record),
});

/** Dependencies without the skipped ones. */
export function neededBy({ roadmap }: FeatureRecord): readonly FeatureName[] {
  if (!roadmap) return [];
  return roadmap.skipped.length === 0
    ? roadmap.dependencies
    : roadmap.dependencies.filter((name) => !roadmap.skipped.includes(name));
}

export function aimOf({ run }: Lead, { feature_name: name, roadmap }: FeatureRecord): Goal | null {
  if (run.isOn && roadmap) return "done";
  return Object.hasOwn(run.goals, name) ? (run.goals[name] ?? null) : null;
}

function heldIn({ features, out }: Lead): PathSet {
  const held = new PathSet();
  for (const { action } of out.values()) {
    if (action.kind !== "spawn" || action.work.of !== "build") continue;
    const { feature, group } = action.work;
    const its = features.get(feature)?.implementation.groups.find(({ id }) => id === group);
    for (const file of its?.files ?? []) held.add(file);
  }
  return held;
}

function openWaveIn(lead: Lead, { byWave }: Roster): number {
  for (const [wave, records] of byWave) if (!isWaveOver(lead, wave, records)) return wave;
  return Number.POSITIVE_INFINITY;
}

/** A wave whose features are all blocked has nothing left to do. */
function isWaveOver(lead: Lead, wave: number, records: readonly FeatureRecord[]): boolean {
  return lead.waves.get(wave)?.step === "done" || records.every(({ phase }) => phase === "blocked");
}

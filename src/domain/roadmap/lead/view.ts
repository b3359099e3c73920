import { PathSet } from "../../feature/file-path.ts";
import type { FeatureName } from "../../feature/name.ts";
import type { FeatureRecord } from "../../feature/record.ts";
import { byText, type Dependents, dependentsIn, type Planned } from "../graph.ts";
import type { HandedOut, Goal, Lead } from "./state.ts";

/** The features in their order. Made once for a map of features, which nobody changes. */
interface Roster {
  /** By wave, and in a wave by name; those that stand alone come last. */
  readonly order: readonly FeatureRecord[];
  /** Waves that have features, the first one first. */
  readonly byWave: ReadonlyMap<number, readonly FeatureRecord[]>;
  readonly placed: number;
}

/** The Lead as decisions look at it. */
export interface View extends Roster {
  readonly lead: Lead;
  readonly agreed: ReadonlySet<string>;
  /** Who is at work, by the head of what they do: a feature, `wave-2`, `all`. */
  readonly outOf: ReadonlyMap<string, readonly HandedOut[]>;
  /** Files of groups that somebody builds. */
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

/** After all waves: features without a place in the roadmap. */
export const STANDING_ALONE = Number.POSITIVE_INFINITY;

export const waveOf = ({ roadmap }: FeatureRecord): number => roadmap?.wave ?? STANDING_ALONE;

/** Who builds on each feature and was not told to do without it. */
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

/** What a feature depends on, but for what the user let go. */
export function neededBy({ roadmap }: FeatureRecord): readonly FeatureName[] {
  if (!roadmap) return [];
  return roadmap.skipped.length === 0
    ? roadmap.dependencies
    : roadmap.dependencies.filter((name) => !roadmap.skipped.includes(name));
}

/** How far a feature is to be brought now; nothing where nobody wants anything of it. */
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

/** Its gate is done; or nothing of it can be done, and there is nothing to look at. */
function isWaveOver(lead: Lead, wave: number, records: readonly FeatureRecord[]): boolean {
  return lead.waves.get(wave)?.step === "done" || records.every(({ phase }) => phase === "blocked");
}

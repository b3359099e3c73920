import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { compareTexts } from "#kernel/model/text-format.ts";
import {
  assignFeatureWaves,
  collectDownstreamFeatures,
  computeDependencyLevels,
  listPlannedFeatures,
  mapFeatureDependents,
  pickFoundationFlag,
  type PlannedFeature,
  sortFeaturesByWave,
} from "./dependency-graph.ts";
import { getReachedPhase, isBehindFeature } from "./feature-progress.ts";
import type { FeatureRecord } from "./feature/feature-record.ts";
import type { Lead, LeadEvent } from "./lead/lead-state.ts";

export interface RequestedFeature extends PlannedFeature {
  readonly description: string;
}

const ROADMAP_DIFFERENCE_KINDS = [
  "missing",
  "orphaned",
  "dependency-change",
  /** Not in a later wave than all its dependencies. */
  "wave-mismatch",
  "phase-regression",
  /** Blocked by a feature it does not depend on, or not blocked although a dependency failed. */
  "blocked-cascade",
] as const;
type RoadmapDifferenceKind = (typeof ROADMAP_DIFFERENCE_KINDS)[number];

/** SAFE: no wave changes. WAVE_REORDER: a feature moves. SCOPE_CHANGE: features are added, removed or rebuilt. */
const UPDATE_IMPACTS = ["SAFE", "WAVE_REORDER", "SCOPE_CHANGE"] as const;
type UpdateImpact = (typeof UPDATE_IMPACTS)[number];

export type RoadmapDifference = ReturnType<typeof createDifference>;

export const listCurrentRequests = ({ features }: Lead): RequestedFeature[] =>
  listPlannedFeatures(features.values()).map((feature) => ({ description: "", ...feature }));

/** Lists the differences between the roadmap and the request, each to be selected. Throws on cycles. */
export function findRoadmapDifferences(lead: Lead, wanted: readonly RequestedFeature[]): RoadmapDifference[] {
  const waves = assignExistingWaves(lead, wanted);
  const names = new Set(wanted.map(({ name }) => name));
  const orphaned = listCurrentRequests(lead).filter(({ name }) => !names.has(name));
  const found = [
    ...wanted.flatMap((feature) => comparePlacement(lead, feature, waves.get(feature.name) ?? 1)),
    ...orphaned.map(({ name }) => {
      const what = `${name} is ${formatFeaturePhase(lead, name)}, but no longer in the plan.`;
      return createDifference("orphaned", name, "SCOPE_CHANGE", what);
    }),
    ...wanted.flatMap((feature) => {
      const late = listDependenciesBehind(lead, feature).map((on) => `${on} (${formatFeaturePhase(lead, on)})`);
      if (late.length === 0) return [];
      const { name } = feature;
      const impact = createCatchUpRevision(lead, feature).length > 0 ? "SCOPE_CHANGE" : "SAFE";
      const what = `${name} is ${formatFeaturePhase(lead, name)}, ahead of what it builds on: ${late.join(", ")}.`;
      return [createDifference("phase-regression", name, impact, what)];
    }),
    ...compareBlockedFeatures(lead, wanted),
  ];
  const rank = ({ kind }: RoadmapDifference): number => ROADMAP_DIFFERENCE_KINDS.indexOf(kind);
  return found.toSorted((a, b) => rank(a) - rank(b) || compareTexts(a.feature, b.feature));
}

export function pickHighestUpdateImpact(differences: readonly RoadmapDifference[]): UpdateImpact {
  const grave = Math.max(0, ...differences.map(({ impact }) => UPDATE_IMPACTS.indexOf(impact)));
  return UPDATE_IMPACTS[grave] ?? "SAFE";
}

/** Resolves the selected differences. Dependencies come before and go after their dependents, and none may be missing. */
export function createUpdateEvents(
  lead: Lead,
  wanted: readonly RequestedFeature[],
  isChosen: (id: string) => boolean,
  begin: (feature: RequestedFeature, wave: number) => LeadEvent,
): LeadEvent[] {
  const chosen = findRoadmapDifferences(lead, wanted).filter(({ id }) => isChosen(id));
  const asked = new Map(wanted.map((feature) => [feature.name, feature]));
  const target = new Map(listCurrentRequests(lead).map((feature) => [feature.name, feature]));
  for (const { kind, feature } of chosen) {
    const as = asked.get(feature);
    if (kind === "orphaned") target.delete(feature);
    else if (as && (kind === "missing" || kind === "dependency-change")) target.set(feature, as);
  }
  const waves = assignExistingWaves(lead, [...target.values()]);
  const named = (...kinds: readonly RoadmapDifferenceKind[]): Set<FeatureName> =>
    new Set(chosen.filter(({ kind }) => kinds.includes(kind)).map(({ feature }) => feature));
  const placed = named("missing", "dependency-change", "wave-mismatch");
  const levels = computeDependencyLevels(listCurrentRequests(lead));
  const dependentsFirst = [...named("orphaned")].toSorted(
    (a, b) => (levels.get(b) ?? 0) - (levels.get(a) ?? 0) || compareTexts(a, b),
  );
  return [
    ...sortFeaturesByWave([...target.values()]).flatMap((name): LeadEvent[] => {
      const feature = target.get(name);
      if (!feature || !placed.has(name)) return [];
      const wave = waves.get(name) ?? 1;
      if (!lead.features.has(name)) return [begin(feature, wave)];
      const { dependencies } = feature;
      return [{ kind: "placed", feature: name, wave, dependencies, ...pickFoundationFlag(feature) }];
    }),
    ...dependentsFirst.map((feature): LeadEvent => ({ kind: "feature-removed", feature })),
    ...[...named("phase-regression")].flatMap((feature) => createCatchUpRevision(lead, target.get(feature))),
  ];
}

function comparePlacement(lead: Lead, { name, dependencies }: RequestedFeature, wave: number): RoadmapDifference[] {
  const record = lead.features.get(name);
  if (!record?.roadmap) {
    const how = record ? `${name} is independent` : `${name} is new`;
    return [createDifference("missing", name, "SCOPE_CHANGE", `${how}, and goes into wave ${wave}.`)];
  }
  const { wave: own, dependencies: had } = record.roadmap;
  const come = dependencies.filter((on) => !had.includes(on)).toSorted();
  const gone = had.filter((on) => !dependencies.includes(on)).toSorted();
  const moves = own === wave ? "" : `, and goes from wave ${own} to wave ${wave}`;
  const impact = own === wave ? "SAFE" : "WAVE_REORDER";
  const changes = [
    ...(come.length > 0 ? [`depends on ${come.join(", ")} as well`] : []),
    ...(gone.length > 0 ? [`no longer depends on ${gone.join(", ")}`] : []),
  ];
  if (changes.length > 0)
    return [createDifference("dependency-change", name, impact, `${name} ${changes.join(" and ")}${moves}.`)];
  if (own === wave) return [];
  return [
    createDifference("wave-mismatch", name, impact, `${name} comes before a feature that it depends on${moves}.`),
  ];
}

function listDependenciesBehind({ features }: Lead, { name, dependencies }: PlannedFeature): FeatureName[] {
  const record = features.get(name);
  if (record === undefined) return [];
  return dependencies.filter((on) => {
    const other = features.get(on);
    return other !== undefined && !other.blocked_info?.is_skipped && isBehindFeature(other, record);
  });
}

/** Only a built feature is revised. Any other waits for its dependencies anyway. */
function createCatchUpRevision(lead: Lead, feature: PlannedFeature | undefined): LeadEvent[] {
  const record = feature && lead.features.get(feature.name);
  if (record?.phase !== "implementation-complete") return [];
  const on = listDependenciesBehind(lead, feature as PlannedFeature).join(", ");
  return [{ kind: "revised", feature: record.feature_name, intent: `Build on ${on} as it will be.` }];
}

function compareBlockedFeatures({ features }: Lead, wanted: readonly RequestedFeature[]): RoadmapDifference[] {
  const dependents = mapFeatureDependents(wanted);
  const causes = new Map<FeatureName, Set<FeatureName>>();
  for (const { feature_name: name, blocked_info: info } of features.values()) {
    if (info?.reason !== "retries_exhausted" || info.is_skipped) continue;
    for (const down of collectDownstreamFeatures(dependents, [name]))
      causes.set(down, (causes.get(down) ?? new Set()).add(name));
  }
  return wanted.flatMap(({ name }): RoadmapDifference[] => {
    const record = features.get(name);
    if (!record || record.blocked_info?.is_skipped) return [];
    const due = causes.get(name) ?? new Set<FeatureName>();
    const by = record.blocked_info?.blocked_by.filter((other) => other !== name) ?? [];
    const free = by.filter((other) => !due.has(other)).toSorted();
    const more = [...due].filter((other) => !by.includes(other)).toSorted();
    return [
      ...(more.length > 0 ? [`${name} is held up by ${more.join(", ")}, which failed.`] : []),
      ...(free.length > 0 ? [`${name} is blocked by ${free.join(", ")}, on which it does not build.`] : []),
    ].map((what) => createDifference("blocked-cascade", name, "SAFE", what));
  });
}

function formatFeaturePhase({ features }: Lead, name: FeatureName): string {
  const record: FeatureRecord | undefined = features.get(name);
  if (record === undefined) return "new";
  return record.phase === "blocked" ? `blocked at ${getReachedPhase(record)}` : record.phase;
}

/** The id selects it: `missing/user-login`. */
function createDifference(kind: RoadmapDifferenceKind, feature: FeatureName, impact: UpdateImpact, what: string) {
  return { id: `${kind}/${feature}`, kind, feature, impact, what };
}

/** A placed feature keeps its wave if possible. A new one joins the last open wave, a foundation the first. */
function assignExistingWaves(lead: Lead, features: readonly PlannedFeature[]): Map<FeatureName, number> {
  const had = new Map<FeatureName, number>();
  for (const { feature_name: name, roadmap } of lead.features.values()) if (roadmap) had.set(name, roadmap.wave);
  if (had.size === 0) return assignFeatureWaves(features);
  const planned = [...new Set(had.values())];
  const open = planned.filter((wave) => lead.waves.get(wave)?.step !== "done");
  if (open.length === 0) open.push(Math.max(...planned) + 1);
  const byName = new Map(features.map((feature) => [feature.name, feature]));
  const waves = new Map<FeatureName, number>();
  for (const name of sortFeaturesByWave(features)) {
    const { dependencies = [], foundation = false } = byName.get(name) ?? {};
    const earliest = Math.max(0, ...dependencies.map((on) => waves.get(on) ?? 0)) + 1;
    const own = had.get(name);
    const isBackfilled = dependencies.length === 0 && !foundation;
    const place = own ?? (isBackfilled ? Math.max(...open) : Math.min(...open));
    waves.set(name, Math.max(place, earliest));
  }
  return waves;
}

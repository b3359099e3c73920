import type { FeatureName } from "../feature/name.ts";
import type { FeatureRecord } from "../feature/record.ts";
import {
  byText,
  dependentsIn,
  downstreamIn,
  foundationOf,
  levelsOf,
  orderOf,
  type Planned,
  plannedIn,
} from "./graph.ts";
import type { LeadEvent } from "./lead/event.ts";
import type { Lead } from "./lead/state.ts";
import { placesOf } from "./placement.ts";
import { isBehind, reached } from "./standing.ts";

export interface Wanted extends Planned {
  readonly description: string;
}

const DIFFERENCE_KINDS = [
  "missing",
  "orphaned",
  "dependency-change",
  /** Not in a later wave than all its dependencies. */
  "wave-mismatch",
  "phase-regression",
  /** Blocked by a feature it does not depend on, or not blocked although a dependency failed. */
  "blocked-cascade",
] as const;
type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** SAFE: no wave changes. WAVE_REORDER: a feature moves. SCOPE_CHANGE: features are added, removed or rebuilt. */
const IMPACTS = ["SAFE", "WAVE_REORDER", "SCOPE_CHANGE"] as const;
export type UpdateImpact = (typeof IMPACTS)[number];

export interface Difference {
  /** The id to select it with: `missing/user-login`. */
  readonly id: string;
  readonly kind: DifferenceKind;
  readonly feature: FeatureName;
  readonly impact: UpdateImpact;
  readonly what: string;
}

export function wantedNow({ features }: Lead): Wanted[] {
  return plannedIn(features.values()).map((feature) => ({ description: "", ...feature }));
}

/**
 * Lists the differences between the roadmap and the request; the user selects each one separately. Throws on cycles.
 */
export function roadmapDifferences(lead: Lead, wanted: readonly Wanted[]): Difference[] {
  const waves = placesOf(lead, wanted);
  const names = new Set(wanted.map(({ name }) => name));
  const orphaned = wantedNow(lead).filter(({ name }) => !names.has(name));
  const found = [
    ...wanted.flatMap((feature) => placeDifference(lead, feature, waves.get(feature.name) ?? 1)),
    ...orphaned.map(({ name }) =>
      difference("orphaned", name, "SCOPE_CHANGE", `${name} is ${phaseText(lead, name)}, and not wanted any more.`),
    ),
    ...wanted.flatMap((feature) => phaseDifference(lead, feature)),
    ...blockedDifferences(lead, wanted),
  ];
  return found.toSorted(
    (a, b) => DIFFERENCE_KINDS.indexOf(a.kind) - DIFFERENCE_KINDS.indexOf(b.kind) || byText(a.feature, b.feature),
  );
}

export function impactOfAll(differences: readonly Difference[]): UpdateImpact {
  const grave = Math.max(0, ...differences.map(({ impact }) => IMPACTS.indexOf(impact)));
  return IMPACTS[grave] ?? "SAFE";
}

/**
 * Creates the events that resolve the selected differences. Dependencies are added before and removed after their
 * dependents. Checks the resulting roadmap: a feature leaves only if no other depends on it, and arrives only with its
 * dependencies.
 */
export function updateOf(
  lead: Lead,
  wanted: readonly Wanted[],
  isChosen: (id: string) => boolean,
  begin: (feature: Wanted, wave: number) => LeadEvent,
): LeadEvent[] {
  const chosen = roadmapDifferences(lead, wanted).filter(({ id }) => isChosen(id));
  const target = targetOf(lead, wanted, chosen);
  const waves = placesOf(lead, [...target.values()]);
  const named = (...kinds: readonly DifferenceKind[]): Set<FeatureName> =>
    new Set(chosen.filter(({ kind }) => kinds.includes(kind)).map(({ feature }) => feature));
  const placed = named("missing", "dependency-change", "wave-mismatch");
  const removed = named("orphaned");
  return [
    ...orderOf([...target.values()]).flatMap((name): LeadEvent[] => {
      const feature = target.get(name);
      if (!feature || !placed.has(name)) return [];
      const wave = waves.get(name) ?? 1;
      if (!lead.features.has(name)) return [begin(feature, wave)];
      const { dependencies } = feature;
      return [{ kind: "placed", feature: name, wave, dependencies, ...foundationOf(feature) }];
    }),
    ...lastFirst(lead, removed).map((feature): LeadEvent => ({ kind: "feature-removed", feature })),
    ...[...named("phase-regression")].flatMap((feature) => revision(lead, target.get(feature))),
  ];
}

function lastFirst(lead: Lead, names: ReadonlySet<FeatureName>): FeatureName[] {
  const levels = levelsOf(wantedNow(lead));
  return [...names].toSorted((a, b) => (levels.get(b) ?? 0) - (levels.get(a) ?? 0) || byText(a, b));
}

function targetOf(lead: Lead, wanted: readonly Wanted[], chosen: readonly Difference[]): Map<FeatureName, Wanted> {
  const asked = new Map(wanted.map((feature) => [feature.name, feature]));
  const target = new Map(wantedNow(lead).map((feature) => [feature.name, feature]));
  for (const { kind, feature } of chosen) {
    const as = asked.get(feature);
    if (kind === "orphaned") target.delete(feature);
    else if (as && (kind === "missing" || kind === "dependency-change")) target.set(feature, as);
  }
  return target;
}

function placeDifference(lead: Lead, { name, dependencies }: Wanted, wave: number): Difference[] {
  const record = lead.features.get(name);
  if (!record?.roadmap) {
    const how = record ? `${name} stands alone` : `${name} is new`;
    return [difference("missing", name, "SCOPE_CHANGE", `${how}, and goes into wave ${wave}.`)];
  }
  const { wave: own, dependencies: had } = record.roadmap;
  const come = dependencies.filter((on) => !had.includes(on)).toSorted(byText);
  const gone = had.filter((on) => !dependencies.includes(on)).toSorted(byText);
  const moves = own === wave ? "" : `, and goes from wave ${own} to wave ${wave}`;
  const impact = own === wave ? "SAFE" : "WAVE_REORDER";
  if (come.length > 0 || gone.length > 0) {
    const changes = [
      ...(come.length > 0 ? [`depends on ${come.join(", ")} as well`] : []),
      ...(gone.length > 0 ? [`does not depend on ${gone.join(", ")} any more`] : []),
    ];
    return [difference("dependency-change", name, impact, `${name} ${changes.join(" and ")}${moves}.`)];
  }
  return own === wave
    ? []
    : [difference("wave-mismatch", name, impact, `${name} is not after all it depends on${moves}.`)];
}

function phaseDifference(lead: Lead, feature: Wanted): Difference[] {
  const late = behind(lead, feature).map((on) => `${on} (${phaseText(lead, on)})`);
  if (late.length === 0) return [];
  const impact = revision(lead, feature).length > 0 ? "SCOPE_CHANGE" : "SAFE";
  const what = `${feature.name} is ${phaseText(lead, feature.name)}, ahead of what it builds on: ${late.join(", ")}.`;
  return [difference("phase-regression", feature.name, impact, what)];
}

function behind({ features }: Lead, { name, dependencies }: Planned): FeatureName[] {
  const record = features.get(name);
  if (record === undefined) return [];
  return dependencies.filter((on) => {
    const other = features.get(on);
    return other !== undefined && !other.blocked_info?.is_skipped && isBehind(other, record);
  });
}

/** Only a built feature is revised. Any other waits for its dependencies anyway. */
function revision(lead: Lead, feature: Planned | undefined): LeadEvent[] {
  const record = feature && lead.features.get(feature.name);
  if (record?.phase !== "implementation-complete") return [];
  const on = behind(lead, feature as Planned).join(", ");
  return [{ kind: "revised", feature: record.feature_name, intent: `Build on ${on} as it will be.` }];
}

function blockedDifferences({ features }: Lead, wanted: readonly Wanted[]): Difference[] {
  const dependents = dependentsIn(wanted);
  const causes = new Map<FeatureName, Set<FeatureName>>();
  for (const { feature_name: name, blocked_info: info } of features.values()) {
    if (info?.reason !== "retries_exhausted" || info.is_skipped) continue;
    for (const down of downstreamIn(dependents, [name])) causes.set(down, (causes.get(down) ?? new Set()).add(name));
  }
  return wanted.flatMap(({ name }): Difference[] => {
    const record = features.get(name);
    if (!record || record.blocked_info?.is_skipped) return [];
    const due = causes.get(name) ?? new Set<FeatureName>();
    const by = record.blocked_info?.blocked_by.filter((other) => other !== name) ?? [];
    const free = by.filter((other) => !due.has(other)).toSorted(byText);
    const more = [...due].filter((other) => !by.includes(other)).toSorted(byText);
    return [
      ...(more.length > 0 ? [`${name} is held up by ${more.join(", ")}, which failed.`] : []),
      ...(free.length > 0 ? [`${name} is blocked by ${free.join(", ")}, on which it does not build.`] : []),
    ].map((what) => difference("blocked-cascade", name, "SAFE", what));
  });
}

function phaseText({ features }: Lead, name: FeatureName): string {
  const record: FeatureRecord | undefined = features.get(name);
  if (record === undefined) return "new";
  return record.phase === "blocked" ? `blocked at ${reached(record)}` : record.phase;
}

const difference = (kind: DifferenceKind, feature: FeatureName, impact: UpdateImpact, what: string): Difference => ({
  id: `${kind}/${feature}`,
  kind,
  feature,
  impact,
  what,
});

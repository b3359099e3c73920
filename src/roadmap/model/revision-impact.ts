import type { DesignCriterion, DesignSpec, CriterionStability } from "./feature/design-criteria.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord } from "./feature/feature-record.ts";
import {
  mapFeatureDependents,
  collectDownstreamFeatures,
  listPlannedFeatures,
  compareRoadmapPosition,
  computeDependencyLevels,
} from "./dependency-graph.ts";
import { getOfferedHash } from "./feature-progress.ts";
import type { Lead } from "./lead/lead-state.ts";
import type { Problem } from "#kernel/model/verdict.ts";

/** How a design change affects dependent features, from least to most severe. */
const IMPACT_CLASSES = ["COMPATIBLE", "UNKNOWN", "INTERFACE", "BREAKING"] as const;
export type ImpactClass = (typeof IMPACT_CLASSES)[number];

type ImpactReach = "direct" | "transitive";

const IMPACT_BY_STABILITY: Readonly<Record<CriterionStability, ImpactClass>> = {
  constraint: "BREAKING",
  contract: "INTERFACE",
  behavior: "COMPATIBLE",
};

/** Compares designs by the stability tags of their criteria. A criterion that only moved counts as unchanged. */
export function compareDesignVersions(before: readonly DesignSpec[], after: readonly DesignSpec[]) {
  const [old, fresh] = [before, after].map((specs) => specs.flatMap(({ criteria }) => criteria)) as [
    DesignCriterion[],
    DesignCriterion[],
  ];
  const kept = matchUnchangedCriteria(old, fresh);
  const left = new Map(old.filter(({ id }) => !kept.old.has(id)).map((criterion) => [criterion.id, criterion]));
  const changed = fresh.filter(({ id }) => !kept.fresh.has(id));
  const changes = changed.map((criterion) => {
    const was = left.get(criterion.id);
    left.delete(criterion.id);
    const impact = pickHighestImpact([criterion, ...(was ? [was] : [])].map(classifyCriterionImpact));
    return { kind: was ? "changed" : "added", id: criterion.id, impact };
  });
  for (const criterion of left.values())
    changes.push({ kind: "removed", id: criterion.id, impact: classifyCriterionImpact(criterion) });
  return { impact: changes.length > 0 ? pickHighestImpact(changes.map(({ impact }) => impact)) : null, changes };
}

export const listImpactConsequences = (lead: Lead, feature: FeatureName, impact: ImpactClass | null) =>
  listReachedRecords(lead, feature).map(({ record, reach }) => {
    return { feature: record.feature_name, reach, ...decideImpactConsequence(record, reach, impact) };
  });

function listReachedRecords({ features }: Lead, feature: FeatureName) {
  const dependents = mapFeatureDependents(listPlannedFeatures(features.values()));
  const direct = new Set(dependents.get(feature));
  return collectDownstreamFeatures(dependents, [feature]).flatMap((name) => {
    const record = features.get(name);
    const reach: ImpactReach = direct.has(name) ? "direct" : "transitive";
    return record ? [{ record, reach }] : [];
  });
}

/** `stale`: dependencies whose design changed since this feature was designed. */
export function checkVersionAlignment({ features }: Lead, record: FeatureRecord) {
  const { design, implementation } = record.version_refs;
  const basis = Object.entries(record.design?.basis ?? {}) as [FeatureName, string][];
  const stale = basis.flatMap(([name, hash]) => {
    const other = features.get(name);
    const now = other && getOfferedHash(other);
    return now === undefined || now === hash ? [] : [name];
  });
  const built = implementation === null ? "not implemented" : "behind its design";
  const state = design === implementation ? "aligned" : built;
  return { design, implementation, state: design === null ? "nothing yet" : state, stale };
}

function decideImpactConsequence({ phase }: FeatureRecord, reach: ImpactReach, impact: ImpactClass | null) {
  if (impact === null || impact === "COMPATIBLE") return { follows: "nothing", why: "What it builds on stays true." };
  if (phase !== "implementation-complete") return { follows: "nothing", why: NO_CONSEQUENCE_REASONS[phase] };
  if (impact === "BREAKING" && reach === "direct")
    return { follows: "re-implement", why: "A constraint that it builds on changed." };
  if (impact === "BREAKING") return { follows: "re-review", why: "A constraint behind its dependency changed." };
  if (reach === "transitive") return { follows: "nothing", why: "It affects direct callers only." };
  const why =
    impact === "INTERFACE" ? "A contract that it calls changed." : "The changed part has no tag, so it may matter.";
  return { follows: "re-review", why };
}

const NO_CONSEQUENCE_REASONS: Readonly<Record<Exclude<FeatureRecord["phase"], "implementation-complete">, string>> = {
  initialized: "It has no design yet.",
  "design-generated": "It goes back to its design by itself.",
  blocked: "It is blocked.",
};

const classifyCriterionImpact = ({ stability }: DesignCriterion): ImpactClass =>
  stability ? IMPACT_BY_STABILITY[stability] : "UNKNOWN";

const pickHighestImpact = (classes: readonly ImpactClass[]): ImpactClass =>
  IMPACT_CLASSES[Math.max(0, ...classes.map((impact) => IMPACT_CLASSES.indexOf(impact)))] ?? "UNKNOWN";

/** Criteria with the same text and tag before and after, whatever their ids. Matches the same id first, then any id. */
function matchUnchangedCriteria(old: readonly DesignCriterion[], fresh: readonly DesignCriterion[]) {
  const kept = { old: new Set<string>(), fresh: new Set<string>() };
  const take = (from: DesignCriterion, to: DesignCriterion): void => {
    kept.old.add(from.id);
    kept.fresh.add(to.id);
  };
  const byId = new Map(old.map((criterion) => [criterion.id, criterion]));
  for (const criterion of fresh) {
    const same = byId.get(criterion.id);
    if (same && normalizeCriterionText(same) === normalizeCriterionText(criterion)) take(same, criterion);
  }
  const byWording = Map.groupBy(
    old.filter(({ id }) => !kept.old.has(id)),
    normalizeCriterionText,
  );
  for (const criterion of fresh.filter(({ id }) => !kept.fresh.has(id))) {
    const same = byWording.get(normalizeCriterionText(criterion))?.shift();
    if (same) take(same, criterion);
  }
  return kept;
}

const normalizeCriterionText = ({ text, stability }: DesignCriterion): string =>
  `${stability ?? ""} ${text.replaceAll(/\s+/g, " ").trim()}`;

const FOLLOW_UP_CHOICES = ["re-review", "re-implement", "skip"] as const;

export const previewFeatureRevision = (lead: Lead, feature: FeatureName) => ({
  feature,
  problems: listRevisionProblems(lead, feature),
  reached: listReachedRecords(lead, feature).map(({ record: { feature_name, phase }, reach }) => {
    const choices = reach === "direct" && phase === "implementation-complete" ? FOLLOW_UP_CHOICES : [];
    const far = "It is affected indirectly: check it if the features between change their contracts.";
    return { feature: feature_name, reach, choices, summary: reach === "direct" ? DIRECT_REACH_TEXTS[phase] : far };
  }),
});

const DIRECT_REACH_TEXTS: Readonly<Record<FeatureRecord["phase"], string>> = {
  initialized: "It has no design yet.",
  "design-generated": "It goes back to its design as soon as the new one is accepted.",
  "implementation-complete": "It is implemented: a run reviews it again; with --gate you decide.",
  blocked: "It is blocked.",
};

/**
 * The intent names the `touched` features; the `cleared` ones need no change. FULL rebuilds, AUDIT checks, SKIP leaves
 * alone. Each tier depends only on earlier tiers.
 */
export function planCrossCuttingRevision(
  lead: Lead,
  touched: Iterable<FeatureName>,
  cleared: Iterable<FeatureName> = [],
) {
  const named = new Set(touched);
  const spared = new Set(cleared);
  const records = [...lead.features.values()].toSorted(compareRoadmapPosition);
  const revised = records.filter((record) => named.has(record.feature_name) && isRevisableFeature(record));
  const full = new Set(revised.map((record) => record.feature_name));
  const dependents = mapFeatureDependents(listPlannedFeatures(lead.features.values()));
  const near = new Map<FeatureName, FeatureName>();
  for (const name of full) for (const next of dependents.get(name) ?? []) if (!near.has(next)) near.set(next, name);
  const shares = records.map((record) => {
    const { feature_name: feature, phase } = record;
    const on = near.get(feature);
    if (full.has(feature)) return { feature, share: "FULL", why: "The intent names it." } as const;
    const share = isRevisableFeature(record) && !spared.has(feature) && on !== undefined ? "AUDIT" : "SKIP";
    if (phase === "blocked") return { feature, share, why: "It is blocked: unblock it first." };
    if (phase === "initialized") return { feature, share, why: "It has no design yet." };
    if (spared.has(feature)) return { feature, share, why: "It was checked and does not need to change." };
    return { feature, share, why: on === undefined ? "It builds on none of them." : `It builds on ${on}.` };
  });
  const mode = full.size > 1 ? "cross-cutting" : full.size === 1 ? "single" : "none";
  return { mode, shares, tiers: groupRevisionTiers(lead, full) } as const;
}

/** A feature without a design gets the intent with its first design. A blocked feature waits for the user. */
const isRevisableFeature = ({ phase }: FeatureRecord): boolean =>
  phase === "design-generated" || phase === "implementation-complete";

function listRevisionProblems({ features, waves }: Lead, name: FeatureName): Problem[] {
  const record = features.get(name);
  if (record === undefined) return [{ problem: `There is no feature ${name}.` }];
  const { phase, blocked_info, roadmap } = record;
  if (phase === "blocked")
    return [{ problem: `${name} is blocked by ${blocked_info?.blocked_by.join(", ") ?? name}.` }];
  if (phase !== "implementation-complete")
    return [{ problem: `${name} is ${phase}: only an implemented feature can be revised. Redesign it instead.` }];
  if (roadmap === null || listPlannedFeatures(features.values()).length === 1) return [];
  const gate = waves.get(roadmap.wave);
  // The commit count matters because this or another revision may have reopened the gate.
  if (gate?.step === "done" || (gate?.runs["commit"] ?? 0) > 0) return [];
  return [{ problem: `Wave ${roadmap.wave} is not finished: ${name} is revised after its gate.` }];
}

/** Counts revised features along each path, so a tier also waits across features that are not revised. */
function groupRevisionTiers({ features }: Lead, full: ReadonlySet<FeatureName>): FeatureName[][] {
  const planned = listPlannedFeatures(features.values());
  const on = new Map(planned.map(({ name, dependencies }) => [name, dependencies]));
  const before = new Map<FeatureName, number>();
  for (const name of computeDependencyLevels(planned).keys()) {
    const latest = Math.max(0, ...(on.get(name) ?? []).map((other) => before.get(other) ?? 0));
    before.set(name, latest + (full.has(name) ? 1 : 0));
  }
  const byTier = Map.groupBy([...full].toSorted(), (name) => before.get(name) ?? 1);
  return [...byTier].toSorted(([a], [b]) => a - b).map(([, names]) => names);
}

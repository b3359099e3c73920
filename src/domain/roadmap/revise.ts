import type { FeatureName } from "../feature/name.ts";
import type { FeatureRecord } from "../feature/record.ts";
import type { Problem } from "../gate/verdict.ts";
import {
  compareRoadmapPosition,
  compareCodeUnits,
  mapFeatureDependents,
  collectDownstreamFeatures,
  computeDependencyLevels,
  listPlannedFeatures,
} from "./graph.ts";
import type { Lead, WaveRecord } from "./lead/state.ts";

const FOLLOW_UP_CHOICES = ["re-review", "re-implement", "skip"] as const;
type FollowUpChoice = (typeof FOLLOW_UP_CHOICES)[number];

interface ReachedFeature {
  readonly feature: FeatureName;
  readonly reach: "direct" | "transitive";
  readonly choices: readonly FollowUpChoice[];
  readonly says: string;
}

export interface RevisePreview {
  readonly feature: FeatureName;
  readonly problems: readonly Problem[];
  readonly reached: readonly ReachedFeature[];
}

/** FULL: rebuild it. AUDIT: check whether it must change. SKIP: leave it alone. */
type RevisionShare = "FULL" | "AUDIT" | "SKIP";

export interface CrossCuttingRevision {
  /** `single`: only one feature is named, so this is an ordinary revision. */
  readonly mode: "cross-cutting" | "single" | "none";
  readonly shares: readonly { readonly feature: FeatureName; readonly share: RevisionShare; readonly why: string }[];
  /** The features to rebuild, in tiers. Each tier depends only on earlier ones. */
  readonly tiers: readonly (readonly FeatureName[])[];
}

export function previewFeatureRevision(lead: Lead, feature: FeatureName): RevisePreview {
  const dependents = mapFeatureDependents(listPlannedFeatures(lead.features.values()));
  const direct = new Set(dependents.get(feature));
  const reached = collectDownstreamFeatures(dependents, [feature]).flatMap((name) => {
    const record = lead.features.get(name);
    return record ? [direct.has(name) ? describeDirectReach(record) : describeTransitiveReach(record)] : [];
  });
  return { feature, problems: listRevisionProblems(lead, feature), reached };
}

/**
 * Splits the features for a revision of several. `touched`: the features the intent names. `cleared`: features that
 * were checked and need no change.
 */
export function planCrossCuttingRevision(
  lead: Lead,
  touched: Iterable<FeatureName>,
  cleared: Iterable<FeatureName> = [],
): CrossCuttingRevision {
  const planned = listPlannedFeatures(lead.features.values());
  const named = new Set(touched);
  const spared = new Set(cleared);
  const records = [...lead.features.values()].toSorted(compareRoadmapPosition);
  const full = new Set(
    records.filter((record) => named.has(record.feature_name) && isRevisableFeature(record)).map(getRevisedFeatureName),
  );
  const dependents = mapFeatureDependents(planned);
  const near = new Map<FeatureName, FeatureName>();
  for (const name of full) for (const next of dependents.get(name) ?? []) if (!near.has(next)) near.set(next, name);
  const shares = records.map((record) => {
    const feature = record.feature_name;
    if (full.has(feature)) return { feature, share: "FULL" as const, why: "The intent names it." };
    if (!isRevisableFeature(record)) return { feature, share: "SKIP" as const, why: explainUnrevisableFeature(record) };
    if (spared.has(feature)) return { feature, share: "SKIP" as const, why: "It was looked at and need not change." };
    const on = near.get(feature);
    if (on !== undefined) return { feature, share: "AUDIT" as const, why: `It builds on ${on}.` };
    return { feature, share: "SKIP" as const, why: "It builds on none of them." };
  });
  const mode = full.size > 1 ? "cross-cutting" : full.size === 1 ? "single" : "none";
  return { mode, shares, tiers: groupRevisionTiers(lead, full) };
}

const getRevisedFeatureName = (record: FeatureRecord): FeatureName => record.feature_name;

/** A feature without a design gets the intent with its first design. A blocked feature waits for the user. */
const isRevisableFeature = ({ phase }: FeatureRecord): boolean =>
  phase === "design-generated" || phase === "implementation-complete";

const explainUnrevisableFeature = ({ phase }: FeatureRecord): string =>
  phase === "blocked" ? "It is blocked: unblock it first." : "Nothing of it is there yet.";

function listRevisionProblems({ features, waves }: Lead, name: FeatureName): Problem[] {
  const record = features.get(name);
  if (record === undefined) return [{ problem: `There is no feature ${name}.` }];
  if (record.phase === "blocked") {
    return [{ problem: `${name} is blocked by ${record.blocked_info?.blocked_by.join(", ") ?? name}.` }];
  }
  if (record.phase !== "implementation-complete") {
    return [{ problem: `${name} is ${record.phase}: only what is implemented is revised. Design it anew instead.` }];
  }
  const isInRoadmap = listPlannedFeatures(features.values()).length > 1 && record.roadmap !== null;
  if (isInRoadmap && !wasWaveFinished(waves.get(record.roadmap.wave))) {
    return [{ problem: `Wave ${record.roadmap.wave} is not finished: ${name} is revised after its gate.` }];
  }
  return [];
}

/** The commit count matters because this or another revision may have reopened the gate. */
const wasWaveFinished = (wave: WaveRecord | undefined): boolean =>
  wave !== undefined && (wave.step === "done" || (wave.runs["commit"] ?? 0) > 0);

function describeDirectReach({ feature_name: feature, phase }: FeatureRecord): ReachedFeature {
  const told = (says: string, choices: readonly FollowUpChoice[] = []): ReachedFeature => ({
    feature,
    reach: "direct",
    choices,
    says,
  });
  if (phase === "implementation-complete")
    return told(
      "It is implemented: a run reviews it again; with --gate you say what becomes of it.",
      FOLLOW_UP_CHOICES,
    );
  if (phase === "design-generated") return told("It goes back to its design as soon as the new one is accepted.");
  return told(phase === "blocked" ? "It is blocked." : "Nothing of it is there yet.");
}

function describeTransitiveReach({ feature_name: feature }: FeatureRecord): ReachedFeature {
  const says = "It is reached over others: look at it if they change what it sees.";
  return { feature, reach: "transitive", choices: [], says };
}

/**
 * Counts the revised features along each dependency path, so a tier also waits across features that are not revised.
 */
function groupRevisionTiers({ features }: Lead, full: ReadonlySet<FeatureName>): FeatureName[][] {
  const planned = listPlannedFeatures(features.values());
  const on = new Map(planned.map(({ name, dependencies }) => [name, dependencies]));
  const before = new Map<FeatureName, number>();
  for (const name of computeDependencyLevels(planned).keys()) {
    const latest = Math.max(0, ...(on.get(name) ?? []).map((other) => before.get(other) ?? 0));
    before.set(name, latest + (full.has(name) ? 1 : 0));
  }
  const byTier = Map.groupBy([...full].toSorted(compareCodeUnits), (name) => before.get(name) ?? 1);
  return [...byTier].toSorted(([a], [b]) => a - b).map(([, names]) => names);
}

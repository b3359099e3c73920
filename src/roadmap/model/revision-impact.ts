import type { DesignCriterion, DesignSpec, CriterionStability } from "./feature/design-criteria.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord, WaveRecord } from "./feature/feature-record.ts";
import {
  mapFeatureDependents,
  collectDownstreamFeatures,
  listPlannedFeatures,
  compareRoadmapPosition,
  computeDependencyLevels,
} from "./dependency-graph.ts";
import type { Lead } from "./lead/lead-state.ts";
import type { Problem } from "#kernel/model/verdict.ts";

/** How a design change affects dependent features, from least to most severe. */
const IMPACT_CLASSES = ["COMPATIBLE", "UNKNOWN", "INTERFACE", "BREAKING"] as const;
export type ImpactClass = (typeof IMPACT_CLASSES)[number];

interface CriterionChange {
  readonly kind: "added" | "removed" | "changed";
  readonly id: string;
  readonly impact: ImpactClass;
}

interface ImpactConsequence {
  readonly feature: FeatureName;
  readonly reach: "direct" | "transitive";
  readonly follows: "re-review" | "re-implement" | "nothing";
  readonly why: string;
}

const IMPACT_BY_STABILITY: Readonly<Record<CriterionStability, ImpactClass>> = {
  constraint: "BREAKING",
  contract: "INTERFACE",
  behavior: "COMPATIBLE",
};

/**
 * Compares two versions of a design by the stability tags of its criteria. A criterion that only moved counts as
 * unchanged.
 */
export function compareDesignVersions(
  before: readonly DesignSpec[],
  after: readonly DesignSpec[],
): { readonly impact: ImpactClass | null; readonly changes: readonly CriterionChange[] } {
  const [old, fresh] = [before, after].map((specs) => specs.flatMap(({ criteria }) => criteria)) as [
    DesignCriterion[],
    DesignCriterion[],
  ];
  const kept = matchUnchangedCriteria(old, fresh);
  const left = new Map(old.filter(({ id }) => !kept.old.has(id)).map((criterion) => [criterion.id, criterion]));
  const changes: CriterionChange[] = [];
  for (const criterion of fresh.filter(({ id }) => !kept.fresh.has(id))) {
    const was = left.get(criterion.id);
    left.delete(criterion.id);
    const impact = pickHighestImpact([criterion, ...(was ? [was] : [])].map(classifyCriterionImpact));
    changes.push({ kind: was ? "changed" : "added", id: criterion.id, impact });
  }
  for (const criterion of left.values()) {
    changes.push({ kind: "removed", id: criterion.id, impact: classifyCriterionImpact(criterion) });
  }
  return { impact: changes.length > 0 ? pickHighestImpact(changes.map(({ impact }) => impact)) : null, changes };
}

export const listImpactConsequences = (
  lead: Lead,
  feature: FeatureName,
  impact: ImpactClass | null,
): ImpactConsequence[] =>
  listReachedRecords(lead, feature).map(({ record, reach }) => ({
    feature: record.feature_name,
    reach,
    ...decideImpactConsequence(record, reach, impact),
  }));

function listReachedRecords(
  { features }: Lead,
  feature: FeatureName,
): { readonly record: FeatureRecord; readonly reach: ImpactConsequence["reach"] }[] {
  const dependents = mapFeatureDependents(listPlannedFeatures(features.values()));
  const direct = new Set(dependents.get(feature));
  return collectDownstreamFeatures(dependents, [feature]).flatMap((name) => {
    const record = features.get(name);
    return record ? [{ record, reach: direct.has(name) ? "direct" : "transitive" }] : [];
  });
}

/** `stale`: dependencies whose design changed since this feature was designed. */
export function checkVersionAlignment({ features }: Lead, record: FeatureRecord) {
  const { design, implementation } = record.version_refs;
  const basis = Object.entries(record.design?.basis ?? {}) as [FeatureName, string][];
  const stale = basis.flatMap(([name, hash]) => {
    const now = features.get(name)?.design?.hash;
    return now === undefined || now === hash ? [] : [name];
  });
  return { design, implementation, state: classifyVersionAlignment(design, implementation), stale };
}

function classifyVersionAlignment(design: string | null, implementation: string | null) {
  if (design === null) return "nothing yet";
  if (implementation === null) return "not implemented";
  return design === implementation ? "aligned" : "behind its design";
}

function decideImpactConsequence(
  { phase }: FeatureRecord,
  reach: ImpactConsequence["reach"],
  impact: ImpactClass | null,
): Pick<ImpactConsequence, "follows" | "why"> {
  if (impact === null || impact === "COMPATIBLE") return { follows: "nothing", why: "What it builds on stays true." };
  if (phase !== "implementation-complete") return { follows: "nothing", why: NO_CONSEQUENCE_REASONS[phase] };
  if (impact === "BREAKING") {
    return reach === "direct"
      ? { follows: "re-implement", why: "A constraint that it builds on is another." }
      : { follows: "re-review", why: "A constraint behind what it builds on is another." };
  }
  if (reach === "transitive") return { follows: "nothing", why: "Only those who call it directly are concerned." };
  const why =
    impact === "INTERFACE" ? "A contract that it calls is another." : "What changed has no tag, so it may matter.";
  return { follows: "re-review", why };
}

const NO_CONSEQUENCE_REASONS: Readonly<Record<Exclude<FeatureRecord["phase"], "implementation-complete">, string>> = {
  initialized: "Nothing of it is there yet.",
  "design-generated": "It goes back to its design by itself.",
  blocked: "It is blocked.",
};

const classifyCriterionImpact = ({ stability }: DesignCriterion): ImpactClass =>
  stability ? IMPACT_BY_STABILITY[stability] : "UNKNOWN";

const pickHighestImpact = (classes: readonly ImpactClass[]): ImpactClass =>
  IMPACT_CLASSES[Math.max(0, ...classes.map((impact) => IMPACT_CLASSES.indexOf(impact)))] ?? "UNKNOWN";

/** Criteria with the same text and tag before and after, whatever their ids. Matches the same id first, then any id. */
function matchUnchangedCriteria(
  old: readonly DesignCriterion[],
  fresh: readonly DesignCriterion[],
): { readonly old: ReadonlySet<string>; readonly fresh: ReadonlySet<string> } {
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
type FollowUpChoice = (typeof FOLLOW_UP_CHOICES)[number];

interface ReachedFeature {
  readonly feature: FeatureName;
  readonly reach: ImpactConsequence["reach"];
  readonly choices: readonly FollowUpChoice[];
  readonly says: string;
}

export const previewFeatureRevision = (lead: Lead, feature: FeatureName) => ({
  feature,
  problems: listRevisionProblems(lead, feature),
  reached: listReachedRecords(lead, feature).map(({ record, reach }): ReachedFeature => {
    const isAsked = reach === "direct" && record.phase === "implementation-complete";
    const says = reach === "direct" ? DIRECT_REACH_TEXTS[record.phase] : TRANSITIVE_REACH_TEXT;
    return { feature: record.feature_name, reach, choices: isAsked ? FOLLOW_UP_CHOICES : [], says };
  }),
});

const DIRECT_REACH_TEXTS: Readonly<Record<FeatureRecord["phase"], string>> = {
  initialized: "Nothing of it is there yet.",
  "design-generated": "It goes back to its design as soon as the new one is accepted.",
  "implementation-complete": "It is implemented: a run reviews it again; with --gate you say what becomes of it.",
  blocked: "It is blocked.",
};
const TRANSITIVE_REACH_TEXT = "It is reached over others: look at it if they change what it sees.";

/** FULL: rebuild it. AUDIT: check whether it must change. SKIP: leave it alone. */
interface RevisionShare {
  readonly share: "FULL" | "AUDIT" | "SKIP";
  readonly why: string;
}

interface CrossCuttingRevision {
  /** `single`: only one feature is named, so this is an ordinary revision. */
  readonly mode: "cross-cutting" | "single" | "none";
  readonly shares: readonly (RevisionShare & { readonly feature: FeatureName })[];
  /** The features to rebuild, in tiers. Each tier depends only on earlier ones. */
  readonly tiers: readonly (readonly FeatureName[])[];
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
  const named = new Set(touched);
  const spared = new Set(cleared);
  const records = [...lead.features.values()].toSorted(compareRoadmapPosition);
  const revised = records.filter((record) => named.has(record.feature_name) && isRevisableFeature(record));
  const full = new Set(revised.map((record) => record.feature_name));
  const dependents = mapFeatureDependents(listPlannedFeatures(lead.features.values()));
  const near = new Map<FeatureName, FeatureName>();
  for (const name of full) for (const next of dependents.get(name) ?? []) if (!near.has(next)) near.set(next, name);
  const decideShare = (record: FeatureRecord): RevisionShare => {
    if (full.has(record.feature_name)) return { share: "FULL", why: "The intent names it." };
    if (!isRevisableFeature(record)) return { share: "SKIP", why: explainUnrevisableFeature(record) };
    if (spared.has(record.feature_name)) return { share: "SKIP", why: "It was looked at and need not change." };
    const on = near.get(record.feature_name);
    if (on !== undefined) return { share: "AUDIT", why: `It builds on ${on}.` };
    return { share: "SKIP", why: "It builds on none of them." };
  };
  const shares = records.map((record) => ({ feature: record.feature_name, ...decideShare(record) }));
  const mode = full.size > 1 ? "cross-cutting" : full.size === 1 ? "single" : "none";
  return { mode, shares, tiers: groupRevisionTiers(lead, full) };
}

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
  const byTier = Map.groupBy([...full].toSorted(), (name) => before.get(name) ?? 1);
  return [...byTier].toSorted(([a], [b]) => a - b).map(([, names]) => names);
}

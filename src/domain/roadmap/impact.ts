import type { DesignCriterion, DesignSpec, CriterionStability } from "../feature/criteria.ts";
import type { FeatureName } from "../feature/name.ts";
import type { FeatureRecord } from "../feature/record.ts";
import { mapFeatureDependents, collectDownstreamFeatures, listPlannedFeatures } from "./graph.ts";
import type { Lead } from "./lead/state.ts";

/** How a design change affects dependent features, from least to most severe. */
const IMPACT_CLASSES = ["COMPATIBLE", "UNKNOWN", "INTERFACE", "BREAKING"] as const;
export type ImpactClass = (typeof IMPACT_CLASSES)[number];

interface CriterionChange {
  readonly kind: "added" | "removed" | "changed";
  readonly id: string;
  readonly impact: ImpactClass;
}

export interface DesignImpact {
  readonly impact: ImpactClass | null;
  readonly changes: readonly CriterionChange[];
}

export interface ImpactConsequence {
  readonly feature: FeatureName;
  readonly reach: "direct" | "transitive";
  readonly follows: "re-review" | "re-implement" | "nothing";
  readonly why: string;
}

export interface VersionAlignment {
  readonly design: string | null;
  readonly implementation: string | null;
  readonly state: "nothing yet" | "not implemented" | "aligned" | "behind its design";
  /** Dependencies whose design changed since this feature was designed. */
  readonly stale: readonly FeatureName[];
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
export function compareDesignVersions(before: readonly DesignSpec[], after: readonly DesignSpec[]): DesignImpact {
  const old = flattenSpecCriteria(before);
  const fresh = flattenSpecCriteria(after);
  const kept = matchUnchangedCriteria(old, fresh);
  const left = new Map(old.filter(({ id }) => !kept.old.has(id)).map((criterion) => [criterion.id, criterion]));
  const changes: CriterionChange[] = [];
  for (const criterion of fresh.filter(({ id }) => !kept.fresh.has(id))) {
    const was = left.get(criterion.id);
    left.delete(criterion.id);
    const kind = was ? "changed" : "added";
    changes.push({
      kind,
      id: criterion.id,
      impact: pickHighestImpact([criterion, ...(was ? [was] : [])].map(classifyCriterionImpact)),
    });
  }
  for (const criterion of left.values()) {
    changes.push({ kind: "removed", id: criterion.id, impact: classifyCriterionImpact(criterion) });
  }
  return { impact: changes.length > 0 ? pickHighestImpact(changes.map(({ impact }) => impact)) : null, changes };
}

export function listImpactConsequences(
  lead: Lead,
  feature: FeatureName,
  impact: ImpactClass | null,
): ImpactConsequence[] {
  const dependents = mapFeatureDependents(listPlannedFeatures(lead.features.values()));
  const direct = new Set(dependents.get(feature));
  return collectDownstreamFeatures(dependents, [feature]).flatMap((name) => {
    const record = lead.features.get(name);
    const reach = direct.has(name) ? "direct" : "transitive";
    return record ? [{ feature: name, reach, ...decideImpactConsequence(record, reach, impact) }] : [];
  });
}

export function checkVersionAlignment({ features }: Lead, record: FeatureRecord): VersionAlignment {
  const { design, implementation } = record.version_refs;
  const basis = Object.entries(record.design?.basis ?? {}) as [FeatureName, string][];
  const stale = basis.flatMap(([name, hash]) => {
    const now = features.get(name)?.design?.hash;
    return now === undefined || now === hash ? [] : [name];
  });
  return { design, implementation, state: classifyVersionAlignment(record), stale };
}

function classifyVersionAlignment({
  version_refs: { design, implementation },
}: FeatureRecord): VersionAlignment["state"] {
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

const flattenSpecCriteria = (specs: readonly DesignSpec[]): DesignCriterion[] =>
  specs.flatMap(({ criteria }) => criteria);

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

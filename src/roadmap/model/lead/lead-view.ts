import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { compareRoadmapPosition, type FeatureDependents, mapFeatureDependents } from "../dependency-graph.ts";
import { PathSet } from "../feature/claimed-path.ts";
import type { FeatureRecord, ReviewReference, SteeringProposal, WaveRecord } from "../feature/feature-record.ts";
import { isFeatureAccepted, listChangedDependencies } from "../feature-progress.ts";
import { isPassingVerdict } from "../review/review-verdict.ts";
import { createReviewPassedId } from "./action-ids.ts";
import { type ActionAssignment, type FeatureGoal, findActionGroup, type Lead } from "./lead-state.ts";

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
  /** Files of the groups that are being built. */
  readonly held: Pick<PathSet, "has" | "size">;
  /** The first wave whose gate is not done. */
  readonly openWave: number;
}

/** Caches a value for as long as the object it was computed from exists. */
function cacheByObject<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const cache = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const known = cache.get(key) ?? { value: compute(key) };
    cache.set(key, known);
    return known.value;
  };
}

export const getLeadView = cacheByObject((lead: Lead): LeadView => {
  const roster = getFeatureRoster(lead.features);
  const outs = [...lead.out.values()];
  // A wave whose features are all blocked has nothing left to do.
  const open = [...roster.byWave].find(
    ([wave, records]) => lead.waves.get(wave)?.step !== "done" && records.some(({ phase }) => phase !== "blocked"),
  );
  return {
    ...roster,
    lead,
    agreed: new Set(lead.run.agreed),
    outOf: Map.groupBy(outs, ({ action }) => action.id.slice(0, action.id.indexOf("/"))),
    held: new PathSet(outs.flatMap(({ action }) => findActionGroup(lead, action)?.files ?? [])),
    openWave: open?.[0] ?? NO_WAVE,
  };
});

const getFeatureRoster = cacheByObject((features: Lead["features"]): FeatureRoster => {
  const order = [...features.values()].toSorted(compareRoadmapPosition);
  const placed = order.filter(({ roadmap }) => roadmap !== null);
  return { order, byWave: Map.groupBy(placed, getFeatureWave), placed: placed.length };
});

export const NO_WAVE = Number.POSITIVE_INFINITY;

export const getFeatureWave = ({ roadmap }: FeatureRecord): number => roadmap?.wave ?? NO_WAVE;

/** Skipped dependencies do not count. */
export const getActiveDependents = cacheByObject((features: Lead["features"]): FeatureDependents =>
  mapFeatureDependents(
    [...features.values()].map((record) => ({
      name: record.feature_name,
      dependencies: listActiveDependencies(record),
    })),
  ),
);

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

/** Failed reviews of a wave after which the user is asked. */
export const MAX_GATE_TRIES = 3;

export type WaveReview = "cross-check" | "dead-code";

type WaveStep =
  | { readonly kind: "review" | "failed"; readonly review: WaveReview }
  | { readonly kind: "proposals" | "commit" | "aborted" | "waiting" };

export const createWaveRecord = (wave: number): WaveRecord => ({
  wave,
  step: "cross-check",
  tries: { cross_check: 0, dead_code: 0 },
  cross_check: null,
  dead_code: null,
  proceeded: [],
  runs: {},
  schema: 1,
  rev: 0,
});

/** The fields of a wave's record for one of its reviews. */
export const getGateField = (review: WaveReview): "cross_check" | "dead_code" =>
  review === "cross-check" ? "cross_check" : "dead_code";

export function getWaveStep(view: LeadView): WaveStep | undefined {
  const { lead, openWave, byWave, placed } = view;
  const records = byWave.get(openWave);
  if (!lead.run.isOn || !records) return undefined;
  // A gate's findings can be fixed in any earlier wave, so all of them must be settled again.
  for (const [wave, its] of byWave) {
    if (wave > openWave) break;
    if (!its.every((record) => record.phase === "blocked" || isReadyForGate(view, record))) return { kind: "waiting" };
  }
  if (!records.some((record) => isReadyForGate(view, record))) return undefined;
  const record = lead.waves.get(openWave) ?? createWaveRecord(openWave);
  if (listWaveProposals(record).length > 0) return { kind: "proposals" };
  // The review of a single feature already covers everything.
  if (record.step === "commit" || placed === 1) return { kind: "commit" };
  if (record.step !== "cross-check" && record.step !== "dead-code") return { kind: "aborted" };
  const kind = record.tries[getGateField(record.step)] >= MAX_GATE_TRIES ? "failed" : "review";
  return { kind, review: record.step };
}

export const listWaveProposals = ({ cross_check, dead_code }: WaveRecord): readonly SteeringProposal[] => [
  ...(cross_check?.waiting ?? []),
  ...(dead_code?.waiting ?? []),
];

export const listFeatureProposals = ({ reviews }: Pick<FeatureRecord, "reviews">): readonly SteeringProposal[] => [
  ...(reviews.design?.waiting ?? []),
  ...(reviews.implementation?.waiting ?? []),
];

export const hasFailedReview = (review: ReviewReference | null): boolean =>
  review !== null && !isPassingVerdict(review.verdict);

/** True if the feature itself failed and the user has not skipped it. */
export const isFailedFeature = ({ phase, blocked_info }: FeatureRecord): boolean =>
  phase === "blocked" && blocked_info?.reason === "retries_exhausted" && !blocked_info.is_skipped;

/**
 * True if a feature of a run is ready for its wave's gate: built, reviewed in its current state, and without open
 * questions.
 */
export const isReadyForGate = (view: LeadView, record: FeatureRecord): boolean =>
  isFeatureAccepted(record) &&
  listFollowUpCauses(view, record).length === 0 &&
  listFeatureProposals(record).length === 0 &&
  isImplementationApproved(view, record);

/** In a run: the changed dependencies that make another review of the feature necessary. */
export const listFollowUpCauses = ({ lead }: LeadView, record: FeatureRecord): readonly FeatureName[] =>
  lead.run.isOn && record.roadmap ? listChangedDependencies(lead.features, record) : [];

/** With `--gate` the user approves each design review. Tasks in progress count as approval. */
export const isDesignApproved = (view: LeadView, record: FeatureRecord): boolean =>
  record.orchestration.last_phase_action !== null || isReviewApproved(view, record, record.reviews.design);

/** With `--gate` the user approves each code review. A started gate already waited for the approval of each feature. */
export function isImplementationApproved(view: LeadView, record: FeatureRecord): boolean {
  const wave = record.roadmap && view.lead.waves.get(record.roadmap.wave);
  const hasGateStarted = wave && (wave.step !== "cross-check" || wave.tries.cross_check > 0);
  return hasGateStarted || isReviewApproved(view, record, record.reviews.implementation);
}

function isReviewApproved(
  { lead, agreed }: LeadView,
  { feature_name: name, roadmap }: FeatureRecord,
  review: ReviewReference | null,
): boolean {
  const isAsked = lead.run.isOn && lead.run.isGated && roadmap !== null;
  return !isAsked || !review || agreed.has(createReviewPassedId(name, review.batch));
}

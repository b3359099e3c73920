import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { getFeatureReviewPath, getReviewPath, type WorkspacePath } from "#kernel/model/workspace-paths.ts";
import { REVIEW_INSPECTORS } from "../agent/agent-roles.ts";
import { compareRoadmapPosition, type FeatureDependents, mapFeatureDependents } from "../dependency-graph.ts";
import { isDesignFix, isFeatureAccepted, listChangedDependencies } from "../feature-progress.ts";
import { PathSet } from "../feature/claimed-path.ts";
import type { FeatureRecord, ReviewReference, SteeringProposal, WaveRecord } from "../feature/feature-record.ts";
import type { FeatureEdits } from "../feature/held-content.ts";
import { parseBatchNumber } from "../review/review-finding.ts";
import { REVIEW_KINDS, type ReviewKind } from "../review/review-kinds.ts";
import { isPassingVerdict } from "../review/review-verdict.ts";
import { callInspectorRoll } from "../review/stored-review.ts";
import type { ActionAssignment, ActionId, FeatureGoal, Lead, ReviewScope } from "./lead-state.ts";
import { findActionGroup } from "./lead-state.ts";

/** Counter names of a feature's runs. `batch` counts started reviews. */
export type RunCounterKey =
  | "architect"
  | "tasks"
  | `build-${string}`
  | "gate"
  | "commit"
  | "escalation"
  | "structure"
  | "follow-up"
  | "batch";

export const AUDITOR_NAME = "auditor";

/** Prefixes of action ids that are not features. A feature cannot have such a name. */
export const isReservedActionHead = (name: string): boolean =>
  name === "all" || name === "run" || parseWaveHead(name) !== undefined;

/** First part of an action id: a feature name, `wave-2`, or `all`. */
export const formatScopeHead = (scope: ReviewScope): string =>
  scope.of === "feature" ? scope.feature : scope.of === "wave" ? formatWaveHead(scope.wave) : "all";

export const formatWaveHead = (wave: number): string => `wave-${wave}`;

export const parseWaveHead = (head: string): number | undefined =>
  /^wave-\d+$/.test(head) ? Number(head.slice("wave-".length)) : undefined;

/** Key of an open review: `user-login/design`, `wave-2/dead-code`. */
export const createReviewKey = (review: ReviewKind, scope: ReviewScope): string =>
  joinReviewKey(formatScopeHead(scope), review);

export const joinReviewKey = (head: string, review: ReviewKind): string => `${head}/${review}`;

/** The next batch of a scope, given the stored ones. Numbers of void reviews are not reused. */
export function createNextBatch(lead: Lead, scope: ReviewScope, stored: readonly string[]): string {
  const numbers = stored.map((batch) => parseBatchNumber(batch) ?? 0);
  return `B${Math.max(getLastStartedBatch(lead, scope), ...numbers) + 1}`;
}

export const getLastStartedBatch = ({ run, features }: Lead, scope: ReviewScope): number =>
  (scope.of === "feature" ? features.get(scope.feature)?.orchestration.runs["batch"] : run.batches) ?? 0;

export const createRunId = ({ feature_name, orchestration }: FeatureRecord, key: RunCounterKey): ActionId =>
  `${feature_name}/${key}/${(orchestration.runs[key] ?? 0) + 1}`;

export const parseReviewerName = (id: ActionId): string => id.slice(id.lastIndexOf("/") + 1);

export const getReviewBatchPath = (scope: ReviewScope, batch: string): WorkspacePath =>
  scope.of === "feature" ? getFeatureReviewPath(scope.feature, batch) : getReviewPath(batch);

export const createReviewPassedId = (name: FeatureName, batch: string): ActionId => `${name}/review-passed/${batch}`;
export const createProposalId = (head: string, { batch, line }: SteeringProposal): ActionId =>
  `${head}/steering/${batch}-${line}`;
export const createWavePassedId = (wave: number): ActionId => `${formatWaveHead(wave)}/wave-passed`;
export const createCapQuestionId = ({ run }: Pick<Lead, "run">): ActionId => `run/cap/${(run.capAnswers ?? 0) + 1}`;

export const createWaveGateId = (wave: number, record: WaveRecord | undefined): ActionId =>
  `${formatWaveHead(wave)}/gate/${(record?.runs["gate"] ?? 0) + 1}`;

/** The first commit of a wave has no number. A reopened wave numbers the next ones. */
export function createWaveCommitId(wave: number, record: WaveRecord | undefined): ActionId {
  const commits = record?.runs["commit"] ?? 0;
  return commits === 0 ? `${formatWaveHead(wave)}/commit` : `${formatWaveHead(wave)}/commit/${commits + 1}`;
}

/** True if the action is finished, so a report for it is a repeat or too late. */
export function isActionFinished(lead: Lead, id: ActionId): boolean {
  const parts = id.split("/");
  const [head = "", key = "", third] = parts;
  const scope = parseScopeHead(head);
  const kind = REVIEW_KINDS.find((each) => each === key);
  if (parts.length === 4 && kind) return isReviewerFinished(lead, scope, kind, parts);
  if (key === "steering") return /^B\d+-\d+$/.test(third ?? "") && isBatchStarted(lead, scope, third?.split("-", 1)[0]);
  if (key === "review-passed") return isBatchStarted(lead, scope, third);
  if (head === "run") return key === "cap" && parseRunNumber(third) <= (lead.run.capAnswers ?? 0);
  if (scope.of === "wave") return isWaveActionFinished(lead, scope.wave, id, key, third);
  if (scope.of === "all") return false;
  const runs = lead.features.get(scope.feature)?.orchestration.runs;
  return runs !== undefined && parseRunNumber(parts.at(-1)) <= (runs[parts.slice(1, -1).join("/")] ?? 0);
}

/** Infinity for text that is not a number, so it never counts as finished. */
const parseRunNumber = (text = ""): number => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : Infinity);

function parseScopeHead(head: string): ReviewScope {
  const wave = parseWaveHead(head);
  if (wave !== undefined) return { of: "wave", wave };
  return head === "all" ? { of: "all" } : { of: "feature", feature: head as FeatureName };
}

function isBatchStarted(lead: Lead, scope: ReviewScope, batch = ""): boolean {
  const number = parseBatchNumber(batch);
  return number !== undefined && number <= getLastStartedBatch(lead, scope);
}

function isReviewerFinished(lead: Lead, scope: ReviewScope, kind: ReviewKind, parts: readonly string[]): boolean {
  const [head = "", , batch, who = ""] = parts;
  const reviewers: readonly string[] = [...REVIEW_INSPECTORS[kind], AUDITOR_NAME];
  if (!reviewers.includes(who)) return false;
  const review = lead.reviews.get(joinReviewKey(head, kind));
  if (!review || review.batch !== batch) return isBatchStarted(lead, scope, batch);
  const { reported, missing } = callInspectorRoll(review);
  return who !== AUDITOR_NAME && (reported.includes(who) || missing.includes(who));
}

const WAVE_COUNTERS: Readonly<Record<string, string>> = { commit: "commit", "wave-failed": "failed", gate: "gate" };

function isWaveActionFinished(lead: Lead, wave: number, id: ActionId, key: string, third: string | undefined): boolean {
  const runs = lead.waves.get(wave)?.runs ?? {};
  if (key === "wave-passed") return third === undefined && lead.run.agreed.includes(id);
  const number = key === "commit" && third === undefined ? 1 : parseRunNumber(third);
  const done = runs[WAVE_COUNTERS[key] ?? ""];
  return number <= (done ?? 0);
}

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
  | { readonly kind: "proposals" | "gate" | "commit" | "aborted" | "waiting" };

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
    // Nothing is committed while the user has not decided about a failed feature.
    if (its.some(isFailedFeature)) return { kind: "waiting" };
    if (!its.every((record) => record.phase === "blocked" || isReadyForGate(view, record))) return { kind: "waiting" };
  }
  if (!records.some((record) => isReadyForGate(view, record))) return undefined;
  const record = lead.waves.get(openWave) ?? createWaveRecord(openWave);
  if (listWaveProposals(record).length > 0) return { kind: "proposals" };
  // The review of a single feature already covers everything.
  if (record.step === "commit" || placed === 1) return { kind: record.tested === undefined ? "gate" : "commit" };
  if (record.step !== "cross-check" && record.step !== "dead-code") return { kind: "aborted" };
  const review = record.is_short || isAloneInWave(view, openWave) ? "dead-code" : record.step;
  const kind = record.tries[getGateField(review)] >= MAX_GATE_TRIES ? "failed" : "review";
  return { kind, review };
}

/** The review of the only feature of a wave also covers where it meets earlier ones, so a cross-check adds nothing. */
export const isAloneInWave = ({ byWave }: Pick<LeadView, "byWave">, wave: number): boolean =>
  (byWave.get(wave) ?? []).filter(({ phase }) => phase !== "blocked").length === 1;

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

/** Agents at work and pending fixes change content themselves; that is compared when they report. */
export function getHeldEdits({ lead, outOf }: LeadView, record: FeatureRecord): FeatureEdits {
  const found = lead.edits?.get(record.feature_name);
  const isBlocked = record.fix?.source === "blocker";
  if (!found || record.phase === "blocked" || record.phase === "initialized" || isDesignFix(record.fix)) return {};
  const out = (outOf.get(record.feature_name) ?? []).flatMap(({ action }) =>
    action.kind === "spawn" ? [action.work.of] : [],
  );
  if (out.includes("design")) return {};
  const { tasks, code, ...documents } = found;
  const { last_phase_action: last } = record.orchestration;
  const isPlanHeld = tasks && last !== null && !out.includes("tasks") && !isBlocked;
  const isCodeHeld = code && record.implementation.hash !== null && !out.includes("build");
  return { ...documents, ...(isPlanHeld ? { tasks } : {}), ...(isCodeHeld ? { code } : {}) };
}

/** The design, its research or the steering behind it changed since the review accepted it. */
export function hasDesignEdit(view: LeadView, record: FeatureRecord): boolean {
  const { design, research, steering } = getHeldEdits(view, record);
  return design === true || research === true || steering !== undefined;
}

/** Built, reviewed in its current state, and without open questions. */
export const isReadyForGate = (view: LeadView, record: FeatureRecord): boolean =>
  isFeatureAccepted(record) &&
  Object.keys(getHeldEdits(view, record)).length === 0 &&
  listFollowUpCauses(view, record).length === 0 &&
  listFeatureProposals(record).length === 0 &&
  isImplementationApproved(view, record);

/** In a run: the changed dependencies that make another review of the feature necessary. */
export const listFollowUpCauses = ({ lead }: LeadView, record: FeatureRecord): readonly FeatureName[] =>
  lead.run.isOn && record.roadmap ? listChangedDependencies(lead.features, record) : [];

/** With `--gate` the user approves each design review. Tasks planned for this version count as approval. */
export const isDesignApproved = (view: LeadView, record: FeatureRecord): boolean => {
  const { changelog, version, orchestration } = record;
  const last = changelog.findLast(({ action }) => ["tasks", "design", "redesign", "edit"].includes(action));
  const isCarried = last !== undefined && (last.version !== version || last.action !== "tasks");
  return (
    (orchestration.last_phase_action !== null && !isCarried) || isReviewApproved(view, record, record.reviews.design)
  );
};

/** With `--gate` the user approves each code review. A started gate already waited for the approval of each feature. */
export function isImplementationApproved(view: LeadView, record: FeatureRecord): boolean {
  const wave = record.roadmap && view.lead.waves.get(record.roadmap.wave);
  const hasGateStarted = wave && !wave.reopened && (wave.step !== "cross-check" || wave.tries.cross_check > 0);
  return hasGateStarted || isReviewApproved(view, record, record.reviews.implementation);
}

function isReviewApproved({ lead, agreed }: LeadView, record: FeatureRecord, review: ReviewReference | null): boolean {
  const isAsked = lead.run.isOn && lead.run.isGated && record.roadmap !== null;
  return !isAsked || !review || agreed.has(createReviewPassedId(record.feature_name, review.batch));
}

export const getUnpaidEstimate = ({ estimate, paid = 0 }: Pick<ActionAssignment, "estimate" | "paid">): number =>
  Math.max(0, estimate - paid);

const sumReservedTokens = ({ out }: Lead): number =>
  [...out.values()].reduce((sum, each) => sum + getUnpaidEstimate(each), 0);

export const getFreeTokens = (lead: Lead): number =>
  lead.run.isOn && lead.run.cap !== null
    ? Math.max(0, lead.run.cap - lead.run.spent - sumReservedTokens(lead))
    : Number.POSITIVE_INFINITY;

export function formatCapUsage(lead: Lead): string {
  const { cap, spent } = lead.run;
  const reserved = sumReservedTokens(lead);
  const held = reserved === 0 ? "" : ` and ${formatTokens(reserved)} reserved for running agents`;
  return `${formatTokens(cap ?? spent)} tokens, of which ${formatTokens(spent)} are spent${held}`;
}

export const formatTokens = (tokens: number): string => tokens.toLocaleString("en");

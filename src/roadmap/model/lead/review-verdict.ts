import type { FeatureRecord, SteeringProposal, ReviewReference, WaveRecord } from "../feature/feature-record.ts";
import type { AuditResult, ReviewDisposition, ReviewVerdict, StoredFinding } from "../review/review-finding.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { countOpenFindings } from "../review/stored-review.ts";
import { normalizeCategoryName, VERDICT_DISPOSITIONS, isPassingVerdict } from "../review/review-verdict.ts";
import { routeFindings } from "../file-ownership.ts";
import { escalateFeature, unblockReadyDependents } from "./blocked-features.ts";
import { countFixAttempt, resetCountersAfterPass } from "./feature-counters.ts";
import type { LeadDraft } from "./lead-draft.ts";
import { getReviewBatchPath } from "./action-ids.ts";
import { endReachedGoal, setFeatureGoal, cancelFeatureWork } from "./work-cancellation.ts";
import { reopenWaveGates, refreshDesignBasis, requestDesignFix, reopenTaskGroups } from "./feature-rework.ts";
import type { OpenReview } from "./lead-state.ts";
import { getFeatureGoal, getFeatureWave } from "./lead-view.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { MAX_GATE_TRIES, createWaveRecord, getGateTries, type WaveReview } from "./wave-progress.ts";

export interface JudgedReview {
  readonly review: OpenReview;
  readonly verdict: ReviewVerdict;
  readonly findings: readonly StoredFinding[];
  readonly audit: AuditResult;
}

/** Pending steering lines survive the next review. */
export function createReviewReference(
  judged: JudgedReview,
  disposition: ReviewDisposition,
  before: ReviewReference | null,
): ReviewReference {
  const { review, verdict, audit } = judged;
  const proposed = audit.steering.flatMap(({ level, file, text }, i): SteeringProposal[] =>
    level === "PROPOSE" ? [{ batch: review.batch, line: i + 1, file, text }] : [],
  );
  const waiting = [...(before?.waiting ?? []), ...proposed];
  const ref = { batch: review.batch, verdict, disposition, of: review.of, proposals: waiting.length };
  return waiting.length > 0 ? { ...ref, waiting } : ref;
}

export function applyFeatureVerdict(draft: LeadDraft, record: FeatureRecord, judged: JudgedReview): ReviewDisposition {
  const { kind } = judged.review;
  if (isPassingVerdict(judged.verdict)) return passFeatureReview(draft, record, judged);
  const kindOfFix = kind === "impl" && judged.verdict === "SPEC-UPDATE-NEEDED" ? "spec-update" : "retry";
  const counted = countFixAttempt(record, kindOfFix);
  const disposition = counted ? VERDICT_DISPOSITIONS[judged.verdict] : "ESCALATED";
  const reviewed = storeFeatureReview(counted ?? record, judged, disposition);
  // Outside of a run, a failed review also requests its fix.
  if (getFeatureGoal(draft.lead(), record) === null)
    setFeatureGoal(draft, record.feature_name, kind === "design" ? "design" : "implementation");
  reopenWaveGates(draft, record, "review");
  draft.keep(kind === "design" ? requestReviewedDesignFix(draft, reviewed, judged) : requestCodeFix(reviewed, judged));
  if (!counted) escalateFeature(draft, record.feature_name, `No retry is left. ${formatVerdictSummary(judged)}`);
  return disposition;
}

function passFeatureReview(draft: LeadDraft, record: FeatureRecord, judged: JudgedReview): ReviewDisposition {
  const disposition = VERDICT_DISPOSITIONS[judged.verdict];
  const passed = resetCountersAfterPass(storeFeatureReview(record, judged, disposition), judged.review.kind);
  draft.keep(isFullCodeReview(judged.review) ? refreshDesignBasis(draft, passed) : passed);
  endReachedGoal(draft, record.feature_name);
  unblockReadyDependents(draft, record.feature_name);
  return disposition;
}

const isFullCodeReview = ({ kind, scope }: OpenReview): boolean =>
  kind === "impl" && scope.of === "feature" && scope.tasks === undefined;

function storeFeatureReview(
  record: FeatureRecord,
  judged: JudgedReview,
  disposition: ReviewDisposition,
): FeatureRecord {
  const { kind, scope } = judged.review;
  const part = kind === "design" ? "design" : "implementation";
  const before = record.reviews[part];
  const ref = createReviewReference(judged, disposition, before);
  // A review of selected tasks does not pass the whole feature. Its proposals still wait.
  const tasks = scope.of === "feature" && isPassingVerdict(judged.verdict) ? scope.tasks : undefined;
  if (!tasks) return { ...record, reviews: { ...record.reviews, [part]: ref } };
  const kept: ReviewReference = before
    ? { ...before, proposals: ref.proposals, ...(ref.waiting ? { waiting: ref.waiting } : {}) }
    : { ...ref, of: `tasks ${tasks.join(", ")}` };
  return { ...record, reviews: { ...record.reviews, [part]: kept } };
}

function requestReviewedDesignFix(draft: LeadDraft, record: FeatureRecord, judged: JudgedReview): FeatureRecord {
  const { isOn, isGated } = draft.run;
  const structure = judged.findings.find(({ category }) => normalizeCategoryName(category) === "spec-structure");
  const isAsked = structure !== undefined && isOn && isGated;
  if (structure && !isAsked) recordDirectionChange(draft, record, judged, structure.description);
  const detail = structure && isAsked ? sanitizeText(structure.description, 1_000) : formatVerdictSummary(judged);
  const fix = { source: "design", batch: getJudgedBatchPath(judged), detail, groups: [] } as const;
  return { ...record, fix: isAsked ? { ...fix, isStructural: true } : fix };
}

function recordDirectionChange(
  draft: LeadDraft,
  { feature_name: name }: FeatureRecord,
  judged: JudgedReview,
  what: string,
): void {
  draft.effect({
    kind: "decision",
    type: "DIRECTION_CHANGE",
    summary: `The structure of ${name} changes`,
    context: `Review ${judged.review.batch} of ${name} found: ${sanitizeText(what, 300)}`,
    decision: "The Architect changes how the work is cut.",
    reason: "Nobody is asked in a full-auto run.",
    impact: name,
    source: `review verdict ${judged.review.batch}`,
  });
}

function requestCodeFix(record: FeatureRecord, judged: JudgedReview): FeatureRecord {
  const batch = getJudgedBatchPath(judged);
  if (judged.verdict === "SPEC-UPDATE-NEEDED") {
    const detail = sanitizeText(judged.audit.spec_feedback.map(({ description }) => description).join(" "), 1_000);
    return requestDesignFix(record, { source: "spec-update", batch, detail, groups: [] });
  }
  const routes = routeFindings([record], selectFixableFindings(judged.findings));
  const groups = routes.get(record.feature_name) ?? record.implementation.groups.map(({ id }) => id);
  return reopenTaskGroups(record, { source: "impl", batch, detail: formatVerdictSummary(judged), groups });
}

/** Low findings alone still need a fix. Otherwise they are fixed along with the others. */
function selectFixableFindings(findings: readonly StoredFinding[]): readonly StoredFinding[] {
  const standing = findings.filter(({ waived }) => waived === undefined);
  const grave = standing.filter(({ severity }) => severity !== "L");
  return grave.length > 0 ? grave : standing;
}

const getJudgedBatchPath = ({ review }: JudgedReview): string => getReviewBatchPath(review.scope, review.batch);

function formatVerdictSummary({ review, verdict, findings }: JudgedReview): string {
  const { C, H, M, L } = countOpenFindings(findings);
  return `${verdict} in ${review.batch}: ${C} critical, ${H} high, ${M} medium, ${formatCount(L, "low finding")}.`;
}

export function applyWaveVerdict(
  draft: LeadDraft,
  wave: number,
  which: WaveReview,
  judged: JudgedReview,
): ReviewDisposition {
  const record = draft.wave(wave) ?? createWaveRecord(wave);
  if (isPassingVerdict(judged.verdict)) {
    const disposition = VERDICT_DISPOSITIONS[judged.verdict];
    draft.keepWave({ ...storeGateReview(record, which, judged, disposition), step: getNextGateStep(which) });
    return disposition;
  }
  const tries = getGateTries(record, which) + 1;
  const isMended = tries < MAX_GATE_TRIES && requestWaveFixes(draft, wave, which, judged);
  const disposition = isMended ? VERDICT_DISPOSITIONS[judged.verdict] : "ESCALATED";
  // Findings without an owner cannot be fixed, so the user decides at once.
  const tried = setGateTries(
    storeGateReview(record, which, judged, disposition),
    which,
    isMended ? tries : MAX_GATE_TRIES,
  );
  draft.keepWave(tried);
  return disposition;
}

export const getNextGateStep = (which: WaveReview): WaveRecord["step"] =>
  which === "cross-check" ? "dead-code" : "commit";

const setGateTries = (record: WaveRecord, which: WaveReview, tries: number): WaveRecord => ({
  ...record,
  tries: { ...record.tries, ...(which === "cross-check" ? { cross_check: tries } : { dead_code: tries }) },
});

function storeGateReview(
  record: WaveRecord,
  which: WaveReview,
  judged: JudgedReview,
  disposition: ReviewDisposition,
): WaveRecord {
  return which === "cross-check"
    ? { ...record, cross_check: createReviewReference(judged, disposition, record.cross_check) }
    : { ...record, dead_code: createReviewReference(judged, disposition, record.dead_code) };
}

/** Sends the findings to the owners of the files, in this wave or an earlier one. False if there are none. */
function requestWaveFixes(draft: LeadDraft, wave: number, which: WaveReview, judged: JudgedReview): boolean {
  const records = draft.features().filter((record) => getFeatureWave(record) <= wave && record.phase !== "blocked");
  const owned = routeFindings(records, selectFixableFindings(judged.findings));
  if (judged.verdict === "SPEC-UPDATE-NEEDED") {
    const named = records.filter((record) => isFeatureInFeedback(record, judged)).map(({ feature_name: name }) => name);
    const meant = named.length > 0 ? named : [...owned.keys()];
    for (const name of meant) requestSpecUpdate(draft, name, judged);
    return meant.length > 0;
  }
  for (const [name, groups] of owned) requestOwnerFix(draft, name, groups, which, judged);
  return owned.size > 0;
}

function requestOwnerFix(
  draft: LeadDraft,
  name: FeatureName,
  groups: readonly string[] | null,
  which: WaveReview,
  judged: JudgedReview,
): void {
  cancelFeatureWork(draft, name);
  const record = draft.feature(name);
  if (!record) return;
  draft.keep(
    reopenTaskGroups(record, {
      source: which === "cross-check" ? "wave" : "dead-code",
      batch: getJudgedBatchPath(judged),
      detail: formatVerdictSummary(judged),
      groups: groups ?? record.implementation.groups.map(({ id }) => id),
    }),
  );
}

/** `user-login`, `user-login.S1` and `user-login Spec 1` name the feature; `user-login-form` does not. */
function isFeatureInFeedback({ feature_name: name }: FeatureRecord, { audit }: JudgedReview): boolean {
  return audit.spec_feedback.some(({ spec }) => spec.split(/[^a-z0-9-]+/).includes(name));
}

function requestSpecUpdate(draft: LeadDraft, name: FeatureName, judged: JudgedReview): void {
  cancelFeatureWork(draft, name);
  const record = draft.feature(name);
  if (!record) return;
  const counted = countFixAttempt(record, "spec-update");
  const told = judged.audit.spec_feedback.map(({ description }) => description).join(" ");
  const detail = sanitizeText(told || formatVerdictSummary(judged), 1_000);
  draft.keep(
    requestDesignFix(counted ?? record, {
      source: "spec-update",
      batch: getJudgedBatchPath(judged),
      detail,
      groups: [],
    }),
  );
  if (!counted) escalateFeature(draft, name, `No update of its spec is left. ${formatVerdictSummary(judged)}`);
}

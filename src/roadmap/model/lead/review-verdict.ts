import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import type {
  FeatureRecord,
  PendingFix,
  ReviewReference,
  SteeringProposal,
  WaveRecord,
} from "../feature/feature-record.ts";
import { routeFindings } from "../file-ownership.ts";
import type { AuditResult, ReviewDisposition, ReviewVerdict, StoredFinding } from "../review/review-finding.ts";
import { isPassingVerdict, normalizeCategoryName, VERDICT_DISPOSITIONS } from "../review/review-verdict.ts";
import { countOpenFindings } from "../review/stored-review.ts";
import { getReviewBatchPath } from "./action-ids.ts";
import { countFixAttempt, resetCountersAfterPass } from "./feature-counters.ts";
import {
  escalateFeature,
  refreshDesignBasis,
  reopenTaskGroups,
  reopenWaveGates,
  requestDesignFix,
  unblockReadyDependents,
} from "./feature-rework.ts";
import { cancelFeatureWork, endReachedGoal, type LeadDraft, setFeatureGoal } from "./lead-draft.ts";
import type { OpenReview } from "./lead-state.ts";
import {
  createWaveRecord,
  getFeatureGoal,
  getFeatureWave,
  getGateField,
  MAX_GATE_TRIES,
  type WaveReview,
} from "./lead-view.ts";

export interface JudgedReview {
  readonly review: OpenReview;
  readonly verdict: ReviewVerdict;
  readonly findings: readonly StoredFinding[];
  readonly audit: AuditResult;
}

/** Pending steering lines survive the next review. */
export function createReviewReference(
  { review: { batch, of }, verdict, audit }: JudgedReview,
  disposition: ReviewDisposition,
  before: ReviewReference | null,
): ReviewReference {
  const proposed = audit.steering.flatMap(({ level, file, text }, i): SteeringProposal[] =>
    level === "PROPOSE" ? [{ batch, line: i + 1, file, text }] : [],
  );
  const waiting = [...(before?.waiting ?? []), ...proposed];
  const ref = { batch, verdict, disposition, of, proposals: waiting.length };
  return waiting.length > 0 ? { ...ref, waiting } : ref;
}

export function applyFeatureVerdict(draft: LeadDraft, record: FeatureRecord, judged: JudgedReview): ReviewDisposition {
  const { feature_name: name } = record;
  const { kind } = judged.review;
  if (isPassingVerdict(judged.verdict)) return passFeatureReview(draft, record, judged);
  const kindOfFix = kind === "impl" && judged.verdict === "SPEC-UPDATE-NEEDED" ? "spec-update" : "retry";
  const counted = countFixAttempt(record, kindOfFix);
  const disposition = counted ? VERDICT_DISPOSITIONS[judged.verdict] : "ESCALATED";
  const reviewed = storeFeatureReview(counted ?? record, judged, disposition);
  // Outside of a run, a failed review also requests its fix.
  if (getFeatureGoal(draft.lead(), record) === null)
    setFeatureGoal(draft, name, kind === "design" ? "design" : "implementation");
  reopenWaveGates(draft, record, "review");
  draft.keep(kind === "design" ? requestReviewedDesignFix(draft, reviewed, judged) : requestCodeFix(reviewed, judged));
  if (!counted) escalateFeature(draft, name, `No retry is left. ${formatVerdictSummary(judged)}`);
  return disposition;
}

function passFeatureReview(draft: LeadDraft, record: FeatureRecord, judged: JudgedReview): ReviewDisposition {
  const { kind, scope } = judged.review;
  const disposition = VERDICT_DISPOSITIONS[judged.verdict];
  const passed = resetCountersAfterPass(storeFeatureReview(record, judged, disposition), kind);
  const isFullCodeReview = kind === "impl" && scope.of === "feature" && scope.tasks === undefined;
  draft.keep(isFullCodeReview ? refreshDesignBasis(draft, passed) : passed);
  endReachedGoal(draft, record.feature_name);
  unblockReadyDependents(draft, record.feature_name);
  return disposition;
}

function storeFeatureReview(
  record: FeatureRecord,
  judged: JudgedReview,
  disposition: ReviewDisposition,
): FeatureRecord {
  const { kind, scope } = judged.review;
  const part = kind === "design" ? "design" : "implementation";
  const before = record.reviews[part];
  const ref = createReviewReference(judged, disposition, before);
  const store = (review: ReviewReference): FeatureRecord => ({
    ...record,
    reviews: { ...record.reviews, [part]: review },
  });
  // A review of selected tasks does not pass the whole feature. Its proposals still wait.
  const tasks = scope.of === "feature" && isPassingVerdict(judged.verdict) ? scope.tasks : undefined;
  if (!tasks) return store(ref);
  if (!before) return store({ ...ref, of: `tasks ${tasks.join(", ")}` });
  return store({ ...before, proposals: ref.proposals, ...(ref.waiting ? { waiting: ref.waiting } : {}) });
}

function requestReviewedDesignFix(draft: LeadDraft, record: FeatureRecord, judged: JudgedReview): FeatureRecord {
  const { isOn, isGated } = draft.run;
  const { feature_name: name } = record;
  const { batch } = judged.review;
  const structure = judged.findings.find(({ category }) => normalizeCategoryName(category) === "spec-structure");
  if (structure && isOn && isGated) {
    const detail = sanitizeText(structure.description, 1_000);
    return { ...record, fix: { ...createReviewFix(judged, "design", [], detail), isStructural: true } };
  }
  if (structure)
    draft.effect({
      kind: "decision",
      type: "DIRECTION_CHANGE",
      summary: `The structure of ${name} changes`,
      context: `Review ${batch} of ${name} found: ${sanitizeText(structure.description, 300)}`,
      decision: "The Architect changes how the work is cut.",
      reason: "Nobody is asked in a full-auto run.",
      impact: name,
      source: `review verdict ${batch}`,
    });
  return { ...record, fix: createReviewFix(judged, "design", []) };
}

const createReviewFix = (
  judged: JudgedReview,
  source: PendingFix["source"],
  groups: readonly string[],
  detail = formatVerdictSummary(judged),
): PendingFix => ({
  source,
  batch: getReviewBatchPath(judged.review.scope, judged.review.batch),
  detail,
  groups,
});

const formatSpecFeedback = ({ audit }: JudgedReview): string =>
  audit.spec_feedback.map(({ description }) => description).join(" ");

function requestCodeFix(record: FeatureRecord, judged: JudgedReview): FeatureRecord {
  if (judged.verdict === "SPEC-UPDATE-NEEDED") {
    const detail = sanitizeText(formatSpecFeedback(judged), 1_000);
    return requestDesignFix(record, createReviewFix(judged, "spec-update", [], detail));
  }
  const routes = routeFindings([record], selectFixableFindings(judged.findings));
  const groups = routes.get(record.feature_name) ?? record.implementation.groups.map(({ id }) => id);
  return reopenTaskGroups(record, createReviewFix(judged, "impl", groups));
}

/** Low findings alone still need a fix. Otherwise they are fixed along with the others. */
function selectFixableFindings(findings: readonly StoredFinding[]): readonly StoredFinding[] {
  const standing = findings.filter(({ waived }) => waived === undefined);
  const grave = standing.filter(({ severity }) => severity !== "L");
  return grave.length > 0 ? grave : standing;
}

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
  const record = draft.waves.get(wave) ?? createWaveRecord(wave);
  const field = getGateField(which);
  const isPassed = isPassingVerdict(judged.verdict);
  const tries = record.tries[field] + 1;
  const isMended = !isPassed && tries < MAX_GATE_TRIES && requestWaveFixes(draft, wave, which, judged);
  const disposition = isPassed || isMended ? VERDICT_DISPOSITIONS[judged.verdict] : "ESCALATED";
  const reviewed = { ...record, [field]: createReviewReference(judged, disposition, record[field]) };
  // Findings without an owner cannot be fixed, so the user decides at once.
  const failed = { ...record.tries, [field]: isMended ? tries : MAX_GATE_TRIES };
  draft.waves.set(wave, isPassed ? { ...reviewed, step: getNextGateStep(which) } : { ...reviewed, tries: failed });
  return disposition;
}

export const getNextGateStep = (which: WaveReview): WaveRecord["step"] =>
  which === "cross-check" ? "dead-code" : "commit";

/** Sends the findings to the owners of the files, in this wave or an earlier one. False if there are none. */
function requestWaveFixes(draft: LeadDraft, wave: number, which: WaveReview, judged: JudgedReview): boolean {
  const records = draft.features
    .values()
    .filter((record) => getFeatureWave(record) <= wave && record.phase !== "blocked");
  const owned = routeFindings(records, selectFixableFindings(judged.findings));
  const owners = [...owned.keys()].flatMap((name) => draft.feature(name) ?? []);
  if (judged.verdict === "SPEC-UPDATE-NEEDED") {
    const named = records.filter((record) => isFeatureInFeedback(record, judged));
    const meant = named.length > 0 ? named : owners;
    for (const record of meant) requestSpecUpdate(draft, record, judged);
    return meant.length > 0;
  }
  for (const known of owners) {
    const record = cancelFeatureWork(draft, known);
    const groups = owned.get(known.feature_name) ?? record.implementation.groups.map(({ id }) => id);
    const source = which === "cross-check" ? "wave" : "dead-code";
    draft.keep(reopenTaskGroups(record, createReviewFix(judged, source, groups)));
  }
  return owners.length > 0;
}

/** `user-login`, `user-login.S1` and `user-login Spec 1` name the feature; `user-login-form` does not. */
const isFeatureInFeedback = ({ feature_name: name }: FeatureRecord, { audit }: JudgedReview): boolean =>
  audit.spec_feedback.some(({ spec }) => spec.split(/[^a-z0-9-]+/).includes(name));

function requestSpecUpdate(draft: LeadDraft, known: FeatureRecord, judged: JudgedReview): void {
  const record = cancelFeatureWork(draft, known);
  const counted = countFixAttempt(record, "spec-update");
  const detail = sanitizeText(formatSpecFeedback(judged) || formatVerdictSummary(judged), 1_000);
  draft.keep(requestDesignFix(counted ?? record, createReviewFix(judged, "spec-update", [], detail)));
  if (!counted)
    escalateFeature(draft, known.feature_name, `No update of its spec is left. ${formatVerdictSummary(judged)}`);
}

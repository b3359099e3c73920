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
import {
  escalateFeature,
  refreshDesignBasis,
  reopenTaskGroups,
  reopenWaveGates,
  requestDesignFix,
  unblockReadyDependents,
} from "./feature-rework.ts";
import {
  cancelFeatureWork,
  countFixAttempt,
  endReachedGoal,
  type LeadDraft,
  setFeatureGoal,
  updateOrchestration,
} from "./lead-draft.ts";
import type { OpenReview } from "./lead-state.ts";
import * as leadView from "./lead-view.ts";

export interface JudgedReview {
  readonly review: Pick<OpenReview, "kind" | "scope" | "batch" | "of">;
  readonly verdict: ReviewVerdict;
  readonly findings: readonly StoredFinding[];
  readonly audit: Pick<AuditResult, "steering" | "spec_feedback">;
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
  if (leadView.getFeatureGoal(draft.lead(), record) === null)
    setFeatureGoal(draft, name, kind === "design" ? "design" : "implementation");
  reopenWaveGates(draft, record, "review");
  if (kind === "design") draft.keep(requestReviewedDesignFix(draft, reviewed, judged));
  else if (kindOfFix === "spec-update") {
    const detail = sanitizeText(formatSpecFeedback(judged), 1_000);
    draft.keep(requestDesignFix(reviewed, createReviewFix(judged, { source: "spec-update", detail })));
  } else {
    const routes = routeFindings([reviewed], selectFixableFindings(judged.findings));
    const groups = routes.get(name) ?? reviewed.implementation.groups.map(({ id }) => id);
    draft.keep(reopenTaskGroups(reviewed, createReviewFix(judged, { source: "impl", groups })));
  }
  if (!counted) escalateFeature(draft, name, `No retry is left. ${formatVerdictDetail(judged)}`);
  return disposition;
}

function passFeatureReview(draft: LeadDraft, record: FeatureRecord, judged: JudgedReview): ReviewDisposition {
  const { kind, scope } = judged.review;
  const disposition = VERDICT_DISPOSITIONS[judged.verdict];
  // Only code proves that a spec can be built, so a passed design review does not reset the spec updates. Otherwise the
  // total would be their only limit.
  const reset = kind === "design" ? { retry_count: 0 } : { retry_count: 0, spec_update_count: 0 };
  const passed = updateOrchestration(storeFeatureReview(record, judged, disposition), reset);
  const isFullCodeReview = kind === "impl" && scope.of === "feature" && scope.tasks === undefined;
  draft.keep(isFullCodeReview ? refreshDesignBasis(draft, passed) : passed);
  endReachedGoal(draft, record.feature_name);
  if (leadView.getFeatureGoal(draft.lead(), passed) === null) setFeatureGoal(draft, record.feature_name, "commit");
  unblockReadyDependents(draft, record.feature_name);
  return disposition;
}

function storeFeatureReview(record: FeatureRecord, judged: JudgedReview, disposition: ReviewDisposition) {
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
    return { ...record, fix: createReviewFix(judged, { source: "design", detail, isStructural: true }) };
  }
  if (structure)
    draft.effects.push({
      kind: "decision",
      type: "DIRECTION_CHANGE",
      summary: `The structure of ${name} changes`,
      context: `Review ${batch} of ${name} found: ${sanitizeText(structure.description, 300)}`,
      decision: "The Architect changes the structure of the work.",
      reason: "A full-auto run does not ask.",
      impact: name,
      source: `review verdict ${batch}`,
    });
  return { ...record, fix: createReviewFix(judged, { source: "design" }) };
}

const createReviewFix = (judged: JudgedReview, fix: Pick<PendingFix, "source"> & Partial<PendingFix>): PendingFix => ({
  batch: leadView.getReviewBatchPath(judged.review.scope, judged.review.batch),
  detail: formatVerdictSummary(judged),
  groups: [],
  ...fix,
});

const formatSpecFeedback = ({ audit }: JudgedReview): string =>
  audit.spec_feedback.map(({ description }) => description).join(" ");

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

/** The summary with the findings: text, file and line. */
function formatVerdictDetail(judged: JudgedReview): string {
  const open = selectFixableFindings(judged.findings);
  const rows = open
    .toSorted((a, b) => "CHML".indexOf(a.severity) - "CHML".indexOf(b.severity))
    .slice(0, 3)
    .map(({ severity, category, location, description }) => `${severity} ${category}, ${location}: ${description}.`);
  const feedback = judged.audit.spec_feedback.slice(0, 3).map(({ spec, description }) => `${spec}: ${description}.`);
  const rest = open.length > 3 ? [`${open.length - 3} more findings.`] : [];
  return [formatVerdictSummary(judged), ...rows, ...feedback, ...rest].map((line) => sanitizeText(line, 300)).join(" ");
}

export function applyWaveVerdict(draft: LeadDraft, wave: number, which: leadView.WaveReview, judged: JudgedReview) {
  const record = draft.waves.get(wave) ?? leadView.createWaveRecord(wave);
  const field = leadView.getGateField(which);
  const isPassed = isPassingVerdict(judged.verdict);
  const tries = record.tries[field] + 1;
  const isMended = !isPassed && tries < leadView.MAX_GATE_TRIES && requestWaveFixes(draft, wave, which, judged);
  const disposition = isPassed || isMended ? VERDICT_DISPOSITIONS[judged.verdict] : "ESCALATED";
  const reviewed = { ...record, [field]: createReviewReference(judged, disposition, record[field]) };
  // Findings without an owner cannot be fixed, so the user decides at once.
  const failed = { ...record.tries, [field]: isMended ? tries : leadView.MAX_GATE_TRIES };
  const unowned =
    isMended || tries >= leadView.MAX_GATE_TRIES ? "" : " No feature owns the files, so no agent can fix it.";
  const failure = sanitizeText(
    `It failed ${formatCount(tries, "time")}. ${formatVerdictDetail(judged)}${unowned}`,
    1_200,
  );
  draft.waves.set(
    wave,
    isPassed ? { ...reviewed, step: getNextGateStep(which) } : { ...reviewed, tries: failed, failure },
  );
  return disposition;
}

export const getNextGateStep = (which: leadView.WaveReview): WaveRecord["step"] =>
  which === "cross-check" ? "dead-code" : "commit";

/** Sends the findings to the owners of the files, in this wave or an earlier one. False if there are none. */
function requestWaveFixes(draft: LeadDraft, wave: number, which: leadView.WaveReview, judged: JudgedReview): boolean {
  const records = draft.features
    .values()
    .filter((record) => leadView.getFeatureWave(record) <= wave && record.phase !== "blocked");
  const owned = routeFindings(records, selectFixableFindings(judged.findings));
  const owners = [...owned.keys()].flatMap((name) => draft.feature(name) ?? []);
  if (judged.verdict === "SPEC-UPDATE-NEEDED") {
    // `user-login`, `user-login.S1` and `user-login Spec 1` name the feature; `user-login-form` does not.
    const names = new Set(judged.audit.spec_feedback.flatMap(({ spec }) => spec.split(/[^a-z0-9-]+/)));
    const named = records.filter(({ feature_name }) => names.has(feature_name));
    const meant = named.length > 0 ? named : owners;
    for (const known of meant) {
      const record = cancelFeatureWork(draft, known);
      const counted = countFixAttempt(record, "spec-update");
      const detail = sanitizeText(formatSpecFeedback(judged) || formatVerdictSummary(judged), 1_000);
      draft.keep(requestDesignFix(counted ?? record, createReviewFix(judged, { source: "spec-update", detail })));
      if (!counted)
        escalateFeature(draft, known.feature_name, `No update of its spec is left. ${formatVerdictDetail(judged)}`);
    }
    return meant.length > 0;
  }
  for (const known of owners) {
    const record = cancelFeatureWork(draft, known);
    const groups = owned.get(known.feature_name) ?? record.implementation.groups.map(({ id }) => id);
    const source = which === "cross-check" ? "wave" : "dead-code";
    draft.keep(reopenTaskGroups(record, createReviewFix(judged, { source, groups })));
  }
  return owners.length > 0;
}

/** The gate of a wave with one feature begins with the search for dead code. */
export function skipCrossCheck(draft: LeadDraft, wave: number): void {
  const view = leadView.getLeadView(draft.base);
  const step = view.openWave === wave ? leadView.getWaveStep(view) : undefined;
  if (step?.kind !== "review" || step.review !== "dead-code") return;
  const record = draft.waves.get(wave) ?? leadView.createWaveRecord(wave);
  if (record.step === "cross-check") draft.waves.set(wave, { ...record, step: "dead-code" });
}

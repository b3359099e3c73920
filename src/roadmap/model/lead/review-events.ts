import { REVIEW_INSPECTORS } from "../agent/agent-roles.ts";
import type { FeatureRecord } from "../feature/feature-record.ts";
import {
  parseBatchNumber,
  type ReviewDisposition,
  type ReviewVerdict,
  type StoredFinding,
  type StoredReview,
} from "../review/review-finding.ts";
import { quote, sanitizeText } from "#kernel/model/text-format.ts";
import { cancelFeatureCommit, cancelReview, cancelFeatureWork } from "./work-cancellation.ts";
import { updateOrchestration, MAX_LOST_RUNS } from "./feature-counters.ts";
import { type LeadDraft, recordUserDecision } from "./lead-draft.ts";
import {
  getLastStartedBatch,
  createReviewKey,
  AUDITOR_NAME,
  formatScopeHead,
  parseReviewerName,
  getReviewBatchPath,
} from "./action-ids.ts";
import { checkPhaseGate } from "./phase-gate.ts";
import {
  EVENT_APPLIED,
  type LeadEventOfKind,
  EVENT_REPEATED,
  rejectLeadEvent,
  rejectEventKeepState,
  type EventOutcome,
  type ReportFacts,
  type ReportWithFacts,
} from "./lead-events.ts";
import { getFeatureGoal, getLeadView } from "./lead-view.ts";
import { listLessonTags } from "../agent/completion-blocks.ts";
import { callInspectorRoll, createStoredReview } from "../review/stored-review.ts";
import { findScopeMismatch } from "../review/review-report.ts";
import { escalateFeature } from "./blocked-features.ts";
import { voidFeatureDesign } from "./feature-rework.ts";
import type { OpenReview } from "./lead-state.ts";
import { MAX_GATE_TRIES, createWaveRecord, getWaveStep, type WaveReview } from "./wave-progress.ts";
import {
  findUnaccountedCriticals,
  addFindingHistory,
  isRelatedBatch,
  applyFindingWaiver,
} from "../review/finding-history.ts";
import { VERDICT_DISPOSITIONS, isPassingVerdict, judgeReviewFindings } from "../review/review-verdict.ts";
import { type JudgedReview, createReviewReference, applyFeatureVerdict, applyWaveVerdict } from "./review-verdict.ts";

export function applyReviewStarted(draft: LeadDraft, event: LeadEventOfKind<"review-begun">): EventOutcome {
  const { review: kind, scope, batch, of, tracked, mended } = event;
  const key = createReviewKey(kind, scope);
  const open = draft.review(key);
  if (open?.batch === batch && open.of === of) return EVENT_REPEATED;
  if (open) return rejectLeadEvent(`Review ${open.batch} of ${key} is under way. Report it, or wait for it.`);
  const number = parseBatchNumber(batch);
  if (number === undefined) return rejectLeadEvent(`${quote(batch, 20)} is no batch. Batches are B1, B2 and so on.`);
  const last = getLastStartedBatch(draft.base, scope);
  if (number <= last) return rejectLeadEvent(`${batch} is taken. The next batch of ${key} is B${last + 1}.`);
  const inspectors = selectInspectors(event);
  if (inspectors.length === 0)
    return rejectLeadEvent(`Nobody would look. Inspectors are ${REVIEW_INSPECTORS[kind].join(", ")}.`);
  const problem = findReviewStartProblem(draft, event);
  if (problem !== undefined) return rejectLeadEvent(problem);
  const record = scope.of === "feature" ? draft.feature(scope.feature) : undefined;
  if (record && isReviewedContentChanged(draft, record, event)) {
    revokeAcceptance(draft, { kind, scope });
    const again = kind === "design" ? "an Architect takes the change in" : "the gate looks at it again";
    return rejectEventKeepState(`What ${key} is about was changed since it was accepted: first ${again}.`);
  }
  if (record) {
    cancelFeatureCommit(draft, record.feature_name);
    const { runs } = record.orchestration;
    draft.keep(updateOrchestration(record, { runs: { ...runs, batch: number } }));
  } else {
    draft.changeRun({ batches: number });
  }
  draft.keepReview(key, {
    kind,
    scope,
    batch,
    of,
    inspectors,
    inspections: {},
    missing: [],
    lost: {},
    tracked,
    mended,
  });
  return EVENT_APPLIED;
}

const selectInspectors = ({ review: kind, inspectors }: LeadEventOfKind<"review-begun">): readonly string[] =>
  REVIEW_INSPECTORS[kind].filter((name) => inspectors === undefined || inspectors.includes(name));

function findReviewStartProblem(
  draft: LeadDraft,
  { review: kind, scope }: LeadEventOfKind<"review-begun">,
): string | undefined {
  if (scope.of === "all") return draft.base.features.size === 0 ? "No specs found. Create specs first." : undefined;
  if (scope.of === "wave") {
    const isThere = draft.features().some(({ roadmap }) => roadmap?.wave === scope.wave);
    return isThere ? undefined : `Wave ${scope.wave} has no features.`;
  }
  const { feature: name } = scope;
  const record = draft.feature(name);
  if (!record) return `Spec '${name}' not found. Run \`sdd_design "description"\` first.`;
  if (kind === "dead-code") return "Dead code is looked for in a wave or in everything, not in one feature.";
  const gate = checkPhaseGate(record, kind === "design" ? "review-design" : "review-impl");
  if (gate.kind === "closed") return gate.problem;
  if (kind === "impl" && record.implementation.hash === null) {
    return `${name} is being built: its review follows its gate.`;
  }
  const isAtWork = draft
    .allOut()
    .some(({ action }) => action.id.startsWith(`${name}/`) && (action.kind === "spawn" || action.kind === "gate"));
  if (isAtWork) return `Somebody is at work on ${name}. Its review follows when that is reported.`;
  return draft.reviewKeys().some((key) => key.startsWith(`${name}/`))
    ? `Another review of ${name} is under way.`
    : undefined;
}

function isReviewedContentChanged(
  draft: LeadDraft,
  record: FeatureRecord,
  { review, of }: LeadEventOfKind<"review-begun">,
): boolean {
  if (getFeatureGoal(draft.base, record) !== "done") return false;
  return of !== (review === "design" ? record.design?.hash : record.implementation.hash);
}

export function applyInspection(
  draft: LeadDraft,
  key: string,
  { id, report, facts }: ReportWithFacts<"inspection">,
): EventOutcome {
  const review = draft.review(key);
  const name = parseReviewerName(id);
  if (!review) return rejectLeadEvent(`The review ${key} is over.`);
  const isVoid = voidChangedReview(draft, key, review, facts);
  if (isVoid) return isVoid;
  const other = findScopeMismatch(review.scope, report.inspection.scope);
  if (other !== undefined) return rejectLeadEvent(other);
  draft.keepReview(key, { ...review, inspections: { ...review.inspections, [name]: report.inspection } });
  const tags = listLessonTags(report.inspection.notes);
  if (tags.length > 0)
    draft.effect({ kind: "tags", feature: formatScopeHead(review.scope), role: `inspector-${name}`, tags });
  return EVENT_APPLIED;
}

/** Content that changes during its review makes the whole review void. */
function voidChangedReview(
  draft: LeadDraft,
  key: string,
  review: OpenReview,
  { frozen }: ReportFacts,
): EventOutcome | undefined {
  if (frozen === undefined)
    return rejectLeadEvent(`Nobody looked whether what ${key} is about has changed. Report again.`);
  if (frozen === review.of) return undefined;
  cancelReview(draft, key);
  revokeAcceptance(draft, review);
  return rejectEventKeepState(`What is reviewed was changed meanwhile, so review ${review.batch} of ${key} is void.`);
}

/** In a run, changed content must be accepted again first: a design by an Architect, code by the gate. */
function revokeAcceptance(draft: LeadDraft, { kind, scope }: Pick<OpenReview, "kind" | "scope">): void {
  const record = scope.of === "feature" ? draft.feature(scope.feature) : undefined;
  if (!record || getFeatureGoal(draft.lead(), record) !== "done") return;
  if (kind === "design") draft.keep(voidFeatureDesign(record));
  if (kind === "impl") draft.keep({ ...record, implementation: { ...record.implementation, hash: null } });
}

/**
 * The review continues without an inspector that is lost three times. Without any inspector, or without an auditor, it
 * ends without a verdict.
 */
export function loseReviewerRun(draft: LeadDraft, key: string, who: string): EventOutcome {
  const review = draft.review(key);
  if (!review) return rejectLeadEvent(`The review ${key} is over.`);
  const times = (review.lost[who] ?? 0) + 1;
  const isGone = times >= MAX_LOST_RUNS;
  const missing = isGone && who !== AUDITOR_NAME ? [...review.missing, who] : review.missing;
  const next = { ...review, lost: { ...review.lost, [who]: times }, missing };
  draft.keepReview(key, next);
  const { reported, isOver } = callInspectorRoll(next);
  if ((isGone && who === AUDITOR_NAME) || (isOver && reported.length === 0)) abandonReview(draft, key, next, who);
  return EVENT_APPLIED;
}

function abandonReview(draft: LeadDraft, key: string, review: OpenReview, who: string): void {
  const { scope, batch } = review;
  const what = who === AUDITOR_NAME ? `the auditor was lost ${MAX_LOST_RUNS} times` : "all inspectors were lost";
  const step = getWaveStep(getLeadView(draft.base));
  cancelReview(draft, key);
  if (scope.of === "feature") escalateFeature(draft, scope.feature, `Review ${batch} came to nothing: ${what}.`);
  if (scope.of !== "wave" || step?.kind !== "review" || getLeadView(draft.base).openWave !== scope.wave) return;
  const record = draft.wave(scope.wave) ?? createWaveRecord(scope.wave);
  const tries = step.review === "cross-check" ? { cross_check: MAX_GATE_TRIES } : { dead_code: MAX_GATE_TRIES };
  draft.keepWave({ ...record, tries: { ...record.tries, ...tries } });
}

/** The engine computes the verdict from the audit, and what follows. */
export function applyAudit(
  draft: LeadDraft,
  key: string,
  { report: { audit }, facts }: ReportWithFacts<"audit">,
): EventOutcome {
  const review = draft.review(key);
  if (!review) return rejectLeadEvent(`The review ${key} is over.`);
  const isVoid = voidChangedReview(draft, key, review, facts);
  if (isVoid) return isVoid;
  const other = findScopeMismatch(review.scope, audit.scope);
  if (other !== undefined) return rejectLeadEvent(other);
  const silent = findUnaccountedCriticals(review, audit);
  if (silent.length > 0) return rejectLeadEvent(...silent);
  const findings = addFindingHistory(audit.verified, review.tracked, review.mended);
  const { verdict } = judgeReviewFindings(review.kind, findings, audit);
  draft.dropReview(key);
  const disposition = applyAuditVerdict(draft, { review, verdict, findings, audit });
  draft.effect({ kind: "batch", batch: createStoredReview(review, audit, facts.at, disposition) });
  codifySteeringLines(draft, key, { review, verdict, findings, audit });
  return EVENT_APPLIED;
}

function applyAuditVerdict(draft: LeadDraft, judged: JudgedReview): ReviewDisposition {
  const { scope } = judged.review;
  const record = scope.of === "feature" ? draft.feature(scope.feature) : undefined;
  if (record) return applyFeatureVerdict(draft, record, judged);
  const which = scope.of === "wave" ? matchGateReview(draft, scope.wave, judged) : undefined;
  if (scope.of === "wave" && which) return applyWaveVerdict(draft, scope.wave, which, judged);
  // A review of several features outside of a gate only reports its findings. The user decides.
  const { waiting } = createReviewReference(judged, "ESCALATED", null);
  if (waiting) draft.changeRun({ proposals: [...(draft.run.proposals ?? []), ...waiting] });
  return isPassingVerdict(judged.verdict) ? VERDICT_DISPOSITIONS[judged.verdict] : "ESCALATED";
}

/** Undefined if the gate is not waiting for this review. */
function matchGateReview(draft: LeadDraft, wave: number, { review }: JudgedReview): WaveReview | undefined {
  const view = getLeadView(draft.base);
  const step = view.openWave === wave ? getWaveStep(view) : undefined;
  if (step?.kind !== "review") return undefined;
  return review.kind === (step.review === "cross-check" ? "impl" : "dead-code") ? step.review : undefined;
}

/** CODIFY lines describe existing practice, so they need no approval. */
function codifySteeringLines(draft: LeadDraft, key: string, { review, audit }: JudgedReview): void {
  for (const { level, file, text } of audit.steering) {
    if (level !== "CODIFY") continue;
    draft.effect({ kind: "steering", file, text });
    draft.effect({
      kind: "decision",
      type: "STEERING_UPDATE",
      summary: `${sanitizeText(file, 60)}: ${sanitizeText(text, 100)}`,
      context: `Review ${review.batch} of ${key} found it in use already.`,
      decision: text,
      reason: "It is written down so that others keep to it.",
      impact: file,
      source: `review verdict ${review.batch}`,
    });
  }
}

/** The user waived a finding and the review has a new verdict. Cancels the work that the old verdict started. */
export function applyWaiver(draft: LeadDraft, { review, finding: id }: LeadEventOfKind<"waived">): EventOutcome {
  const finding = review.findings.find((each) => each.id === id);
  if (finding?.waived === undefined) return rejectLeadEvent(`${id} of ${review.batch} is not waived.`);
  const disposition = applyWaivedVerdict(draft, review) ?? (review.disposition as ReviewDisposition);
  draft.effect({ kind: "batch", batch: { ...review, disposition } });
  addWaiverToOpenReviews(draft, review, finding);
  recordUserDecision(draft, {
    type: "USER_DECISION",
    summary: `${id} of ${review.batch} may stand`,
    context: `Review ${review.batch} of ${formatScopeHead(review.scope)}: ${finding.description}`,
    decision: `The finding is waived; the verdict is ${review.verdict}.`,
    said: finding.waived,
    impact: formatScopeHead(review.scope),
  });
  return EVENT_APPLIED;
}

/** An open review tracks the earlier findings, so the waiver applies there too. */
function addWaiverToOpenReviews(draft: LeadDraft, batch: StoredReview, finding: StoredFinding): void {
  for (const key of draft.reviewKeys()) {
    const open = draft.review(key);
    if (!open || !isRelatedBatch(batch, open.kind, open.scope)) continue;
    draft.keepReview(key, { ...open, tracked: applyFindingWaiver(open.tracked, finding) });
  }
}

/** Undefined if a later review counts, or if the verdict did not change. */
function applyWaivedVerdict(draft: LeadDraft, review: StoredReview): ReviewDisposition | undefined {
  if (review.scope.of === "feature") return applyWaivedFeatureVerdict(draft, review);
  return review.scope.of === "wave" ? applyWaivedWaveVerdict(draft, review, review.scope.wave) : undefined;
}

function applyWaivedFeatureVerdict(draft: LeadDraft, review: StoredReview): ReviewDisposition | undefined {
  const record = review.scope.of === "feature" ? draft.feature(review.scope.feature) : undefined;
  const ref = record?.reviews[review.kind === "design" ? "design" : "implementation"];
  if (!record || !ref || ref.batch !== review.batch || ref.verdict === review.verdict) return undefined;
  return applyFeatureVerdict(draft, cancelRequestedFix(draft, record, review), restoreJudgedReview(review));
}

function applyWaivedWaveVerdict(draft: LeadDraft, review: StoredReview, wave: number): ReviewDisposition | undefined {
  const which: WaveReview = review.kind === "dead-code" ? "dead-code" : "cross-check";
  const record = draft.wave(wave);
  const ref = which === "dead-code" ? record?.dead_code : record?.cross_check;
  const isMeant = record?.step === which && ref?.batch === review.batch && ref.verdict !== review.verdict;
  if (!isMeant) return undefined;
  for (const feature of draft.features()) draft.keep(cancelRequestedFix(draft, feature, review));
  return applyWaveVerdict(draft, wave, which, restoreJudgedReview(review));
}

/** Keeps a fix that has already started. */
function cancelRequestedFix(draft: LeadDraft, known: FeatureRecord, review: StoredReview): FeatureRecord {
  const { fix } = known;
  if (!fix || fix.batch !== getReviewBatchPath(review.scope, review.batch) || fix.source === "blocker") return known;
  const woken = known.implementation.groups.filter(({ id }) => fix.groups.includes(id));
  if (woken.some(({ status }) => status === "done")) return known;
  cancelFeatureWork(draft, known.feature_name);
  const record = draft.feature(known.feature_name) ?? known;
  if (woken.length === 0) return { ...record, fix: null };
  const { implementation, reviews } = record;
  const groups = implementation.groups.map((group) =>
    fix.groups.includes(group.id) ? { ...group, status: "done" as const } : group,
  );
  // The code has not changed since its review.
  const hash = reviews.implementation?.of ?? null;
  return { ...record, fix: null, implementation: { ...implementation, groups, hash } };
}

/** Pending steering lines stay with the stored batch. */
function restoreJudgedReview(review: StoredReview): JudgedReview {
  const { kind, scope, batch, of, inspectors, missing, mended, findings, removed, unresolved, spec_feedback } = review;
  const verdict = review.verdict as ReviewVerdict;
  return {
    review: { kind, scope, batch, of, inspectors, inspections: {}, missing, lost: {}, tracked: [], mended },
    verdict,
    findings,
    audit: {
      scope: formatScopeHead(scope),
      verdict,
      verified: findings,
      removed,
      resolved: review.resolved_conflicts,
      unresolved,
      spec_feedback,
      steering: [],
      notes: [],
      roadmap_advisory: [],
    },
  };
}

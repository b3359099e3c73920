import { quote, sanitizeText } from "#kernel/model/text-format.ts";
import { REVIEW_INSPECTORS } from "../agent/agent-roles.ts";
import { listLessonTags } from "../agent/completion-blocks.ts";
import type { FeatureRecord } from "../feature/feature-record.ts";
import { checkPhaseGate } from "../feature-progress.ts";
import {
  addFindingHistory,
  applyFindingWaiver,
  findUnaccountedCriticals,
  isRelatedBatch,
} from "../review/finding-history.ts";
import {
  type AuditResult,
  parseBatchNumber,
  type ReviewDisposition,
  type StoredReview,
} from "../review/review-finding.ts";
import { findScopeMismatch } from "../review/review-report.ts";
import { isPassingVerdict, judgeReviewFindings, VERDICT_DISPOSITIONS } from "../review/review-verdict.ts";
import { callInspectorRoll, createStoredReview } from "../review/stored-review.ts";
import {
  AUDITOR_NAME,
  createReviewKey,
  formatScopeHead,
  getLastStartedBatch,
  getReviewBatchPath,
  parseReviewerName,
} from "./action-ids.ts";
import { MAX_LOST_RUNS, updateOrchestration } from "./feature-counters.ts";
import { escalateFeature, voidFeatureDesign } from "./feature-rework.ts";
import {
  cancelFeatureCommit,
  cancelFeatureWork,
  cancelReview,
  type LeadDraft,
  recordUserDecision,
} from "./lead-draft.ts";
import {
  EVENT_APPLIED,
  EVENT_REPEATED,
  type EventOf,
  type EventOutcome,
  rejectEvent,
  rejectEventKeepState,
  type ReportFacts,
  type ReportOf,
} from "./lead-events.ts";
import type { ActionId, OpenReview } from "./lead-state.ts";
import {
  createWaveRecord,
  getFeatureGoal,
  getGateField,
  getLeadView,
  getWaveStep,
  MAX_GATE_TRIES,
  type WaveReview,
} from "./lead-view.ts";
import { applyFeatureVerdict, applyWaveVerdict, createReviewReference, type JudgedReview } from "./review-verdict.ts";

export function applyReviewStarted(draft: LeadDraft, event: EventOf<"review-begun">): EventOutcome {
  const { review: kind, scope, batch, of, tracked, mended } = event;
  const key = createReviewKey(kind, scope);
  const open = draft.reviews.get(key);
  if (open?.batch === batch && open.of === of) return EVENT_REPEATED;
  if (open) return rejectEvent(`Review ${open.batch} of ${key} is under way. Report it, or wait for it.`);
  const number = parseBatchNumber(batch);
  if (number === undefined) return rejectEvent(`${quote(batch, 20)} is no batch. Batches are B1, B2 and so on.`);
  const last = getLastStartedBatch(draft.base, scope);
  if (number <= last) return rejectEvent(`${batch} is taken. The next batch of ${key} is B${last + 1}.`);
  const inspectors = REVIEW_INSPECTORS[kind].filter((name) => event.inspectors?.includes(name) ?? true);
  if (inspectors.length === 0)
    return rejectEvent(`Nobody would look. Inspectors are ${REVIEW_INSPECTORS[kind].join(", ")}.`);
  const problem = findReviewStartProblem(draft, event);
  if (problem !== undefined) return rejectEvent(problem);
  const record = findScopeRecord(draft, event);
  if (record && isReviewedContentChanged(draft, record, event)) {
    revokeAcceptance(draft, { kind, scope });
    const again = kind === "design" ? "an Architect takes the change in" : "the gate looks at it again";
    return rejectEventKeepState(`What ${key} is about was changed since it was accepted: first ${again}.`);
  }
  if (record) {
    cancelFeatureCommit(draft, record.feature_name);
    draft.keep(updateOrchestration(record, { runs: { ...record.orchestration.runs, batch: number } }));
  } else draft.changeRun({ batches: number });
  draft.reviews.set(key, createOpenReview({ kind, scope, batch, of, inspectors, tracked, mended }));
  return EVENT_APPLIED;
}

const createOpenReview = (review: Omit<OpenReview, "inspections" | "missing" | "lost">): OpenReview => ({
  ...review,
  inspections: {},
  missing: [],
  lost: {},
});

const findScopeRecord = (draft: LeadDraft, { scope }: Pick<OpenReview, "scope">): FeatureRecord | undefined =>
  scope.of === "feature" ? draft.feature(scope.feature) : undefined;

function findReviewStartProblem(
  draft: LeadDraft,
  { review: kind, scope }: EventOf<"review-begun">,
): string | undefined {
  if (scope.of === "all") return draft.base.features.size === 0 ? "No specs found. Create specs first." : undefined;
  if (scope.of === "wave") {
    const isThere = draft.features.values().some(({ roadmap }) => roadmap?.wave === scope.wave);
    return isThere ? undefined : `Wave ${scope.wave} has no features.`;
  }
  const { feature: name } = scope;
  const record = draft.feature(name);
  if (!record) return `Spec '${name}' not found. Run \`sdd_design "description"\` first.`;
  if (kind === "dead-code") return "Dead code is looked for in a wave or in everything, not in one feature.";
  const gate = checkPhaseGate(record, kind === "design" ? "review-design" : "review-impl");
  if (gate.kind === "closed") return gate.problem;
  if (kind === "impl" && record.implementation.hash === null)
    return `${name} is being built: its review follows its gate.`;
  const isAtWork = draft.out
    .values()
    .some(({ action }) => action.id.startsWith(`${name}/`) && (action.kind === "spawn" || action.kind === "gate"));
  if (isAtWork) return `Somebody is at work on ${name}. Its review follows when that is reported.`;
  return draft.reviews.keys().some((key) => key.startsWith(`${name}/`))
    ? `Another review of ${name} is under way.`
    : undefined;
}

function isReviewedContentChanged(
  draft: LeadDraft,
  record: FeatureRecord,
  { review, of }: EventOf<"review-begun">,
): boolean {
  if (getFeatureGoal(draft.base, record) !== "done") return false;
  return of !== (review === "design" ? record.design?.hash : record.implementation.hash);
}

export function applyInspection(
  draft: LeadDraft,
  key: string,
  id: ActionId,
  { report: { inspection }, facts }: ReportOf<"inspection">,
): EventOutcome {
  const review = draft.reviews.get(key);
  const name = parseReviewerName(id);
  if (!review) return rejectEvent(`The review ${key} is over.`);
  const problem = checkReviewReport(draft, key, review, inspection, facts);
  if (problem) return problem;
  draft.reviews.set(key, { ...review, inspections: { ...review.inspections, [name]: inspection } });
  const tags = listLessonTags(inspection.notes);
  const role = `inspector-${name}`;
  if (tags.length > 0) draft.effect({ kind: "tags", feature: formatScopeHead(review.scope), role, tags });
  return EVENT_APPLIED;
}

/** Content that changes during its review makes the whole review void. */
function checkReviewReport(
  draft: LeadDraft,
  key: string,
  review: OpenReview,
  { scope }: { readonly scope: string },
  { frozen }: ReportFacts,
): EventOutcome | undefined {
  if (frozen === undefined) return rejectEvent(`Nobody looked whether what ${key} is about has changed. Report again.`);
  if (frozen !== review.of) {
    cancelReview(draft, key);
    revokeAcceptance(draft, review);
    return rejectEventKeepState(`What is reviewed was changed meanwhile, so review ${review.batch} of ${key} is void.`);
  }
  const mismatch = findScopeMismatch(review.scope, scope);
  return mismatch === undefined ? undefined : rejectEvent(mismatch);
}

/** In a run, changed content must be accepted again first: a design by an Architect, code by the gate. */
function revokeAcceptance(draft: LeadDraft, review: Pick<OpenReview, "kind" | "scope">): void {
  const record = findScopeRecord(draft, review);
  if (!record || getFeatureGoal(draft.lead(), record) !== "done") return;
  if (review.kind === "design") draft.keep(voidFeatureDesign(record));
  if (review.kind === "impl") draft.keep({ ...record, implementation: { ...record.implementation, hash: null } });
}

/**
 * The review continues without an inspector that is lost three times. Without any inspector, or without an auditor, it
 * ends without a verdict.
 */
export function loseReviewerRun(draft: LeadDraft, key: string, who: string): EventOutcome {
  const review = draft.reviews.get(key);
  if (!review) return rejectEvent(`The review ${key} is over.`);
  const times = (review.lost[who] ?? 0) + 1;
  const isGone = times >= MAX_LOST_RUNS;
  const isAuditor = who === AUDITOR_NAME;
  const missing = isGone && !isAuditor ? [...review.missing, who] : review.missing;
  const next = { ...review, lost: { ...review.lost, [who]: times }, missing };
  draft.reviews.set(key, next);
  const { reported, isOver } = callInspectorRoll(next);
  if ((isGone && isAuditor) || (isOver && reported.length === 0)) abandonReview(draft, key, next, isAuditor);
  return EVENT_APPLIED;
}

function abandonReview(draft: LeadDraft, key: string, { scope, batch }: OpenReview, isAuditor: boolean): void {
  const what = isAuditor ? `the auditor was lost ${MAX_LOST_RUNS} times` : "all inspectors were lost";
  const view = getLeadView(draft.base);
  const step = getWaveStep(view);
  cancelReview(draft, key);
  if (scope.of === "feature") escalateFeature(draft, scope.feature, `Review ${batch} came to nothing: ${what}.`);
  if (scope.of !== "wave" || step?.kind !== "review" || view.openWave !== scope.wave) return;
  const record = draft.waves.get(scope.wave) ?? createWaveRecord(scope.wave);
  const tries = { ...record.tries, [getGateField(step.review)]: MAX_GATE_TRIES };
  draft.waves.set(scope.wave, { ...record, tries });
}

/** The engine computes the verdict from the audit, and what follows. */
export function applyAudit(
  draft: LeadDraft,
  key: string,
  { report: { audit }, facts }: ReportOf<"audit">,
): EventOutcome {
  const review = draft.reviews.get(key);
  if (!review) return rejectEvent(`The review ${key} is over.`);
  const problem = checkReviewReport(draft, key, review, audit, facts);
  if (problem) return problem;
  const silent = findUnaccountedCriticals(review, audit);
  if (silent.length > 0) return rejectEvent(...silent);
  const findings = addFindingHistory(audit.verified, review.tracked, review.mended);
  const { verdict } = judgeReviewFindings(review.kind, findings, audit);
  draft.reviews.delete(key);
  const disposition = applyAuditVerdict(draft, { review, verdict, findings, audit });
  draft.effect({ kind: "batch", batch: createStoredReview(review, audit, facts.at, disposition) });
  codifySteeringLines(draft, key, review, audit);
  return EVENT_APPLIED;
}

function applyAuditVerdict(draft: LeadDraft, judged: JudgedReview): ReviewDisposition {
  const { scope, kind } = judged.review;
  const record = findScopeRecord(draft, judged.review);
  if (record) return applyFeatureVerdict(draft, record, judged);
  const view = getLeadView(draft.base);
  const step = scope.of === "wave" && view.openWave === scope.wave ? getWaveStep(view) : undefined;
  // The gate may wait for the other review, or for none.
  if (scope.of === "wave" && step?.kind === "review" && kind === (step.review === "cross-check" ? "impl" : "dead-code"))
    return applyWaveVerdict(draft, scope.wave, step.review, judged);
  // A review of several features outside of a gate only reports its findings. The user decides.
  const { waiting } = createReviewReference(judged, "ESCALATED", null);
  if (waiting) draft.changeRun({ proposals: [...(draft.run.proposals ?? []), ...waiting] });
  return isPassingVerdict(judged.verdict) ? VERDICT_DISPOSITIONS[judged.verdict] : "ESCALATED";
}

/** CODIFY lines describe existing practice, so they need no approval. */
function codifySteeringLines(draft: LeadDraft, key: string, { batch }: OpenReview, { steering }: AuditResult): void {
  for (const { level, file, text } of steering) {
    if (level !== "CODIFY") continue;
    draft.effect({ kind: "steering", file, text });
    draft.effect({
      kind: "decision",
      type: "STEERING_UPDATE",
      summary: `${sanitizeText(file, 60)}: ${sanitizeText(text, 100)}`,
      context: `Review ${batch} of ${key} found it in use already.`,
      decision: text,
      reason: "It is written down so that others keep to it.",
      impact: file,
      source: `review verdict ${batch}`,
    });
  }
}

/** The user waived a finding and the review has a new verdict. Cancels the work that the old verdict started. */
export function applyWaiver(draft: LeadDraft, { review, finding: id }: EventOf<"waived">): EventOutcome {
  const finding = review.findings.find((each) => each.id === id);
  if (finding?.waived === undefined) return rejectEvent(`${id} of ${review.batch} is not waived.`);
  const head = formatScopeHead(review.scope);
  const disposition = applyWaivedVerdict(draft, review) ?? review.disposition;
  draft.effect({ kind: "batch", batch: { ...review, disposition } });
  // An open review tracks the earlier findings, so the waiver applies there too.
  for (const key of draft.reviews.keys()) {
    const open = draft.reviews.get(key);
    if (!open || !isRelatedBatch(review, open.kind, open.scope)) continue;
    draft.reviews.set(key, { ...open, tracked: applyFindingWaiver(open.tracked, finding) });
  }
  recordUserDecision(draft, {
    type: "USER_DECISION",
    summary: `${id} of ${review.batch} may stand`,
    context: `Review ${review.batch} of ${head}: ${finding.description}`,
    decision: `The finding is waived; the verdict is ${review.verdict}.`,
    said: finding.waived,
    impact: head,
  });
  return EVENT_APPLIED;
}

/** Undefined if a later review counts, or if the verdict did not change. */
function applyWaivedVerdict(draft: LeadDraft, review: StoredReview): ReviewDisposition | undefined {
  const { scope, kind, batch, verdict } = review;
  const feature = findScopeRecord(draft, review);
  if (feature) {
    const ref = feature.reviews[kind === "design" ? "design" : "implementation"];
    if (ref?.batch !== batch || ref.verdict === verdict) return undefined;
    return applyFeatureVerdict(draft, cancelRequestedFix(draft, feature, review), restoreJudgedReview(review));
  }
  if (scope.of !== "wave") return undefined;
  const which: WaveReview = kind === "dead-code" ? "dead-code" : "cross-check";
  const record = draft.waves.get(scope.wave);
  const ref = record?.[getGateField(which)];
  if (record?.step !== which || ref?.batch !== batch || ref.verdict === verdict) return undefined;
  for (const each of draft.features.values()) draft.keep(cancelRequestedFix(draft, each, review));
  return applyWaveVerdict(draft, scope.wave, which, restoreJudgedReview(review));
}

/** Keeps a fix that has already started. */
function cancelRequestedFix(draft: LeadDraft, known: FeatureRecord, review: StoredReview): FeatureRecord {
  const { fix } = known;
  if (!fix || fix.batch !== getReviewBatchPath(review.scope, review.batch) || fix.source === "blocker") return known;
  const woken = known.implementation.groups.filter(({ id }) => fix.groups.includes(id));
  if (woken.some(({ status }) => status === "done")) return known;
  const record = cancelFeatureWork(draft, known);
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
  const { kind, scope, batch, of, inspectors, mended, findings, verdict } = review;
  const { removed, unresolved, spec_feedback, resolved_conflicts: resolved } = review;
  return {
    review: createOpenReview({ kind, scope, batch, of, inspectors, tracked: [], mended }),
    verdict,
    findings,
    audit: {
      scope: formatScopeHead(scope),
      verdict,
      verified: findings,
      removed,
      resolved,
      unresolved,
      spec_feedback,
      steering: [],
      notes: [],
      roadmap_advisory: [],
    },
  };
}

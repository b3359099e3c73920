import { quote, sanitizeText } from "#kernel/model/text-format.ts";
import { planReviewPanels, REVIEW_INSPECTORS } from "../agent/agent-roles.ts";
import { listLessonTags } from "../agent/completion-report.ts";
import { checkPhaseGate } from "../feature-progress.ts";
import type { FeatureRecord } from "../feature/feature-record.ts";
import { findUnaccountedFindings, listConsensusInspectors } from "../review/consensus.ts";
import {
  addFindingHistory,
  applyFindingWaiver,
  isRelatedBatch,
  findLoweredCriticals,
} from "../review/finding-history.ts";
import {
  type InspectionResult,
  parseBatchNumber,
  type ReviewDisposition,
  type StoredReview,
} from "../review/review-finding.ts";
import { findScopeMismatch } from "../review/review-report.ts";
import { isPassingVerdict, judgeReviewFindings, VERDICT_DISPOSITIONS } from "../review/review-verdict.ts";
import { addInspections, callInspectorRoll, createStoredReview, findInspectionPanel } from "../review/stored-review.ts";
import { acceptDesign } from "./design-acceptance.ts";
import { escalateFeature, reopenWaveGates, requestDesignFix, voidFeatureDesign } from "./feature-rework.ts";
import * as leadDraft from "./lead-draft.ts";
import type { EventOf, EventOutcome, OpenReview, ReportFacts, ReportOf } from "./lead-state.ts";
import { EVENT_APPLIED, EVENT_REPEATED, rejectEvent, rejectEventKeepState } from "./lead-state.ts";
import * as leadView from "./lead-view.ts";
import {
  applyFeatureVerdict,
  applyWaveVerdict,
  createReviewReference,
  type JudgedReview,
  skipCrossCheck,
} from "./review-verdict.ts";

export function applyReviewStarted(draft: leadDraft.LeadDraft, event: EventOf<"review-begun">): EventOutcome {
  const { review: kind, scope, batch, of, tracked, mended, delta } = event;
  const key = leadView.createReviewKey(kind, scope);
  const before = draft.reviews.get(key);
  if (before?.batch === batch && before.of === of) return EVENT_REPEATED;
  if (before) return rejectEvent(`Review ${before.batch} of ${key} is under way. Report it, or wait for it.`);
  const number = parseBatchNumber(batch);
  if (number === undefined) return rejectEvent(`${quote(batch, 20)} is not a batch. Batches are B1, B2 and so on.`);
  const last = leadView.getLastStartedBatch(draft.base, scope);
  if (number <= last) return rejectEvent(`${batch} is taken. The next batch of ${key} is B${last + 1}.`);
  const views = REVIEW_INSPECTORS[kind].filter((name) => event.inspectors?.includes(name) ?? true);
  const inspectors = listConsensusInspectors(views, event.consensus ?? 1);
  if (inspectors.length === 0)
    return rejectEvent(`No inspector was chosen. Inspectors are ${REVIEW_INSPECTORS[kind].join(", ")}.`);
  const problem = findReviewStartProblem(draft, event);
  if (problem !== undefined) return rejectEvent(problem);
  const changed = takeChangedContent(draft, event);
  if (changed) return changed;
  const record = findScopeRecord(draft, event);
  if (record) {
    leadDraft.cancelFeatureCommit(draft, record.feature_name);
    draft.keep(leadDraft.updateOrchestration(record, { runs: { ...record.orchestration.runs, batch: number } }));
  } else draft.changeRun({ batches: number });
  if (scope.of === "wave" && kind === "dead-code") skipCrossCheck(draft, scope.wave);
  const panels = planReviewPanels(inspectors, delta !== undefined);
  const open = { kind, scope, batch, of, inspectors, panels, tracked, mended, ...(delta ? { delta } : {}) };
  draft.reviews.set(key, { ...open, inspections: {}, missing: [], lost: {} });
  return EVENT_APPLIED;
}

/** A sound design is accepted as it is. Otherwise an Architect fixes it first, and code passes its gate first. */
function takeChangedContent(draft: leadDraft.LeadDraft, event: EventOf<"review-begun">): EventOutcome | undefined {
  const { review: kind, scope, of, design, at } = event;
  const record = findScopeRecord(draft, event);
  if (!record || leadView.getFeatureGoal(draft.base, record) !== "done") return undefined;
  const isEdited = kind === "design" && leadView.hasDesignEdit(leadView.getLeadView(draft.base), record);
  const accepted = kind === "design" ? record.design?.hash : record.implementation.hash;
  if (of === accepted && !isEdited) return undefined;
  const key = leadView.createReviewKey(kind, scope);
  if (kind !== "design" || !design || at === undefined) {
    revokeAcceptance(draft, { kind, scope });
    const again = kind === "design" ? "an Architect includes the change" : "the gate checks it again";
    return rejectEventKeepState(`The content of ${key} changed since it was accepted: first ${again}.`);
  }
  if (design.problems.length > 0) {
    const detail = `design.md was edited after it was accepted: ${design.problems.map(({ problem }) => problem).join(" ")}`;
    const fix = { source: "revise", batch: null, detail: sanitizeText(detail, 2_000), groups: [] } as const;
    draft.keep(requestDesignFix(record, fix));
    return rejectEventKeepState(
      `The edited design of ${record.feature_name} is not sound. An Architect fixes it first.`,
    );
  }
  const { design: known } = record;
  if (known && known.hash === design.hash) {
    const { problems: _problems, components: _components, ...content } = design;
    const { design: review } = record.reviews;
    const reviews = { ...record.reviews, design: review && { ...review, of: "void" } };
    draft.keep({ ...record, design: { ...content, basis: known.basis }, reviews });
    draft.acceptEdits(record.feature_name, "research", "steering");
    return undefined;
  }
  const next = acceptDesign(draft, record, design, at, "edit");
  if (next.implementation.tasks_hash === null || next.fix) reopenWaveGates(draft, record);
  return undefined;
}

const findScopeRecord = (draft: leadDraft.LeadDraft, { scope }: Pick<OpenReview, "scope">): FeatureRecord | undefined =>
  scope.of === "feature" ? draft.feature(scope.feature) : undefined;

function findReviewStartProblem(draft: leadDraft.LeadDraft, { review: kind, scope }: EventOf<"review-begun">) {
  if (scope.of === "all") return draft.base.features.size === 0 ? "No specs found. Create specs first." : undefined;
  if (scope.of === "wave") {
    const isThere = draft.features.values().some(({ roadmap }) => roadmap?.wave === scope.wave);
    return isThere ? undefined : `Wave ${scope.wave} has no features.`;
  }
  const { feature: name } = scope;
  const record = draft.feature(name);
  if (!record) return `Spec '${name}' not found. Run \`sdd_design "description"\` first.`;
  if (kind === "dead-code") return "A dead-code review covers a wave or everything, not one feature.";
  const gate = checkPhaseGate(record, kind === "design" ? "review-design" : "review-impl");
  if (gate.kind === "closed") return gate.problem;
  if (kind === "impl" && record.implementation.hash === null)
    return `${name} is being built: its review follows its gate.`;
  const isAtWork = draft.out
    .values()
    .some(({ action }) => action.id.startsWith(`${name}/`) && (action.kind === "spawn" || action.kind === "gate"));
  if (isAtWork) return `An agent is working on ${name}. Its review follows that report.`;
  return draft.reviews.keys().some((key) => key.startsWith(`${name}/`))
    ? `Another review of ${name} is under way.`
    : undefined;
}

export function applyInspection(
  draft: leadDraft.LeadDraft,
  key: string,
  name: string,
  sent: ReportOf<"inspection">,
): EventOutcome {
  const { inspection, others } = sent.report;
  const review = draft.reviews.get(key);
  if (!review) return rejectEvent(`The review ${key} is over.`);
  const problem = checkReviewReport(draft, review, inspection.scope, sent.facts);
  if (problem) return problem;
  const said: Readonly<Record<string, InspectionResult>> = { ...others, [name]: inspection };
  const views = findInspectionPanel(review, name);
  const silent = views.filter((view) => !Object.hasOwn(said, view));
  if (silent.length > 0) return rejectEvent(`The report lacks the view ${silent.join(" and ")}. Report on each view.`);
  const found = Object.fromEntries(views.map((view) => [view, said[view] ?? inspection]));
  draft.reviews.set(key, addInspections(review, found, sent.facts.by));
  const tags = listLessonTags(Object.values(found).flatMap(({ notes }) => notes));
  const role = `inspector-${name}`;
  if (tags.length > 0)
    draft.effects.push({ kind: "tags", feature: leadView.formatScopeHead(review.scope), role, tags });
  return EVENT_APPLIED;
}

/** Content that changes during its review makes the whole review void. */
function checkReviewReport(draft: leadDraft.LeadDraft, review: OpenReview, scope: string, { frozen }: ReportFacts) {
  const key = leadView.createReviewKey(review.kind, review.scope);
  if (frozen === undefined) return rejectEvent(`Tenon did not check whether ${key} changed. Report again.`);
  if (frozen !== review.of) {
    leadDraft.cancelReview(draft, key);
    // An edited design is reviewed as it is now. Code passes its gate first.
    if (review.kind !== "design") revokeAcceptance(draft, review);
    return rejectEventKeepState(`The reviewed files changed, so review ${review.batch} of ${key} is void.`);
  }
  const mismatch = findScopeMismatch(review.scope, scope);
  return mismatch === undefined ? undefined : rejectEvent(mismatch);
}

/** In a run, changed content must be accepted again first: a design by an Architect, code by the gate. */
function revokeAcceptance(draft: leadDraft.LeadDraft, review: Pick<OpenReview, "kind" | "scope">): void {
  const record = findScopeRecord(draft, review);
  if (!record || leadView.getFeatureGoal(draft.lead(), record) !== "done") return;
  if (review.kind === "design") draft.keep(voidFeatureDesign(record));
  if (review.kind === "impl") draft.keep({ ...record, implementation: { ...record.implementation, hash: null } });
}

/** The review continues without that inspector. Without any, or without an auditor, it ends without a verdict. */
export function loseReviewerRun(draft: leadDraft.LeadDraft, key: string, who: string): EventOutcome {
  const review = draft.reviews.get(key);
  if (!review) return rejectEvent(`The review ${key} is over.`);
  const times = (review.lost[who] ?? 0) + 1;
  const isGone = times >= leadDraft.MAX_LOST_RUNS;
  const isAuditor = who === leadView.AUDITOR_NAME;
  const panel = findInspectionPanel(review, who);
  const missing = isGone && !isAuditor ? [...review.missing, ...panel] : review.missing;
  // An agent that is lost with several views is not the measure of each: one agent for each view follows.
  const panels = [...(review.panels ?? []).filter((each) => each !== panel), ...panel.map((view) => [view])];
  const split = panel.length > 1 && !isAuditor ? { panels } : {};
  const next = { ...review, ...split, lost: { ...review.lost, [who]: times }, missing };
  draft.reviews.set(key, next);
  const { reported, isOver } = callInspectorRoll(next);
  if (!(isGone && isAuditor) && !(isOver && reported.length === 0)) return EVENT_APPLIED;
  const { scope, batch } = review;
  const what = isAuditor ? `the auditor was lost ${leadDraft.MAX_LOST_RUNS} times` : "all inspectors were lost";
  const view = leadView.getLeadView(draft.base);
  const step = leadView.getWaveStep(view);
  leadDraft.cancelReview(draft, key);
  if (scope.of === "feature") escalateFeature(draft, scope.feature, `Review ${batch} came to nothing: ${what}.`);
  if (scope.of === "wave" && step?.kind === "review" && view.openWave === scope.wave) {
    const record = draft.waves.get(scope.wave) ?? leadView.createWaveRecord(scope.wave);
    const tries = { ...record.tries, [leadView.getGateField(step.review)]: leadView.MAX_GATE_TRIES };
    draft.waves.set(scope.wave, { ...record, tries });
  }
  return EVENT_APPLIED;
}

/** The engine computes the verdict from the audit, and what follows. */
export function applyAudit(draft: leadDraft.LeadDraft, key: string, sent: ReportOf<"audit">): EventOutcome {
  const {
    facts,
    report: { audit },
  } = sent;
  const review = draft.reviews.get(key);
  if (!review) return rejectEvent(`The review ${key} is over.`);
  const problem = checkReviewReport(draft, review, audit.scope, facts);
  if (problem) return problem;
  const silent = [...findUnaccountedFindings(review, audit), ...findLoweredCriticals(review, audit)];
  if (silent.length > 0) return rejectEvent(...silent);
  const findings = addFindingHistory(audit.verified, review.tracked, review.mended);
  const { verdict } = judgeReviewFindings(review.kind, findings, audit);
  draft.reviews.delete(key);
  const disposition = applyAuditVerdict(draft, { review, verdict, findings, audit });
  draft.effects.push({ kind: "batch", batch: createStoredReview(review, audit, facts.at, disposition, facts.by) });
  for (const { level, file, text } of audit.steering) {
    // CODIFY lines describe existing practice, so they need no approval.
    if (level !== "CODIFY") continue;
    draft.effects.push({ kind: "steering", file, text });
    draft.effects.push({
      kind: "decision",
      type: "STEERING_UPDATE",
      summary: `${sanitizeText(file, 60)}: ${sanitizeText(text, 100)}`,
      context: `Review ${review.batch} of ${key} found it in use already.`,
      decision: text,
      reason: "It is recorded as a rule.",
      impact: file,
      source: `review verdict ${review.batch}`,
    });
  }
  return EVENT_APPLIED;
}

function applyAuditVerdict(draft: leadDraft.LeadDraft, judged: JudgedReview): ReviewDisposition {
  const { scope, kind } = judged.review;
  const record = findScopeRecord(draft, judged.review);
  if (record) return applyFeatureVerdict(draft, record, judged);
  const view = leadView.getLeadView(draft.base);
  const step = scope.of === "wave" && view.openWave === scope.wave ? leadView.getWaveStep(view) : undefined;
  // The gate may wait for the other review, or for none.
  if (scope.of === "wave" && step?.kind === "review" && kind === (step.review === "cross-check" ? "impl" : "dead-code"))
    return applyWaveVerdict(draft, scope.wave, step.review, judged);
  // A review of several features outside of a gate only reports its findings. The user decides.
  const { waiting } = createReviewReference(judged, "ESCALATED", null);
  if (waiting) draft.changeRun({ proposals: [...(draft.run.proposals ?? []), ...waiting] });
  return isPassingVerdict(judged.verdict) ? VERDICT_DISPOSITIONS[judged.verdict] : "ESCALATED";
}

/** The user waived a finding and the review has a new verdict. Cancels the work that the old verdict started. */
export function applyWaiver(draft: leadDraft.LeadDraft, event: EventOf<"waived">): EventOutcome {
  const { review, finding: id, source } = event;
  const finding = review.findings.find((each) => each.id === id);
  if (finding?.waived === undefined) return rejectEvent(`${id} of ${review.batch} is not waived.`);
  const head = leadView.formatScopeHead(review.scope);
  const disposition = applyWaivedVerdict(draft, review) ?? review.disposition;
  draft.effects.push({ kind: "batch", batch: { ...review, disposition } });
  // An open review tracks the earlier findings, so the waiver applies there too.
  for (const key of draft.reviews.keys()) {
    const open = draft.reviews.get(key);
    if (!open || !isRelatedBatch(review, open.kind, open.scope)) continue;
    draft.reviews.set(key, { ...open, tracked: applyFindingWaiver(open.tracked, finding) });
  }
  leadDraft.recordUserDecision(draft, {
    summary: `${id} of ${review.batch} may stand`,
    context: `Review ${review.batch} of ${head}: ${finding.description}`,
    decision: `The finding is waived; the verdict is ${review.verdict}.`,
    said: finding.waived,
    impact: head,
    source,
  });
  return EVENT_APPLIED;
}

/** Undefined if a later review counts, or if the verdict did not change. */
function applyWaivedVerdict(draft: leadDraft.LeadDraft, review: StoredReview): ReviewDisposition | undefined {
  const { scope, kind, batch, verdict } = review;
  const feature = findScopeRecord(draft, review);
  if (feature) {
    const ref = feature.reviews[kind === "design" ? "design" : "implementation"];
    if (ref?.batch !== batch || ref.verdict === verdict) return undefined;
    return applyFeatureVerdict(draft, cancelRequestedFix(draft, feature, review), restoreJudgedReview(review));
  }
  if (scope.of !== "wave") return undefined;
  const which: leadView.WaveReview = kind === "dead-code" ? "dead-code" : "cross-check";
  const record = draft.waves.get(scope.wave);
  const ref = record?.[leadView.getGateField(which)];
  if (record?.step !== which || ref?.batch !== batch || ref.verdict === verdict) return undefined;
  for (const each of draft.features.values()) draft.keep(cancelRequestedFix(draft, each, review));
  return applyWaveVerdict(draft, scope.wave, which, restoreJudgedReview(review));
}

/** Keeps a fix that has already started. */
function cancelRequestedFix(draft: leadDraft.LeadDraft, known: FeatureRecord, review: StoredReview): FeatureRecord {
  const { fix } = known;
  if (!fix || fix.batch !== leadView.getReviewBatchPath(review.scope, review.batch) || fix.source === "blocker")
    return known;
  const woken = known.implementation.groups.filter(({ id }) => fix.groups.includes(id));
  if (woken.some(({ status }) => status === "done")) return known;
  const record = leadDraft.cancelFeatureWork(draft, known);
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
const restoreJudgedReview = (review: StoredReview): JudgedReview => {
  const { verdict, findings, spec_feedback } = review;
  return { review, verdict, findings, audit: { steering: [], spec_feedback } };
};

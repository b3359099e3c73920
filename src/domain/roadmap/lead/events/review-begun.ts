import { REVIEW_INSPECTORS } from "../../../agent/role.ts";
import type { FeatureRecord } from "../../../feature/record.ts";
import { parseBatchNumber } from "../../../review/batch-number.ts";
import { quote } from "../../../quote.ts";
import { cancelFeatureCommit } from "../changes/dismissal.ts";
import { updateOrchestration } from "../changes/counters.ts";
import type { LeadDraft } from "../draft.ts";
import { getLastStartedBatch, createReviewKey } from "../ids.ts";
import { checkPhaseGate } from "../phase-gate.ts";
import { revokeAcceptance } from "../reports/inspection.ts";
import {
  EVENT_APPLIED,
  type LeadEventOfKind,
  EVENT_REPEATED,
  rejectLeadEvent,
  rejectEventKeepState,
  type EventOutcome,
} from "../taken.ts";
import { getFeatureGoal } from "../view.ts";

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

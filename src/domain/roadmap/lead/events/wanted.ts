import type { FeatureRecord } from "../../../feature/record.ts";
import { quote } from "../../../quote.ts";
import { resetFeatureCounters } from "../changes/counters.ts";
import { recordUserDecision } from "../changes/decision.ts";
import { cancelFeatureWork } from "../changes/dismissal.ts";
import type { LeadDraft } from "../draft.ts";
import { setFeatureGoal } from "../changes/goal.ts";
import { COMPLETED_CHOICES } from "../impl-mode.ts";
import { reopenWaveGates, requestDesignFix, reopenTaskGroups, requestNewPlan } from "../changes/mending.ts";
import { isDesignFix } from "../../standing.ts";
import { checkPhaseGate } from "../phase-gate.ts";
import { EVENT_APPLIED, type LeadEventOfKind, EVENT_REPEATED, rejectLeadEvent, type EventOutcome } from "../taken.ts";

export function applyGoalRequest(draft: LeadDraft, event: LeadEventOfKind<"wanted">): EventOutcome {
  const { feature, goal, isRedesign = false } = event;
  const record = draft.feature(feature);
  if (!record) return rejectLeadEvent(`Spec '${feature}' not found. Run \`sdd_design "description"\` first.`);
  const gate = checkPhaseGate(record, goal === "design" || goal === "done" ? "design" : "impl");
  if (gate.kind === "closed") return rejectLeadEvent(gate.problem);
  if (isRedesign && record.phase !== "initialized") return requestRedesign(draft, record, event);
  if (goal === "design" && record.phase !== "initialized") {
    if (gate.kind === "confirm")
      return rejectLeadEvent(`${gate.question} Ask the user; then say that it is to be designed anew.`);
    return rejectLeadEvent(`${feature} has a design. To have it made anew, say so.`);
  }
  if (event.isReplanned && record.orchestration.last_phase_action !== null)
    return requestReplanning(draft, record, event);
  if (event.tasks && event.tasks.length > 0) return requestTaskRepeat(draft, record, event.tasks, event);
  if (goal === "tasks" && record.orchestration.last_phase_action !== null) {
    return rejectLeadEvent(`${feature} has its tasks. Run \`sdd_impl ${feature}\` to build them.`);
  }
  if (record.phase === "implementation-complete" && goal === "implementation" && !hasUnfinishedCode(record)) {
    return rejectLeadEvent(`All tasks of ${feature} are done. Choose: ${COMPLETED_CHOICES.join(", ")}.`);
  }
  setFeatureGoal(draft, feature, goal);
  return draft.run === draft.base.run ? EVENT_REPEATED : EVENT_APPLIED;
}

const hasUnfinishedCode = ({ fix, implementation }: FeatureRecord): boolean =>
  fix !== null || implementation.hash === null;

function requestRedesign(
  draft: LeadDraft,
  known: FeatureRecord,
  { feature, goal }: LeadEventOfKind<"wanted">,
): EventOutcome {
  const isMeant = known.fix?.source === "revise" && isDesignFix(known.fix);
  setFeatureGoal(draft, feature, goal);
  if (isMeant) return draft.run === draft.base.run ? EVENT_REPEATED : EVENT_APPLIED;
  cancelFeatureWork(draft, feature);
  const record = draft.feature(feature) ?? known;
  // A finding of a review still needs its own fix.
  const fix = { source: "revise", batch: null, detail: "The user wants the design made anew.", groups: [] } as const;
  draft.keep(requestDesignFix(record, isDesignFix(record.fix) ? record.fix : fix));
  reopenWaveGates(draft, record);
  return EVENT_APPLIED;
}

function requestReplanning(
  draft: LeadDraft,
  known: FeatureRecord,
  { feature, goal }: LeadEventOfKind<"wanted">,
): EventOutcome {
  setFeatureGoal(draft, feature, goal);
  cancelFeatureWork(draft, feature);
  const fix = { source: "blocker", batch: null, detail: "The tasks are gone: plan them anew.", groups: [] } as const;
  draft.keep(requestNewPlan(draft.feature(feature) ?? known, fix));
  reopenWaveGates(draft, known);
  return EVENT_APPLIED;
}

function requestTaskRepeat(
  draft: LeadDraft,
  record: FeatureRecord,
  tasks: readonly string[],
  { feature, goal }: LeadEventOfKind<"wanted">,
): EventOutcome {
  const { groups } = record.implementation;
  if (record.orchestration.last_phase_action === null) {
    return rejectLeadEvent(`${feature} has no tasks yet. Run \`sdd_impl ${feature}\` without task numbers.`);
  }
  const unknown = tasks.find((task) => !groups.some((group) => group.tasks.includes(task)));
  if (unknown !== undefined) {
    const known = groups.flatMap((group) => group.tasks).join(", ");
    return rejectLeadEvent(`${feature} has no task ${quote(unknown, 20)}. It has ${known}.`);
  }
  if (draft.reviewKeys().some((key) => key.startsWith(`${feature}/`))) {
    return rejectLeadEvent(`A review of ${feature} is under way. Its tasks can be done again when it is over.`);
  }
  if (record.fix)
    return rejectLeadEvent(`${feature} is being mended: ${record.fix.detail} Its tasks can be done again after that.`);
  setFeatureGoal(draft, feature, goal === "done" ? goal : "implementation");
  const done = groups.filter((group) => group.status === "done" && group.tasks.some((task) => tasks.includes(task)));
  if (done.length === 0) return draft.run === draft.base.run ? EVENT_REPEATED : EVENT_APPLIED;
  cancelFeatureWork(draft, feature);
  const detail = `The user wants these tasks done again: ${tasks.join(", ")}.`;
  const fix = { source: "revise", batch: null, detail, groups: done.map(({ id }) => id), tasks } as const;
  draft.keep(reopenTaskGroups(draft.feature(feature) ?? record, fix));
  reopenWaveGates(draft, record);
  return EVENT_APPLIED;
}

export function applyFeatureRevised(draft: LeadDraft, { feature, intent }: LeadEventOfKind<"revised">): EventOutcome {
  const known = draft.feature(feature);
  if (!known) return rejectLeadEvent(`Spec '${feature}' not found. Run \`sdd_design "description"\` first.`);
  const gate = checkPhaseGate(known, "impl");
  if (gate.kind === "closed") return rejectLeadEvent(gate.problem);
  const wish = intent.trim();
  if (wish === "") return rejectLeadEvent(`Say what shall become of ${feature}.`);
  cancelFeatureWork(draft, feature);
  const record = draft.feature(feature) ?? known;
  const fix = { source: "revise", batch: null, detail: wish.slice(0, 2_000), groups: [] } as const;
  draft.keep(requestDesignFix(resetFeatureCounters(record), fix));
  reopenWaveGates(draft, record);
  setFeatureGoal(draft, feature, "done");
  recordUserDecision(draft, {
    type: "USER_DECISION",
    summary: `${feature} is revised`,
    context: `${feature} ${known.version} was ${known.phase}.`,
    decision: wish.slice(0, 2_000),
    said: "",
    impact: feature,
  });
  return EVENT_APPLIED;
}

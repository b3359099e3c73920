import type { FeatureRecord, WaveRecord } from "../feature/feature-record.ts";
import { quote } from "#kernel/model/text-format.ts";
import { resetFeatureCounters } from "./feature-counters.ts";
import { recordUserDecision, type LeadDraft } from "./lead-draft.ts";
import { cancelFeatureWork, setFeatureGoal, dropFeatureGoal, stopRoadmapRun } from "./work-cancellation.ts";
import { COMPLETED_CHOICES, checkPhaseGate } from "./phase-gate.ts";
import { reopenWaveGates, requestDesignFix, reopenTaskGroups, requestNewPlan } from "./feature-rework.ts";
import { isDesignFix } from "../feature-progress.ts";
import {
  EVENT_APPLIED,
  type LeadEventOfKind,
  EVENT_REPEATED,
  rejectLeadEvent,
  type EventOutcome,
} from "./lead-events.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { hasFailedReview } from "./wave-progress.ts";
import type { RoadmapRun } from "./lead-state.ts";

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

export function applyRunStarted(
  draft: LeadDraft,
  { isGated, cap, onOverlap }: LeadEventOfKind<"run-begun">,
): EventOutcome {
  if (cap !== null && !(Number.isFinite(cap) && cap > 0))
    return rejectLeadEvent(`A run cannot cost ${cap} tokens. Say how many it may.`);
  const { run } = draft;
  const wanted = onOverlap ?? run.onOverlap;
  const isSame = run.isOn && run.isGated === isGated && run.cap === cap && run.onOverlap === wanted;
  if (isSame) return EVENT_REPEATED;
  const spent = isRunContinued(run, cap) ? run.spent : 0;
  // A run takes every roadmap feature to `done`, whatever its goal was.
  for (const name of Object.keys(run.goals) as FeatureName[]) {
    if (draft.feature(name)?.roadmap) dropFeatureGoal(draft, name);
  }
  draft.changeRun({ isOn: true, isGated, cap, onOverlap: wanted, stopped: null, spent });
  for (const wave of draft.waves()) if (wave.step === "aborted") draft.keepWave(resumeAbortedGate(wave));
  return EVENT_APPLIED;
}

/**
 * Tokens already spent count if the run is on, or stopped and resumed with the same cap or none. A new cap after a stop
 * starts from zero.
 */
const isRunContinued = (run: RoadmapRun, cap: number | null): boolean =>
  run.isOn || (run.stopped !== null && (cap === null || cap === run.cap));

function resumeAbortedGate(wave: WaveRecord): WaveRecord {
  const isPast =
    wave.proceeded.includes("cross-check") || (wave.cross_check !== null && !hasFailedReview(wave.cross_check));
  return isPast
    ? { ...wave, step: "dead-code", tries: { ...wave.tries, dead_code: 0 } }
    : { ...wave, step: "cross-check", tries: { ...wave.tries, cross_check: 0 } };
}

export function applyRunStopped(draft: LeadDraft, { why }: LeadEventOfKind<"run-stopped">): EventOutcome {
  const { run, base } = draft;
  const isStill = !run.isOn && Object.keys(run.goals).length === 0 && base.out.size === 0 && base.reviews.size === 0;
  if (isStill)
    return run.stopped === null ? rejectLeadEvent("Nothing is under way that could be stopped.") : EVENT_REPEATED;
  stopRoadmapRun(draft, why.trim() || "The user stopped it.");
  return EVENT_APPLIED;
}

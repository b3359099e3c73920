import type { FeatureName } from "../../../feature/name.ts";
import { dropFeatureGoal } from "../changes/goal.ts";
import { hasFailedReview } from "../next/done.ts";
import type { LeadDraft } from "../draft.ts";
import type { RoadmapRun, WaveRecord } from "../state.ts";
import { stopRoadmapRun } from "../changes/stopping.ts";
import { EVENT_APPLIED, type LeadEventOfKind, EVENT_REPEATED, rejectLeadEvent, type EventOutcome } from "../taken.ts";

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

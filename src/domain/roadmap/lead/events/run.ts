import type { FeatureName } from "../../../feature/name.ts";
import { dropGoal } from "../changes/goal.ts";
import { hasFailed } from "../next/done.ts";
import type { Draft } from "../draft.ts";
import type { Run, WaveRecord } from "../state.ts";
import { stopRun } from "../changes/stopping.ts";
import { APPLIED, type EventOf, REPEATED, refuse, type Taken } from "../taken.ts";

export function takeRunBegun(draft: Draft, { isGated, cap, onOverlap }: EventOf<"run-begun">): Taken {
  if (cap !== null && !(Number.isFinite(cap) && cap > 0))
    return refuse(`A run cannot cost ${cap} tokens. Say how many it may.`);
  const { run } = draft;
  const wanted = onOverlap ?? run.onOverlap;
  const isSame = run.isOn && run.isGated === isGated && run.cap === cap && run.onOverlap === wanted;
  if (isSame) return REPEATED;
  const spent = isGoingOn(run, cap) ? run.spent : 0;
  // A run takes every roadmap feature to `done`, whatever its goal was.
  for (const name of Object.keys(run.goals) as FeatureName[]) {
    if (draft.feature(name)?.roadmap) dropGoal(draft, name);
  }
  draft.changeRun({ isOn: true, isGated, cap, onOverlap: wanted, stopped: null, spent });
  for (const wave of draft.waves()) if (wave.step === "aborted") draft.keepWave(resumed(wave));
  return APPLIED;
}

/**
 * Tokens already spent count if the run is on, or stopped and resumed with the same cap or none. A new cap after a stop
 * starts from zero.
 */
const isGoingOn = (run: Run, cap: number | null): boolean =>
  run.isOn || (run.stopped !== null && (cap === null || cap === run.cap));

function resumed(wave: WaveRecord): WaveRecord {
  const isPast = wave.proceeded.includes("cross-check") || (wave.cross_check !== null && !hasFailed(wave.cross_check));
  return isPast
    ? { ...wave, step: "dead-code", tries: { ...wave.tries, dead_code: 0 } }
    : { ...wave, step: "cross-check", tries: { ...wave.tries, cross_check: 0 } };
}

export function takeStop(draft: Draft, { why }: EventOf<"run-stopped">): Taken {
  const { run, base } = draft;
  const isStill = !run.isOn && Object.keys(run.goals).length === 0 && base.out.size === 0 && base.reviews.size === 0;
  if (isStill) return run.stopped === null ? refuse("Nothing is under way that could be stopped.") : REPEATED;
  stopRun(draft, why.trim() || "The user stopped it.");
  return APPLIED;
}

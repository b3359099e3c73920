import type { FeatureName } from "../../../feature/name.ts";
import { dropGoal } from "../changes/goal.ts";
import { hasFailed } from "../next/done.ts";
import type { Draft } from "../draft.ts";
import type { Run, WaveRecord } from "../state.ts";
import { stopRun } from "../changes/stopping.ts";
import { APPLIED, type EventOf, REPEATED, refuse, type Taken } from "../taken.ts";

/** The roadmap runs, or goes on: from the records, so nothing that is done is repeated. */
export function takeRunBegun(draft: Draft, { isGated, cap, onOverlap }: EventOf<"run-begun">): Taken {
  if (cap !== null && !(Number.isFinite(cap) && cap > 0))
    return refuse(`A run cannot cost ${cap} tokens. Say how many it may.`);
  const { run } = draft;
  const wanted = onOverlap ?? run.onOverlap;
  const isSame = run.isOn && run.isGated === isGated && run.cap === cap && run.onOverlap === wanted;
  if (isSame) return REPEATED;
  const spent = isGoingOn(run, cap) ? run.spent : 0;
  // It brings all that is on the roadmap as far as there is, whatever was wanted of it.
  for (const name of Object.keys(run.goals) as FeatureName[]) {
    if (draft.feature(name)?.roadmap) dropGoal(draft, name);
  }
  draft.changeRun({ isOn: true, isGated, cap, onOverlap: wanted, stopped: null, spent });
  for (const wave of draft.waves()) if (wave.step === "aborted") draft.keepWave(resumed(wave));
  return APPLIED;
}

/**
 * What a run has cost counts as long as it is that run: with other settings while it is on, and after a stop. A cap that
 * the user names after a stop counts from there on.
 */
const isGoingOn = (run: Run, cap: number | null): boolean =>
  run.isOn || (run.stopped !== null && (cap === null || cap === run.cap));

/** The gate that the user aborted is tried anew. */
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

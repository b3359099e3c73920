import type { Proposal } from "../../../feature/record.ts";
import { isDone, isSettled } from "./done.ts";
import type { WaveRecord } from "../state.ts";
import type { View } from "../view.ts";

/** How often a review of a wave may say no before the user is asked. */
export const MOST_TRIES = 3;

/** The two reviews of a wave's gate, in their order. */
export type WaveReview = "cross-check" | "dead-code";

/** What comes next at the gate of a wave. */
export type WaveStep =
  | { readonly kind: "review"; readonly review: WaveReview }
  | { readonly kind: "failed"; readonly review: WaveReview }
  | { readonly kind: "proposals" }
  | { readonly kind: "commit" }
  | { readonly kind: "aborted" }
  | { readonly kind: "waiting"; readonly why: string };

/** A gate that nobody has come to yet. */
export const newWave = (wave: number): WaveRecord => ({
  wave,
  step: "cross-check",
  tries: { cross_check: 0, dead_code: 0 },
  cross_check: null,
  dead_code: null,
  proceeded: [],
  runs: {},
  schema: 1,
  rev: 0,
});

export const triesOf = ({ tries }: WaveRecord, review: WaveReview): number =>
  review === "cross-check" ? tries.cross_check : tries.dead_code;

/** The gate of the first wave that is not through it; nothing where there is none or nobody wants it. */
export function waveStepOf(view: View): WaveStep | undefined {
  const { lead, openWave, byWave, placed } = view;
  const records = byWave.get(openWave);
  if (!lead.run.isOn || !records) return undefined;
  // What a gate finds is mended in whichever wave it is, so all of them have to be settled again.
  for (const [wave, its] of byWave) {
    if (wave > openWave) break;
    const open = its.find((record) => !isSettled(view, record));
    if (open) return { kind: "waiting", why: `${open.feature_name} is not done` };
  }
  if (!records.some((record) => isDone(view, record))) return undefined;
  const record = lead.waves.get(openWave) ?? newWave(openWave);
  if (waitingIn(record).length > 0) return { kind: "proposals" };
  // Where there is one feature, its own review has looked at everything.
  if (record.step === "commit" || placed === 1) return { kind: "commit" };
  if (record.step !== "cross-check" && record.step !== "dead-code") return { kind: "aborted" };
  const kind = triesOf(record, record.step) >= MOST_TRIES ? "failed" : "review";
  return { kind, review: record.step };
}

/** Steering lines of a wave's reviews that wait for the user's word. */
export const waitingIn = ({ cross_check, dead_code }: WaveRecord): readonly Proposal[] => [
  ...(cross_check?.waiting ?? []),
  ...(dead_code?.waiting ?? []),
];

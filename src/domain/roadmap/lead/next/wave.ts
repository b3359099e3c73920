import type { Proposal } from "../../../feature/record.ts";
import { isDone, isSettled } from "./done.ts";
import type { WaveRecord } from "../state.ts";
import type { View } from "../view.ts";

/** Failed reviews of a wave after which the user is asked. */
export const MOST_TRIES = 3;

export type WaveReview = "cross-check" | "dead-code";

export type WaveStep =
  | { readonly kind: "review"; readonly review: WaveReview }
  | { readonly kind: "failed"; readonly review: WaveReview }
  | { readonly kind: "proposals" }
  | { readonly kind: "commit" }
  | { readonly kind: "aborted" }
  | { readonly kind: "waiting"; readonly why: string };

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

export function waveStepOf(view: View): WaveStep | undefined {
  const { lead, openWave, byWave, placed } = view;
  const records = byWave.get(openWave);
  if (!lead.run.isOn || !records) return undefined;
  // A gate's findings can be fixed in any earlier wave, so all of them must be settled again.
  for (const [wave, its] of byWave) {
    if (wave > openWave) break;
    const open = its.find((record) => !isSettled(view, record));
    if (open) return { kind: "waiting", why: `${open.feature_name} is not done` };
  }
  if (!records.some((record) => isDone(view, record))) return undefined;
  const record = lead.waves.get(openWave) ?? newWave(openWave);
  if (waitingIn(record).length > 0) return { kind: "proposals" };
  // The review of a single feature already covers everything.
  if (record.step === "commit" || placed === 1) return { kind: "commit" };
  if (record.step !== "cross-check" && record.step !== "dead-code") return { kind: "aborted" };
  const kind = triesOf(record, record.step) >= MOST_TRIES ? "failed" : "review";
  return { kind, review: record.step };
}

export const waitingIn = ({ cross_check, dead_code }: WaveRecord): readonly Proposal[] => [
  ...(cross_check?.waiting ?? []),
  ...(dead_code?.waiting ?? []),
];

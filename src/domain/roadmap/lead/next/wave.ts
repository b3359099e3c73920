import type { SteeringProposal } from "../../../feature/record.ts";
import { isReadyForGate, isSettledFeature } from "./done.ts";
import type { WaveRecord } from "../state.ts";
import type { LeadView } from "../view.ts";

/** Failed reviews of a wave after which the user is asked. */
export const MAX_GATE_TRIES = 3;

export type WaveReview = "cross-check" | "dead-code";

export type WaveStep =
  | { readonly kind: "review"; readonly review: WaveReview }
  | { readonly kind: "failed"; readonly review: WaveReview }
  | { readonly kind: "proposals" }
  | { readonly kind: "commit" }
  | { readonly kind: "aborted" }
  | { readonly kind: "waiting"; readonly why: string };

export const createWaveRecord = (wave: number): WaveRecord => ({
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

export const getGateTries = ({ tries }: WaveRecord, review: WaveReview): number =>
  review === "cross-check" ? tries.cross_check : tries.dead_code;

export function getWaveStep(view: LeadView): WaveStep | undefined {
  const { lead, openWave, byWave, placed } = view;
  const records = byWave.get(openWave);
  if (!lead.run.isOn || !records) return undefined;
  // A gate's findings can be fixed in any earlier wave, so all of them must be settled again.
  for (const [wave, its] of byWave) {
    if (wave > openWave) break;
    const open = its.find((record) => !isSettledFeature(view, record));
    if (open) return { kind: "waiting", why: `${open.feature_name} is not done` };
  }
  if (!records.some((record) => isReadyForGate(view, record))) return undefined;
  const record = lead.waves.get(openWave) ?? createWaveRecord(openWave);
  if (listWaveProposals(record).length > 0) return { kind: "proposals" };
  // The review of a single feature already covers everything.
  if (record.step === "commit" || placed === 1) return { kind: "commit" };
  if (record.step !== "cross-check" && record.step !== "dead-code") return { kind: "aborted" };
  const kind = getGateTries(record, record.step) >= MAX_GATE_TRIES ? "failed" : "review";
  return { kind, review: record.step };
}

export const listWaveProposals = ({ cross_check, dead_code }: WaveRecord): readonly SteeringProposal[] => [
  ...(cross_check?.waiting ?? []),
  ...(dead_code?.waiting ?? []),
];

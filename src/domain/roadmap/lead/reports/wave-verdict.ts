import type { FeatureName } from "../../../feature/name.ts";
import type { FeatureRecord } from "../../../feature/record.ts";
import { sanitizeText } from "../../../quote.ts";
import type { Disposition } from "../../../review/finding.ts";
import { DISPOSITION_OF, isPassing } from "../../../review/verdict.ts";
import { ownershipOf, type Route, routesOf } from "../../ownership.ts";
import { escalate } from "../changes/blocking.ts";
import { withFixCounted } from "../changes/counters.ts";
import { dismissFeature } from "../changes/dismissal.ts";
import type { Draft } from "../draft.ts";
import { withDesignAnew, withGroupsWoken } from "../changes/mending.ts";
import type { WaveRecord } from "../state.ts";
import { waveOf } from "../view.ts";
import { MOST_TRIES, newWave, triesOf, type WaveReview } from "../next/wave.ts";
import { type Judged, pathOf, refOf, summaryOf, weighty } from "./verdict.ts";

export function takeWaveVerdict(draft: Draft, wave: number, which: WaveReview, judged: Judged): Disposition {
  const record = draft.wave(wave) ?? newWave(wave);
  if (isPassing(judged.verdict)) {
    const disposition = DISPOSITION_OF[judged.verdict];
    draft.keepWave({ ...withRef(record, which, judged, disposition), step: afterReview(which) });
    return disposition;
  }
  const tries = triesOf(record, which) + 1;
  const isMended = tries < MOST_TRIES && mend(draft, wave, which, judged);
  const disposition = isMended ? DISPOSITION_OF[judged.verdict] : "ESCALATED";
  // Findings without an owner cannot be fixed, so the user decides at once.
  const tried = withTries(withRef(record, which, judged, disposition), which, isMended ? tries : MOST_TRIES);
  draft.keepWave(tried);
  return disposition;
}

export const afterReview = (which: WaveReview): WaveRecord["step"] =>
  which === "cross-check" ? "dead-code" : "commit";

const withTries = (record: WaveRecord, which: WaveReview, tries: number): WaveRecord => ({
  ...record,
  tries: { ...record.tries, ...(which === "cross-check" ? { cross_check: tries } : { dead_code: tries }) },
});

function withRef(record: WaveRecord, which: WaveReview, judged: Judged, disposition: Disposition): WaveRecord {
  return which === "cross-check"
    ? { ...record, cross_check: refOf(judged, disposition, record.cross_check) }
    : { ...record, dead_code: refOf(judged, disposition, record.dead_code) };
}

/** Sends the findings to the owners of the files, in this wave or an earlier one. False if there are none. */
function mend(draft: Draft, wave: number, which: WaveReview, judged: Judged): boolean {
  const records = draft.features().filter((record) => waveOf(record) <= wave && record.phase !== "blocked");
  const { owned } = routesOf(ownershipOf(records), weighty(judged.findings));
  if (judged.verdict === "SPEC-UPDATE-NEEDED") {
    const named = records.filter((record) => isNamed(record, judged)).map(({ feature_name: name }) => name);
    const meant = named.length > 0 ? named : [...owned.keys()];
    for (const name of meant) updateSpec(draft, name, judged);
    return meant.length > 0;
  }
  for (const [name, route] of owned) wake(draft, name, route, which, judged);
  return owned.size > 0;
}

function wake(draft: Draft, name: FeatureName, { groups }: Route, which: WaveReview, judged: Judged): void {
  dismissFeature(draft, name);
  const record = draft.feature(name);
  if (!record) return;
  draft.keep(
    withGroupsWoken(record, {
      source: which === "cross-check" ? "wave" : "dead-code",
      batch: pathOf(judged),
      detail: summaryOf(judged),
      groups: groups ?? record.implementation.groups.map(({ id }) => id),
    }),
  );
}

/** `user-login`, `user-login.S1` and `user-login Spec 1` name the feature; `user-login-form` does not. */
function isNamed({ feature_name: name }: FeatureRecord, { audit }: Judged): boolean {
  return audit.spec_feedback.some(({ spec }) => spec.split(/[^a-z0-9-]+/).includes(name));
}

function updateSpec(draft: Draft, name: FeatureName, judged: Judged): void {
  dismissFeature(draft, name);
  const record = draft.feature(name);
  if (!record) return;
  const counted = withFixCounted(record, "spec-update");
  const told = judged.audit.spec_feedback.map(({ description }) => description).join(" ");
  const detail = sanitizeText(told || summaryOf(judged), 1_000);
  draft.keep(withDesignAnew(counted ?? record, { source: "spec-update", batch: pathOf(judged), detail, groups: [] }));
  if (!counted) escalate(draft, name, `No update of its spec is left. ${summaryOf(judged)}`);
}

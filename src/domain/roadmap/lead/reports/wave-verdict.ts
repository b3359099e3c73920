import type { FeatureName } from "../../../feature/name.ts";
import type { FeatureRecord } from "../../../feature/record.ts";
import { sanitizeText } from "../../../quote.ts";
import type { ReviewDisposition } from "../../../review/finding.ts";
import { VERDICT_DISPOSITIONS, isPassingVerdict } from "../../../review/verdict.ts";
import { mapFileOwnership, type FindingRoute, routeFindings } from "../../ownership.ts";
import { escalateFeature } from "../changes/blocking.ts";
import { countFixAttempt } from "../changes/counters.ts";
import { cancelFeatureWork } from "../changes/dismissal.ts";
import type { LeadDraft } from "../draft.ts";
import { requestDesignFix, reopenTaskGroups } from "../changes/mending.ts";
import type { WaveRecord } from "../state.ts";
import { getFeatureWave } from "../view.ts";
import { MAX_GATE_TRIES, createWaveRecord, getGateTries, type WaveReview } from "../next/wave.ts";
import {
  type JudgedReview,
  getJudgedBatchPath,
  createReviewReference,
  formatVerdictSummary,
  selectFixableFindings,
} from "./verdict.ts";

export function applyWaveVerdict(
  draft: LeadDraft,
  wave: number,
  which: WaveReview,
  judged: JudgedReview,
): ReviewDisposition {
  const record = draft.wave(wave) ?? createWaveRecord(wave);
  if (isPassingVerdict(judged.verdict)) {
    const disposition = VERDICT_DISPOSITIONS[judged.verdict];
    draft.keepWave({ ...storeGateReview(record, which, judged, disposition), step: getNextGateStep(which) });
    return disposition;
  }
  const tries = getGateTries(record, which) + 1;
  const isMended = tries < MAX_GATE_TRIES && requestWaveFixes(draft, wave, which, judged);
  const disposition = isMended ? VERDICT_DISPOSITIONS[judged.verdict] : "ESCALATED";
  // Findings without an owner cannot be fixed, so the user decides at once.
  const tried = setGateTries(
    storeGateReview(record, which, judged, disposition),
    which,
    isMended ? tries : MAX_GATE_TRIES,
  );
  draft.keepWave(tried);
  return disposition;
}

export const getNextGateStep = (which: WaveReview): WaveRecord["step"] =>
  which === "cross-check" ? "dead-code" : "commit";

const setGateTries = (record: WaveRecord, which: WaveReview, tries: number): WaveRecord => ({
  ...record,
  tries: { ...record.tries, ...(which === "cross-check" ? { cross_check: tries } : { dead_code: tries }) },
});

function storeGateReview(
  record: WaveRecord,
  which: WaveReview,
  judged: JudgedReview,
  disposition: ReviewDisposition,
): WaveRecord {
  return which === "cross-check"
    ? { ...record, cross_check: createReviewReference(judged, disposition, record.cross_check) }
    : { ...record, dead_code: createReviewReference(judged, disposition, record.dead_code) };
}

/** Sends the findings to the owners of the files, in this wave or an earlier one. False if there are none. */
function requestWaveFixes(draft: LeadDraft, wave: number, which: WaveReview, judged: JudgedReview): boolean {
  const records = draft.features().filter((record) => getFeatureWave(record) <= wave && record.phase !== "blocked");
  const { owned } = routeFindings(mapFileOwnership(records), selectFixableFindings(judged.findings));
  if (judged.verdict === "SPEC-UPDATE-NEEDED") {
    const named = records.filter((record) => isFeatureInFeedback(record, judged)).map(({ feature_name: name }) => name);
    const meant = named.length > 0 ? named : [...owned.keys()];
    for (const name of meant) requestSpecUpdate(draft, name, judged);
    return meant.length > 0;
  }
  for (const [name, route] of owned) requestOwnerFix(draft, name, route, which, judged);
  return owned.size > 0;
}

function requestOwnerFix(
  draft: LeadDraft,
  name: FeatureName,
  { groups }: FindingRoute,
  which: WaveReview,
  judged: JudgedReview,
): void {
  cancelFeatureWork(draft, name);
  const record = draft.feature(name);
  if (!record) return;
  draft.keep(
    reopenTaskGroups(record, {
      source: which === "cross-check" ? "wave" : "dead-code",
      batch: getJudgedBatchPath(judged),
      detail: formatVerdictSummary(judged),
      groups: groups ?? record.implementation.groups.map(({ id }) => id),
    }),
  );
}

/** `user-login`, `user-login.S1` and `user-login Spec 1` name the feature; `user-login-form` does not. */
function isFeatureInFeedback({ feature_name: name }: FeatureRecord, { audit }: JudgedReview): boolean {
  return audit.spec_feedback.some(({ spec }) => spec.split(/[^a-z0-9-]+/).includes(name));
}

function requestSpecUpdate(draft: LeadDraft, name: FeatureName, judged: JudgedReview): void {
  cancelFeatureWork(draft, name);
  const record = draft.feature(name);
  if (!record) return;
  const counted = countFixAttempt(record, "spec-update");
  const told = judged.audit.spec_feedback.map(({ description }) => description).join(" ");
  const detail = sanitizeText(told || formatVerdictSummary(judged), 1_000);
  draft.keep(
    requestDesignFix(counted ?? record, {
      source: "spec-update",
      batch: getJudgedBatchPath(judged),
      detail,
      groups: [],
    }),
  );
  if (!counted) escalateFeature(draft, name, `No update of its spec is left. ${formatVerdictSummary(judged)}`);
}

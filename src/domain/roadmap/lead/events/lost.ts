import { sanitizeText } from "../../../quote.ts";
import { escalateFeature } from "../changes/blocking.ts";
import { getLostRunCount, MAX_LOST_RUNS, countLostRun, countFeatureRun } from "../changes/counters.ts";
import { getRunCounter } from "../changes/dismissal.ts";
import { isPartitionPlanning, abandonPartition } from "../changes/mending.ts";
import type { LeadDraft } from "../draft.ts";
import { parseReviewerName } from "../ids.ts";
import { loseReviewerRun } from "../reports/inspection.ts";
import { EVENT_APPLIED, type LeadEventOfKind, type EventOutcome } from "../taken.ts";
import { rejectUnpendingAction } from "./reported.ts";

/** The action becomes pending again. After the third loss in a row the user decides. */
export function applyAssignmentLost(draft: LeadDraft, { action: id, why }: LeadEventOfKind<"lost">): EventOutcome {
  const out = draft.out(id);
  if (!out) return rejectUnpendingAction(draft.base, id);
  const { action } = out;
  draft.end(id);
  if (action.kind === "spawn" && action.work.of === "review") {
    return loseReviewerRun(draft, action.work.review, parseReviewerName(id));
  }
  const run = getRunCounter(action);
  const record = run && draft.feature(run.feature);
  if (!record) return EVENT_APPLIED;
  const isOne = action.kind === "spawn" && isPartitionPlanning(action.work, record);
  const next = countFeatureRun(countLostRun(isOne ? abandonPartition(record) : record, run.key), run.key);
  draft.keep(next);
  if (getLostRunCount(next, run.key) >= MAX_LOST_RUNS) {
    const detail = `${run.key} was lost ${MAX_LOST_RUNS} times in a row: ${sanitizeText(why, 200)}`;
    escalateFeature(draft, run.feature, detail);
  }
  return EVENT_APPLIED;
}

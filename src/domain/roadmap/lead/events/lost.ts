import { sanitizeText } from "../../../quote.ts";
import { escalate } from "../changes/blocking.ts";
import { lostOf, MOST_LOST, withLost, withRun } from "../changes/counters.ts";
import { runKeyOf } from "../changes/dismissal.ts";
import { isPartition, withPartitionGivenUp } from "../changes/mending.ts";
import type { Draft } from "../draft.ts";
import { reviewerOf } from "../ids.ts";
import { loseReviewer } from "../reports/inspection.ts";
import { APPLIED, type EventOf, type Taken } from "../taken.ts";
import { notDue } from "./reported.ts";

/** The action becomes pending again. After the third loss in a row the user decides. */
export function takeLoss(draft: Draft, { action: id, why }: EventOf<"lost">): Taken {
  const out = draft.out(id);
  if (!out) return notDue(draft.base, id);
  const { action } = out;
  draft.end(id);
  if (action.kind === "spawn" && action.work.of === "review") {
    return loseReviewer(draft, action.work.review, reviewerOf(id));
  }
  const run = runKeyOf(action);
  const record = run && draft.feature(run.feature);
  if (!record) return APPLIED;
  const isOne = action.kind === "spawn" && isPartition(action.work, record);
  const next = withRun(withLost(isOne ? withPartitionGivenUp(record) : record, run.key), run.key);
  draft.keep(next);
  if (lostOf(next, run.key) >= MOST_LOST) {
    const detail = `${run.key} was lost ${MOST_LOST} times in a row: ${sanitizeText(why, 200)}`;
    escalate(draft, run.feature, detail);
  }
  return APPLIED;
}

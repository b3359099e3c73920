import type { RoadmapEngine } from "../engine.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import { waiveStoredFinding } from "../../model/review/stored-review.ts";
import type { StoredReview } from "../../model/review/review-finding.ts";
import { parseBatchNumber } from "../../model/review/review-finding.ts";
import type { Lead, ReviewScope } from "../../model/lead/lead-state.ts";
import { requireFeatureRecord } from "../feature/feature-access.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { readStoredBatch, listStoredBatches } from "../lead/review-batches.ts";
import { formatPendingPoints, NEXT_ACTIONS_FIX } from "../management/manage-answer.ts";
import { summarizePendingWork } from "../lead/action-view.ts";
import { formatSeverityCounts, formatReviewFindingLine, formatScopeText, createBatchView } from "./review-page.ts";
import { commitAllLeadEvents } from "../lead/write-lead.ts";

const ALL_SCOPE = "all";

/** Only the user may call it: an agent that could waive findings would pass every review. */
export const waiveFinding = defineOperation({
  id: "review.waive",
  effect: "change",
  input: async () => (await import("./schema.ts")).WaiveFindingInputSchema,
  output: async () => (await import("./schema.ts")).WaiveFindingOutputSchema,
  async run(engine: RoadmapEngine, { scope: where, batch, finding, reason }) {
    let before: StoredReview | undefined;
    let after: StoredReview | undefined;
    const { lead } = await commitAllLeadEvents(engine, (tree, now) => {
      before = requireStoredBatch(tree, now, where, batch);
      after = waiveStoredFinding(before, finding, reason);
      return { events: [{ kind: "waived", review: after, finding }] };
    });
    if (!before || !after) throw new RangeError("Nothing was decided.");
    const { findings, ...shown } = createBatchView(after);
    const meant = findings.filter(({ id }) => id === finding);
    return { ...shown, findings: meant, before: before.verdict, ...summarizePendingWork(lead) };
  },
  page({ batch, kind, scope, findings, before, verdict, counts, ...due }) {
    const now = before === verdict ? `${verdict} still` : `${verdict} now, and was ${before}`;
    return {
      title: `Waived; the ${kind} review ${batch} of ${formatScopeText(scope)} is ${now}.`,
      facts: [["findings that stand", formatSeverityCounts(counts)]],
      points: [...findings.map(formatReviewFindingLine), ...formatPendingPoints(due)],
      next: NEXT_ACTIONS_FIX,
    };
  },
});

function requireStoredBatch(tree: StoreTree, lead: Lead, where: string, batch: string): StoredReview {
  const scope: ReviewScope =
    where === ALL_SCOPE ? { of: "all" } : { of: "feature", feature: requireFeatureRecord(lead, where).feature_name };
  const found = parseBatchNumber(batch) === undefined ? undefined : readStoredBatch(tree, scope, batch);
  if (found) return found;
  const known = listStoredBatches(tree, scope).map((each) => each.batch);
  const who = where === ALL_SCOPE ? "waves or of everything" : where;
  const what = where === ALL_SCOPE ? { kind: "impl", cross_check: true } : { kind: "design", feature: where };
  throw new Fault("review.unknown", {
    what: "Nothing was waived.",
    why: `No review of ${who} is ${quote(batch, 20)}; ${known.length === 0 ? "there is none" : `there are ${known.join(", ")}`}.`,
    fix: { operation: "review.begin", input: { ...what, history: true } },
  });
}

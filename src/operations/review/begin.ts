import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import type { ReviewKind } from "#domain/review/finding.ts";
import { isRelatedBatch } from "#domain/review/history.ts";
import { formatScopeHead, createReviewKey } from "#domain/roadmap/lead/ids.ts";
import type { Lead, OpenReview, ReviewScope } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import { commitLeadEvents } from "../roadmap/apply.ts";
import { listStoredBatches } from "../roadmap/batches.ts";
import { prepareReview } from "../roadmap/beginning.ts";
import { formatPendingPoints, NEXT_ACTIONS_FIX } from "../roadmap/managing/due.ts";
import { readLead } from "../roadmap/shelf.ts";
import { summarizePendingWork } from "../roadmap/view.ts";
import { foldJournalIntoLedger } from "../workflow/fold.ts";
import type { BeginReviewInputSchema, BeginReviewOutputSchema } from "./schema.ts";
import { selectDeadCodeInspectors, checkReviewTarget, resolveReviewScope } from "./scope.ts";
import { formatBatchPoints, createBatchTable, formatScopeText, createBatchView } from "./view.ts";

type BeginReviewInput = z.infer<typeof BeginReviewInputSchema>;
type BeginReviewOutput = z.infer<typeof BeginReviewOutputSchema>;

export const beginFeatureReview = defineOperation<BeginReviewInput, BeginReviewOutput>({
  id: "review.begin",
  effect: "append",
  input: async () => (await import("./schema.ts")).BeginReviewInputSchema,
  output: async () => (await import("./schema.ts")).BeginReviewOutputSchema,
  async run(engine, input) {
    if (!input.history) await foldJournalIntoLedger(engine);
    const before = await readLead(engine);
    const scope = resolveReviewScope(before, input);
    const meant = { kind: input.kind, scope, inspectors: selectDeadCodeInspectors(input) };
    if (input.history) return createReviewOutput(engine, before, meant, "history");
    checkReviewTarget(before, input.kind, scope);
    if (before.reviews.has(createReviewKey(input.kind, scope)))
      return createReviewOutput(engine, before, meant, "open");
    return createReviewOutput(engine, await startReview(engine, before, meant), meant, "begun");
  },
  page({ kind, scope, state, batch, inspectors, tracked, history, omitted, ...due }) {
    const [newest] = history;
    const isHistory = state === "history";
    const all = history.length + omitted;
    return {
      title: isHistory
        ? `${all === 0 ? "No" : all} ${kind} ${all === 1 ? "review" : "reviews"} of ${formatScopeText(scope)}.`
        : `The ${kind} review of ${formatScopeText(scope)} ${state === "begun" ? "has begun" : "is under way"}, batch ${batch}.`,
      facts: isHistory
        ? []
        : [
            ["inspectors", inspectors.join(", ")],
            ["open findings of before", String(tracked)],
          ],
      ...(history.length === 0 ? {} : { table: createBatchTable(history) }),
      points: [
        ...(omitted > 0 ? [`${omitted} older ones are left out.`] : []),
        ...(isHistory && newest ? formatBatchPoints(newest) : []),
        ...(isHistory ? [] : formatPendingPoints(due)),
      ],
      next: isHistory ? [] : NEXT_ACTIONS_FIX,
    };
  },
});

interface ReviewRequest {
  readonly kind: ReviewKind;
  readonly scope: ReviewScope;
  readonly inspectors: readonly string[] | undefined;
}

/**
 * The hash of the reviewed content is taken before the lock. A review that another session started meanwhile is used.
 */
async function startReview(engine: Engine, before: Lead, { kind, scope, inspectors }: ReviewRequest): Promise<Lead> {
  const { event } = await prepareReview(engine, before, { kind: "review-due", review: kind, scope }, inspectors);
  const { lead, applied } = await commitLeadEvents(engine, (_, now) => ({
    events: now.reviews.has(createReviewKey(kind, scope)) ? [] : [event],
  }));
  // Content that differs from the accepted one is invalidated, whether or not the review starts.
  const problems = applied.flatMap((each) => (each.kind === "refused" ? each.problems : []));
  if (problems.length === 0) return lead;
  throw new Fault("review.other", {
    what: "No review was begun.",
    why: problems.map(({ problem }) => problem).join(" "),
    fix: { operation: "roadmap.next" },
  });
}

const MAX_SHOWN_BATCHES = 10;

async function createReviewOutput(
  engine: Engine,
  lead: Lead,
  { kind, scope }: ReviewRequest,
  state: BeginReviewOutput["state"],
): Promise<BeginReviewOutput> {
  const all = await engine.store.read((tree) =>
    listStoredBatches(tree, scope).filter((review) => isRelatedBatch(review, kind, scope)),
  );
  const newest = all.toReversed().slice(0, MAX_SHOWN_BATCHES);
  const open: OpenReview | undefined = lead.reviews.get(createReviewKey(kind, scope));
  return {
    kind,
    scope: formatScopeHead(scope),
    state,
    ...(open ? { batch: open.batch } : {}),
    inspectors: [...(open?.inspectors ?? [])],
    tracked: open?.tracked.length ?? 0,
    history: newest.map(createBatchView),
    omitted: all.length - newest.length,
    ...summarizePendingWork(lead),
  };
}

import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import type { ReviewKind } from "#domain/review/finding.ts";
import { isHistoryOf } from "#domain/review/history.ts";
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
import type { Review, ReviewBegun } from "./schema.ts";
import { inspectorsOf, passReview, scopeOf } from "./scope.ts";
import { batchPoints, batchTable, scopeText, viewBatch } from "./view.ts";

type Input = z.infer<typeof Review>;
type Output = z.infer<typeof ReviewBegun>;

export const begin = defineOperation<Input, Output>({
  id: "review.begin",
  effect: "append",
  input: async () => (await import("./schema.ts")).Review,
  output: async () => (await import("./schema.ts")).ReviewBegun,
  async run(engine, input) {
    if (!input.history) await foldJournalIntoLedger(engine);
    const before = await readLead(engine);
    const scope = scopeOf(before, input);
    const meant = { kind: input.kind, scope, inspectors: inspectorsOf(input) };
    if (input.history) return shown(engine, before, meant, "history");
    passReview(before, input.kind, scope);
    if (before.reviews.has(createReviewKey(input.kind, scope))) return shown(engine, before, meant, "open");
    return shown(engine, await begun(engine, before, meant), meant, "begun");
  },
  page({ kind, scope, state, batch, inspectors, tracked, history, omitted, ...due }) {
    const [newest] = history;
    const isHistory = state === "history";
    const all = history.length + omitted;
    return {
      title: isHistory
        ? `${all === 0 ? "No" : all} ${kind} ${all === 1 ? "review" : "reviews"} of ${scopeText(scope)}.`
        : `The ${kind} review of ${scopeText(scope)} ${state === "begun" ? "has begun" : "is under way"}, batch ${batch}.`,
      facts: isHistory
        ? []
        : [
            ["inspectors", inspectors.join(", ")],
            ["open findings of before", String(tracked)],
          ],
      ...(history.length === 0 ? {} : { table: batchTable(history) }),
      points: [
        ...(omitted > 0 ? [`${omitted} older ones are left out.`] : []),
        ...(isHistory && newest ? batchPoints(newest) : []),
        ...(isHistory ? [] : formatPendingPoints(due)),
      ],
      next: isHistory ? [] : NEXT_ACTIONS_FIX,
    };
  },
});

interface Meant {
  readonly kind: ReviewKind;
  readonly scope: ReviewScope;
  readonly inspectors: readonly string[] | undefined;
}

/**
 * The hash of the reviewed content is taken before the lock. A review that another session started meanwhile is used.
 */
async function begun(engine: Engine, before: Lead, { kind, scope, inspectors }: Meant): Promise<Lead> {
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

const MOST_SHOWN = 10;

async function shown(engine: Engine, lead: Lead, { kind, scope }: Meant, state: Output["state"]): Promise<Output> {
  const all = await engine.store.read((tree) =>
    listStoredBatches(tree, scope).filter((review) => isHistoryOf(review, kind, scope)),
  );
  const newest = all.toReversed().slice(0, MOST_SHOWN);
  const open: OpenReview | undefined = lead.reviews.get(createReviewKey(kind, scope));
  return {
    kind,
    scope: formatScopeHead(scope),
    state,
    ...(open ? { batch: open.batch } : {}),
    inspectors: [...(open?.inspectors ?? [])],
    tracked: open?.tracked.length ?? 0,
    history: newest.map(viewBatch),
    omitted: all.length - newest.length,
    ...summarizePendingWork(lead),
  };
}

import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import type { ReviewKind } from "../../model/review/review-kinds.ts";
import { isRelatedBatch } from "../../model/review/finding-history.ts";
import { formatScopeHead, createReviewKey } from "../../model/lead/action-ids.ts";
import type { Lead, ReviewScope } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { listStoredBatches, prepareReview } from "../lead/review-batches.ts";
import { formatPendingPoints, NEXT_ACTIONS_FIX } from "../management/manage-answer.ts";
import { readLead } from "../lead/lead-store.ts";
import { summarizePendingWork } from "../lead/action-view.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import type { BeginReviewInputSchema, BeginReviewOutputSchema } from "./schema.ts";
import { formatBatchPoints, createBatchTable, formatScopeText, createBatchView } from "./review-page.ts";
import { REVIEW_INSPECTORS } from "../../model/agent/agent-roles.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import { requireFeatureRecord, checkFeaturePhase } from "../feature/feature-access.ts";
import { commitLeadEvents } from "../lead/write-lead.ts";

type BeginReviewInput = z.infer<typeof BeginReviewInputSchema>;
type BeginReviewOutput = z.infer<typeof BeginReviewOutputSchema>;

export const beginFeatureReview = defineOperation({
  id: "review.begin",
  effect: "append",
  input: async () => (await import("./schema.ts")).BeginReviewInputSchema,
  output: async () => (await import("./schema.ts")).BeginReviewOutputSchema,
  async run(engine: RoadmapEngine, input) {
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
    const table = history.length === 0 ? {} : { table: createBatchTable(history) };
    const left = omitted > 0 ? [`${omitted} older ones are left out.`] : [];
    const of = formatScopeText(scope);
    if (state === "history") {
      const all = history.length + omitted;
      const title = `${all === 0 ? "No" : all} ${kind} ${all === 1 ? "review" : "reviews"} of ${of}.`;
      return { title, facts: [], ...table, points: [...left, ...history.slice(0, 1).flatMap(formatBatchPoints)] };
    }
    return {
      title: `The ${kind} review of ${of} ${state === "begun" ? "has begun" : "is under way"}, batch ${batch}.`,
      facts: [
        ["inspectors", inspectors.join(", ")],
        ["open findings of before", String(tracked)],
      ],
      ...table,
      points: [...left, ...formatPendingPoints(due)],
      next: NEXT_ACTIONS_FIX,
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
async function startReview(
  engine: RoadmapEngine,
  before: Lead,
  { kind, scope, inspectors }: ReviewRequest,
): Promise<Lead> {
  const { event } = await prepareReview(engine, before, { review: kind, scope }, inspectors);
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
  engine: RoadmapEngine,
  lead: Lead,
  { kind, scope }: ReviewRequest,
  state: BeginReviewOutput["state"],
): Promise<BeginReviewOutput> {
  const all = await engine.store.read((tree) =>
    listStoredBatches(tree, scope).filter((review) => isRelatedBatch(review, kind, scope)),
  );
  const newest = all.toReversed().slice(0, MAX_SHOWN_BATCHES);
  const open = lead.reviews.get(createReviewKey(kind, scope));
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

const DEAD_CODE_PARTS: readonly string[] = REVIEW_INSPECTORS["dead-code"].map((name) => name.replace("dead-", ""));

/** `review dead-code settings` selects one inspector. */
export const selectDeadCodeInspectors = ({ kind, feature }: BeginReviewInput): readonly string[] | undefined =>
  kind === "dead-code" && feature !== undefined && DEAD_CODE_PARTS.includes(feature) ? [`dead-${feature}`] : undefined;

export function resolveReviewScope(
  lead: Lead,
  { kind, feature, wave, cross_check = false, tasks = [] }: BeginReviewInput,
): ReviewScope {
  const said = [feature, wave, cross_check || undefined].filter((each) => each !== undefined).length;
  if (said > 1) throw createScopeFault(kind, "A feature, a wave and a cross-check exclude each other.");
  if (tasks.length > 0 && (feature === undefined || kind !== "impl")) {
    throw createScopeFault(kind, "Only the implementation of a feature is reviewed by tasks.");
  }
  if (feature !== undefined && kind === "dead-code" && !DEAD_CODE_PARTS.includes(feature)) {
    const sorts = DEAD_CODE_PARTS.join(", ");
    throw createScopeFault(kind, `Dead code is looked for everywhere at once, or of one sort: ${sorts}.`);
  }
  if (feature !== undefined && kind !== "dead-code") {
    const { feature_name: name } = requireFeatureRecord(lead, feature);
    return { of: "feature", feature: name, ...(tasks.length > 0 ? { tasks } : {}) };
  }
  if (wave !== undefined) return resolveWaveScope(lead, kind, wave);
  if (cross_check || kind === "dead-code") return { of: "all" };
  throw createScopeFault(kind, "What shall be reviewed was not said.");
}

export function checkReviewTarget(lead: Lead, kind: ReviewKind, scope: ReviewScope): void {
  if (kind === "dead-code") return;
  if (scope.of === "feature") {
    checkFeaturePhase(requireFeatureRecord(lead, scope.feature), kind === "design" ? "review-design" : "review-impl");
    return;
  }
  const isThere = ({ design, phase }: FeatureRecord): boolean =>
    kind === "design" ? design !== null : phase === "implementation-complete";
  const meant = [...lead.features.values()].filter(
    ({ roadmap }) => scope.of === "all" || (roadmap !== null && roadmap.wave <= scope.wave),
  );
  if (meant.some(isThere)) return;
  throw new Fault("review.nothing-there", {
    what: "No review was begun.",
    why: `No feature is ${kind === "design" ? "designed" : "implemented"} yet.`,
    fix: kind === "design" ? { operation: "feature.design", input: { feature: "…" } } : { operation: "roadmap.next" },
  });
}

function resolveWaveScope({ features }: Lead, kind: ReviewKind, wave: number): ReviewScope {
  const waves = new Set([...features.values()].flatMap(({ roadmap }) => roadmap?.wave ?? []));
  if (waves.has(wave)) return { of: "wave", wave };
  const listed = [...waves].toSorted((a, b) => a - b).join(", ");
  throw createScopeFault(
    kind,
    listed === "" ? "There is no roadmap, so there are no waves." : `The waves are ${listed}.`,
  );
}

function createScopeFault(kind: ReviewKind, why: string): Fault {
  const examples =
    kind === "dead-code"
      ? [{ kind }]
      : [
          { kind, feature: "user-login" },
          { kind, cross_check: true },
        ];
  const fix = examples.map((input) => ({ operation: "review.begin", input }));
  return new Fault("review.bad-scope", { what: "No review was begun.", why, fix });
}

import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { quote, quoteShellWord, sanitizeText } from "#kernel/model/text-format.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { formatApprover } from "#planning/model/approval/approval-proof.ts";
import { requirePerson } from "#planning/operations/approval/require-person.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { REVIEW_INSPECTORS } from "../../model/agent/agent-roles.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import type { Lead, ReviewScope } from "../../model/lead/lead-state.ts";
import { createReviewKey, formatScopeHead } from "../../model/lead/lead-view.ts";
import { isRelatedBatch } from "../../model/review/finding-history.ts";
import { parseBatchNumber, type StoredReview } from "../../model/review/review-finding.ts";
import type { ReviewKind } from "../../model/review/review-kinds.ts";
import { waiveStoredFinding } from "../../model/review/stored-review.ts";
import type { RoadmapEngine } from "../engine.ts";
import { checkFeaturePhase, requireFeatureRecord } from "../feature/feature-access.ts";
import { summarizePendingWork } from "../lead/action-view.ts";
import { listStoredBatches, prepareReview, readLead, readStoredBatch } from "../lead/lead-store.ts";
import { commitAllLeadEvents, commitLeadEvents } from "../lead/write-lead.ts";
import { formatPendingPoints, NEXT_ACTIONS_FIX } from "../management/manage-answer.ts";
import type { BatchViewSchema, BeginReviewInputSchema, BeginReviewOutputSchema } from "./schema.ts";

type BeginReviewInput = z.infer<typeof BeginReviewInputSchema>;
type BeginReviewOutput = z.infer<typeof BeginReviewOutputSchema>;
type ReviewBatchView = z.infer<typeof BatchViewSchema>;

export const beginFeatureReview = defineOperation({
  id: "review.begin",
  effect: "append",
  input: async () => (await import("./schema.ts")).BeginReviewInputSchema,
  output: async () => (await import("./schema.ts")).BeginReviewOutputSchema,
  async run(engine: RoadmapEngine, input) {
    const { kind, history: isHistory = false } = input;
    if (!isHistory) await foldJournalIntoLedger(engine);
    const before = await readLead(engine);
    const scope = resolveReviewScope(before, input);
    if (isHistory) return createReviewOutput(engine, before, kind, scope, "history");
    checkReviewTarget(before, kind, scope);
    if (before.reviews.has(createReviewKey(kind, scope)))
      return createReviewOutput(engine, before, kind, scope, "open");
    return createReviewOutput(engine, await startReview(engine, before, input, scope), kind, scope, "begun");
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
        ["open findings from earlier", String(tracked)],
      ],
      ...table,
      points: [...left, ...formatPendingPoints(due)],
      next: NEXT_ACTIONS_FIX,
    };
  },
});

const DEAD_CODE_PARTS: readonly string[] = REVIEW_INSPECTORS["dead-code"].map((name) => name.replace("dead-", ""));

/** Hashes the content before the lock. A review that another session started meanwhile is used. */
async function startReview(
  engine: RoadmapEngine,
  before: Lead,
  { kind, feature, consensus }: BeginReviewInput,
  scope: ReviewScope,
): Promise<Lead> {
  // `review dead-code settings` selects one inspector.
  const isPart = kind === "dead-code" && feature !== undefined && DEAD_CODE_PARTS.includes(feature);
  const chosen = { ...(isPart ? { inspectors: [`dead-${feature}`] } : {}), ...(consensus ? { consensus } : {}) };
  const event = await prepareReview(engine, before, { review: kind, scope }, chosen);
  const { lead, applied } = await commitLeadEvents(engine, (_, now) => ({
    events: now.reviews.has(createReviewKey(kind, scope)) ? [] : [event],
  }));
  // Content that differs from the accepted one is invalidated, whether or not the review starts.
  const problems = applied.flatMap((each) => (each.kind === "refused" ? each.problems : []));
  if (problems.length === 0) return lead;
  throw new Fault("review.other", {
    what: "No review was started.",
    why: problems.map(({ problem }) => problem).join(" "),
    fix: { operation: "roadmap.next" },
  });
}

const MAX_SHOWN_BATCHES = 10;

async function createReviewOutput(
  engine: RoadmapEngine,
  lead: Lead,
  kind: ReviewKind,
  scope: ReviewScope,
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

function resolveReviewScope(
  lead: Lead,
  { kind, feature, wave, cross_check = false, tasks = [] }: BeginReviewInput,
): ReviewScope {
  const said = [feature, wave, cross_check || undefined].filter((each) => each !== undefined).length;
  if (said > 1) throw createScopeFault(lead, kind, "A feature, a wave and a cross-check exclude each other.");
  if (tasks.length > 0 && (feature === undefined || kind !== "impl"))
    throw createScopeFault(lead, kind, "Only the implementation of a feature is reviewed by tasks.");
  if (feature !== undefined && kind === "dead-code" && !DEAD_CODE_PARTS.includes(feature)) {
    const sorts = DEAD_CODE_PARTS.join(", ");
    throw createScopeFault(lead, kind, `A dead-code review covers everything, or one kind: ${sorts}.`);
  }
  if (feature !== undefined && kind !== "dead-code") {
    const { feature_name: name } = requireFeatureRecord(lead, feature);
    return { of: "feature", feature: name, ...(tasks.length > 0 ? { tasks } : {}) };
  }
  if (wave !== undefined) {
    const waves = new Set([...lead.features.values()].flatMap(({ roadmap }) => roadmap?.wave ?? []));
    if (waves.has(wave)) return { of: "wave", wave };
    const listed = [...waves].toSorted((a, b) => a - b).join(", ");
    const why = listed === "" ? "There is no roadmap, so there are no waves." : `The waves are ${listed}.`;
    throw createScopeFault(lead, kind, why);
  }
  if (cross_check || kind === "dead-code") return { of: "all" };
  throw createScopeFault(lead, kind, "Nothing to review was named.");
}

function checkReviewTarget(lead: Lead, kind: ReviewKind, scope: ReviewScope): void {
  if (kind === "dead-code") return;
  const isDesign = kind === "design";
  if (scope.of === "feature") {
    checkFeaturePhase(requireFeatureRecord(lead, scope.feature), isDesign ? "review-design" : "review-impl");
    return;
  }
  const isThere = ({ design, phase }: FeatureRecord): boolean =>
    isDesign ? design !== null : phase === "implementation-complete";
  const meant = [...lead.features.values()].filter(
    ({ roadmap }) => scope.of === "all" || (roadmap !== null && roadmap.wave <= scope.wave),
  );
  if (meant.some(isThere)) return;
  throw new Fault("review.nothing-there", {
    what: "No review was started.",
    why: `No feature is ${isDesign ? "designed" : "implemented"} yet.`,
    fix: isDesign ? { operation: "feature.design", input: { feature: "…" } } : { operation: "roadmap.next" },
  });
}

function createScopeFault(lead: Lead, kind: ReviewKind, why: string): Fault {
  const [feature] = lead.features.keys();
  const whole = kind === "dead-code" ? [{}] : [{ feature }, { cross_check: true }];
  const fix =
    feature === undefined && kind !== "dead-code"
      ? { operation: "feature.design", input: { feature: "…" } }
      : whole.map((input) => ({ operation: "review.begin", input: { kind, ...input } }));
  return new Fault("review.bad-scope", { what: "No review was started.", why, fix });
}

const ALL_SCOPE = "all";

/** Only the user may call it: an agent that could waive findings would pass every review. */
export const waiveFinding = defineOperation({
  id: "review.waive",
  effect: "change",
  input: async () => (await import("./schema.ts")).WaiveFindingInputSchema,
  output: async () => (await import("./schema.ts")).WaiveFindingOutputSchema,
  async run(engine: RoadmapEngine, { scope: where, batch, finding, reason }) {
    const command = `tenon review waive ${where} ${batch} ${finding} --reason ${quoteShellWord(reason)}`;
    const source = formatApprover(
      await requirePerson(engine, { what: `${finding} of ${batch} was not waived.`, command }),
    );
    let before: StoredReview | undefined;
    let after: StoredReview | undefined;
    const { lead } = await commitAllLeadEvents(engine, (tree, now) => {
      before = requireStoredBatch(tree, now, where, batch);
      after = waiveStoredFinding(before, finding, reason);
      return { events: [{ kind: "waived", review: after, finding, source }] };
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
      facts: [["remaining findings", formatSeverityCounts(counts)]],
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

function createBatchView(review: StoredReview): ReviewBatchView {
  const { batch, kind, scope, at, verdict, disposition, counts, override, missing, findings, mended } = review;
  return {
    batch,
    kind,
    scope: formatScopeHead(scope),
    at,
    verdict,
    disposition,
    counts: { ...counts },
    ...(override === null ? {} : { override: `${override.verdict}: ${sanitizeText(override.reason, 300)}` }),
    missing: [...missing],
    findings: findings.map(({ sources: _sources, ...finding }) => finding),
    mended: mended.map(({ severity, category, location }) => ({ severity, category, location })),
  };
}

const createBatchTable = (batches: readonly ReviewBatchView[]) => ({
  columns: ["batch", "review", "when", "verdict", "disposition", "findings", "mended"],
  rows: batches.map(({ batch, kind, scope, at, verdict, disposition, counts, mended }) => {
    const review = `${kind} of ${formatScopeText(scope)}`;
    return [batch, review, at, verdict, disposition, formatSeverityCounts(counts), String(mended.length)];
  }),
});

function formatSeverityCounts(counts: ReviewBatchView["counts"]): string {
  const parts = Object.entries(counts).flatMap(([severity, n]) => (n > 0 ? [`${n} ${severity}`] : []));
  return parts.length === 0 ? "none" : parts.join(", ");
}

const formatBatchPoints = ({ batch, findings, mended, missing, override }: ReviewBatchView): string[] => [
  ...(override === undefined ? [] : [`${batch}: the auditor argued for ${override}`]),
  ...(missing.length === 0 ? [] : [`${batch}: without ${missing.join(", ")}`]),
  ...findings.map((finding) => `${batch} ${formatReviewFindingLine(finding)}`),
  ...mended.map(
    ({ severity, category, location }) => `${batch} mended: ${severity} ${category}, ${sanitizeText(location, 80)}`,
  ),
];

function formatReviewFindingLine(finding: ReviewBatchView["findings"][number]): string {
  const { id, severity, category, location, description, seen, waived } = finding;
  const marks = [
    ...(seen === "new" ? [] : [seen]),
    ...(waived === undefined ? [] : [`waived: ${sanitizeText(waived, 120)}`]),
  ];
  const mark = marks.length === 0 ? "" : ` (${marks.join("; ")})`;
  return `${id}: ${severity} ${sanitizeText(category, 40)}, ${sanitizeText(location, 80)}: ${sanitizeText(description, 200)}${mark}`;
}

/** A wave is reviewed together with the waves before it. */
function formatScopeText(scope: string): string {
  if (scope === ALL_SCOPE) return "everything";
  const wave = /^wave-(\d+)$/.exec(scope)?.[1];
  return wave === undefined ? scope : wave === "1" ? "wave 1" : `waves 1 to ${wave}`;
}

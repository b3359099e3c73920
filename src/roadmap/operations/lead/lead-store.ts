import * as z from "zod/mini";
import { Fault } from "#kernel/model/fault.ts";
import { type FeatureName, isFeatureName } from "#kernel/model/ids/feature-name.ts";
import { type Immutable, matchesSchema } from "#kernel/model/record-schema.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { limitShownProblems, type Problem } from "#kernel/model/verdict.ts";
import {
  FEATURE_FOLDER,
  getFeatureDesignPath,
  getFeatureRecordPath,
  getFeatureResearchPath,
  getFeatureReviewsFolder,
  getWaveRecordPath,
  REVIEWS_FOLDER,
  WAVES_FOLDER,
} from "#kernel/model/workspace-paths.ts";
import type { LedgerEntry, LedgerSpace, StoreTree } from "#store/operations/ports/store.ts";
import { SpendingTotals } from "../../model/cost-forecast.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import type { KnowledgeTag } from "../../model/knowledge/lesson.ts";
import type { PendingReview } from "../../model/lead/lead-decision.ts";
import type { Lead, LeadEvent, LeadEventResult, ReviewScope } from "../../model/lead/lead-state.ts";
import { ActionAssignment, EMPTY_RUN, OpenReview, RoadmapRun } from "../../model/lead/lead-state.ts";
import { createNextBatch, formatScopeHead, getReviewBatchPath } from "../../model/lead/lead-view.ts";
import { collectFindingHistory, isRelatedBatch, sortReviewBatches } from "../../model/review/finding-history.ts";
import { isBatchId, type ReviewFinding, type StoredReview } from "../../model/review/review-finding.ts";
import { normalizeInspectorName, parseStoredReview } from "../../model/review/stored-review.ts";
import type { RoadmapEngine } from "../engine.ts";
import { createFeatureShape, createWaveShape, parseWaveFileName } from "../feature/feature-records.ts";
import {
  type CodeEdits,
  findDocumentEdits,
  hashDocument,
  hashSource,
  joinEdits,
  readDesignFacts,
} from "./held-files.ts";
import { measureReviewDelta } from "./review-delta.ts";

/** An entry that does not fit the schema counts as lost. */
interface CheckedSpace<T> extends LedgerSpace<T> {
  readonly schema?: z.core.$ZodType;
}

/** Keyed by checkout, because the records are files of that checkout. */
export const RUN_SPACE: CheckedSpace<RoadmapRun> = { name: "roadmap-run", schema: RoadmapRun };
/** Keyed by checkout and scope, separated by a space. */
export const OPEN_REVIEW_SPACE: CheckedSpace<OpenReview> = { name: "roadmap-review", schema: OpenReview };
export const ASSIGNMENT_SPACE: CheckedSpace<ActionAssignment> = { name: "roadmap-out", schema: ActionAssignment };
/** By checkout and content, so each is stored once. The end of a wave turns them into knowledge. */
export const TAG_SPACE: CheckedSpace<KnowledgeTag> = { name: "roadmap-tag" };

export const SPENDING_SPACE: CheckedSpace<SpendingTotals> = { name: "roadmap-spent", schema: SpendingTotals };

const ReportRejection = z.object({
  action: z.string(),
  problems: z.array(z.object({ problem: z.string(), line: z.exactOptional(z.number()) })),
});
type ReportRejection = Immutable<z.infer<typeof ReportRejection>>;
/** Keyed by checkout and work, without the run number. */
const REJECTION_SPACE: CheckedSpace<ReportRejection> = { name: "roadmap-refused", schema: ReportRejection };

/** The session must stop this action. It learns that with its next call. */
const StopRequest = z.object({ session: z.string(), at: z.string() });
export const STOP_REQUEST_SPACE: CheckedSpace<Immutable<z.infer<typeof StopRequest>>> = {
  name: "roadmap-dismissed",
  schema: StopRequest,
};

/** A group whose work ended. Changes in its files do not count against agents still at work. */
const FinishedGroup = z.object({ at: z.string(), files: z.array(z.string()) });
export type FinishedGroup = Immutable<z.infer<typeof FinishedGroup>>;
/** Keyed by checkout, feature and group. Deleted when no agent from that time is left. */
export const FINISHED_GROUP_SPACE: CheckedSpace<FinishedGroup> = { name: "roadmap-built", schema: FinishedGroup };

/** Of this checkout. Throws on a damaged record, because decisions without it could be wrong. */
export function loadLead(
  tree: StoreTree,
  { checkout, digest }: Pick<RoadmapEngine, "checkout" | "digest">,
  code: CodeEdits = new Map(),
): Lead {
  const run = tree.kept(RUN_SPACE).get(checkout);
  // Folders without a record are skipped.
  const names = tree.names(FEATURE_FOLDER).filter(isFeatureName);
  const features = names.flatMap((name) => tree.record(getFeatureRecordPath(name), createFeatureShape(name)) ?? []);
  const numbers = tree.names(WAVES_FOLDER).flatMap((name) => parseWaveFileName(name) ?? []);
  const waves = numbers
    .toSorted((a, b) => a - b)
    .flatMap((wave) => tree.record(getWaveRecordPath(wave), createWaveShape(wave)) ?? []);
  return {
    features: new Map(features.map((record) => [record.feature_name, record])),
    waves: new Map(waves.map((record) => [record.wave, record])),
    run: run && matchesSchema(RoadmapRun, run) ? run : EMPTY_RUN,
    reviews: loadCheckoutEntries(tree, OPEN_REVIEW_SPACE, checkout),
    out: loadCheckoutEntries(tree, ASSIGNMENT_SPACE, checkout),
    edits: joinEdits(findDocumentEdits(tree, digest, features), code),
  };
}

export const readLead = (engine: Pick<RoadmapEngine, "store" | "checkout" | "digest">): Promise<Lead> =>
  engine.store.read((tree) => loadLead(tree, engine));

export const createCheckoutKey = (checkout: string, name: string): string => `${checkout} ${name}`;

export function loadCheckoutEntries<T>(tree: StoreTree, { schema, ...space }: CheckedSpace<T>, checkout: string) {
  const start = createCheckoutKey(checkout, "");
  const own = [...tree.kept(space)].filter(
    ([key, value]) => key.startsWith(start) && (!schema || matchesSchema(schema, value)),
  );
  return new Map(own.map(([key, value]) => [key.slice(start.length), value]));
}

export function planSpaceUpdates<T>(
  { name: space }: LedgerSpace<T>,
  checkout: string,
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
): LedgerEntry[] {
  const gone = [...before.keys()].filter((name) => !after.has(name));
  const changed = [...after].filter(([name, value]) => !isSameValue(before.get(name), value));
  return [
    ...gone.map((name) => ({ space, key: createCheckoutKey(checkout, name) })),
    ...changed.map(([name, value]) => ({ space, key: createCheckoutKey(checkout, name), value })),
  ];
}

/** Deletes everything that this checkout has assigned and not finished. */
export const planAssignmentReset = (tree: StoreTree, checkout: string): LedgerEntry[] =>
  [ASSIGNMENT_SPACE, OPEN_REVIEW_SPACE, STOP_REQUEST_SPACE, FINISHED_GROUP_SPACE, REJECTION_SPACE].flatMap((space) =>
    planSpaceUpdates<unknown>(space, checkout, loadCheckoutEntries<unknown>(tree, space, checkout), new Map()),
  );

export const isSameValue = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** Only short values. Documents hold the texts and facts. */
export function describeEvent(
  before: Lead,
  event: LeadEvent,
): { readonly subject: string; readonly [key: string]: unknown } {
  switch (event.kind) {
    case "feature-added":
      return { subject: event.record.feature_name };
    case "feature-removed":
      return { subject: event.feature };
    case "wanted":
      return { subject: event.feature, goal: event.goal, tasks: event.tasks };
    case "run-begun":
      return { subject: "", gated: event.isGated, cap: event.cap ?? undefined };
    case "run-stopped":
      return { subject: "", why: event.why };
    case "review-begun":
      return { subject: formatScopeHead(event.scope), review: event.review, batch: event.batch };
    case "handed-out":
      return { subject: event.action, session: event.session, estimate: event.estimate };
    case "reported": {
      const { action, report, tokens } = event;
      return { subject: action, report: report.kind, estimate: before.out.get(action)?.estimate, tokens };
    }
    case "lost":
      return { subject: event.action, why: event.why };
    case "unblocked":
      return { subject: event.feature, how: event.how };
    case "placed":
      return { subject: event.feature, wave: event.wave, dependencies: event.dependencies };
    case "revised":
      return { subject: event.feature, intent: event.intent };
    case "tasks-edited":
      return { subject: event.feature };
    case "edit-accepted":
      return { subject: event.feature, reason: event.reason };
    case "waived": {
      const { scope, batch, verdict } = event.review;
      return { subject: formatScopeHead(scope), batch, finding: event.finding, verdict };
    }
  }
}

export interface AppliedEvents {
  readonly before: Lead;
  readonly after: Lead;
  readonly events: readonly LeadEvent[];
  readonly applied: readonly LeadEventResult[];
}

export function planSpendingUpdates(tree: StoreTree, checkout: string, { before, after, events }: AppliedEvents) {
  const known = loadCheckoutEntries(tree, SPENDING_SPACE, checkout);
  const spent = new Map(known);
  for (const event of events) {
    const out = event.kind === "reported" || event.kind === "lost" ? before.out.get(event.action) : undefined;
    if (out?.action.kind !== "spawn" || after.out.has(out.action.id)) continue;
    const reported = event.kind === "reported" ? event.tokens : undefined;
    const tokens = out.paid === undefined ? reported : out.paid + (reported ?? 0);
    const { role } = out.action;
    const { runs = 0, estimated = 0, reports = 0, expected = 0, reported: all = 0 } = spent.get(role) ?? {};
    const counted = { runs: runs + 1, estimated: estimated + out.estimate };
    spent.set(
      role,
      tokens === undefined
        ? { ...counted, reports, expected, reported: all }
        : { ...counted, reports: reports + 1, expected: expected + out.estimate, reported: all + tokens },
    );
  }
  return planSpaceUpdates(SPENDING_SPACE, checkout, known, spent);
}

/** `user-login/build-A/2` is a run of `user-login/build-A`. A reviewer's id has no run number. */
const stripRunNumber = (action: string): string => action.replace(/\/\d+$/, "");

export const listLastRejectionProblems = (tree: StoreTree, checkout: string, action: string): readonly Problem[] =>
  loadCheckoutEntries(tree, REJECTION_SPACE, checkout).get(stripRunNumber(action))?.problems ?? [];

export function planRejectionUpdates(tree: StoreTree, checkout: string, { before, events, applied }: AppliedEvents) {
  const known = loadCheckoutEntries(tree, REJECTION_SPACE, checkout);
  const after = new Map(known);
  for (const [i, event] of events.entries()) {
    const outcome = applied[i];
    if (event.kind === "feature-removed")
      for (const work of known.keys()) if (work.startsWith(`${event.feature}/`)) after.delete(work);
    if (!outcome || outcome.kind === "repeated") continue;
    // Other work replaces a stopped action, so its old problems no longer apply.
    for (const effect of outcome.effects) if (effect.kind === "dismissed") after.delete(stripRunNumber(effect.action));
    if (event.kind !== "reported") continue;
    const { action } = event;
    if (outcome.kind === "applied") after.delete(stripRunNumber(action));
    else if (before.out.get(action)?.action.kind === "spawn") {
      const shown = limitShownProblems(outcome.problems);
      const problems = shown.map((each) => ({ ...each, problem: sanitizeText(each.problem, 500) }));
      after.set(stripRunNumber(action), { action, problems });
    }
  }
  return planSpaceUpdates(REJECTION_SPACE, checkout, known, after);
}

function listBatchNames(tree: StoreTree, scope: ReviewScope): string[] {
  const folder = scope.of === "feature" ? getFeatureReviewsFolder(scope.feature) : REVIEWS_FOLDER;
  const files = tree.names(folder).filter((name) => name.endsWith(".yaml"));
  return files.map((name) => name.slice(0, -".yaml".length)).filter(isBatchId);
}

export function readStoredBatch(tree: StoreTree, scope: ReviewScope, batch: string): StoredReview | undefined {
  const path = getReviewBatchPath(scope, batch);
  const text = tree.text(path);
  if (text === undefined) return undefined;
  const read = parseStoredReview(text);
  if (!("problems" in read)) return read;
  const [{ problem, line } = { problem: "", line: undefined }] = read.problems;
  throw new Fault("record.unsound", {
    what: `${path} cannot be used.`,
    why: `${line === undefined ? "" : `Line ${line}: `}${problem}`,
    fix: [`Go back to the committed one: git checkout -- ${path}`, `If there is none, move it away: rm ${path}`],
  });
}

/** Oldest first. */
export const listStoredBatches = (tree: StoreTree, scope: ReviewScope): StoredReview[] =>
  sortReviewBatches(listBatchNames(tree, scope).flatMap((name) => readStoredBatch(tree, scope, name) ?? []));

export async function prepareReview(
  engine: RoadmapEngine,
  lead: Lead,
  { review, scope }: PendingReview,
  { inspectors, consensus }: { readonly inspectors?: readonly string[]; readonly consensus?: number } = {},
): Promise<LeadEvent> {
  const of = await hashReviewedContent(engine, lead, { kind: review, scope });
  const settings = await engine.settings.load();
  // A finding that no selected inspector looks for must not count as fixed.
  const concerns = ({ sources }: ReviewFinding): boolean =>
    inspectors === undefined || sources.some((name) => inspectors.includes(normalizeInspectorName(review, name)));
  const known = await engine.store.read((tree) => {
    const earlier = listStoredBatches(tree, scope).filter((each) => isRelatedBatch(each, review, scope));
    const { tracked, mended } = collectFindingHistory(earlier);
    const batch = createNextBatch(lead, scope, listBatchNames(tree, scope));
    const design =
      review === "design" && scope.of === "feature" ? readDesignFacts(tree, engine.digest, scope.feature) : undefined;
    const facts = design === undefined ? {} : { design, at: engine.clock.now() };
    const complete = new Set(earlier.filter(({ missing }) => missing.length === 0).map((each) => each.batch));
    const history = { tracked: tracked.filter(concerns), mended: mended.filter(concerns) };
    return { complete, begun: { batch, ...history, ...facts } };
  });
  const features = listScopeFeatures(lead, scope);
  const content = { kind: review, scope, features };
  const delta = inspectors === undefined ? await measureReviewDelta(engine, content, known.complete) : undefined;
  const count = consensus ?? (lead.run.isOn ? lead.run.consensus : undefined) ?? settings.roadmap.consensus;
  const chosen = { ...(inspectors === undefined ? {} : { inspectors }), ...(count > 1 ? { consensus: count } : {}) };
  return { kind: "review-begun", review, scope, of, ...known.begun, ...chosen, ...(delta ? { delta } : {}) };
}

/** Sorted, so that hashes are stable. */
export const listImplementationFiles = (records: readonly FeatureRecord[]): string[] =>
  [...new Set(records.flatMap(({ implementation }) => implementation.groups.flatMap(({ files }) => files)))].toSorted();

export async function hashEachFile({ source, digest }: RoadmapEngine, paths: readonly string[]) {
  const hashes: Record<string, string> = {};
  for (const path of paths) {
    const stamp = await source.stamped(path);
    if (stamp.kind === "text") hashes[path] = hashSource(digest, path, stamp.text);
  }
  return hashes;
}

/** Hashes the content of text files. Other files count by their size: reviews cover text. */
export async function hashFiles({ source, digest }: RoadmapEngine, paths: readonly string[]): Promise<string> {
  const found: [path: string, state: string, isSized: boolean][] = [];
  for (const path of paths) {
    const stamp = await source.stamped(path);
    found.push(stamp.kind === "text" ? [path, hashSource(digest, path, stamp.text), false] : [path, stamp.kind, true]);
  }
  const isOdd = found.some(([, state]) => state === "large" || state === "binary");
  const sizes = new Map(isOdd ? (await source.files()).map(({ path, bytes }) => [path, bytes] as const) : []);
  return digest(
    JSON.stringify(found.map(([path, state, isSized]) => [path, state, isSized ? (sizes.get(path) ?? 0) : 0])),
  );
}

export async function hashReviewedContent(
  engine: RoadmapEngine,
  lead: Lead,
  { kind, scope }: Pick<OpenReview, "kind" | "scope">,
): Promise<string> {
  const { digest, store } = engine;
  const hashDesign = (tree: StoreTree, name: FeatureName): string => {
    const text = tree.text(getFeatureDesignPath(name));
    return text === undefined ? "" : hashDocument(digest, text);
  };
  // The hash leaves blocked features of a wave out, because no agent works on them.
  const features = listScopeFeatures(lead, scope).filter(({ phase }) => scope.of !== "wave" || phase !== "blocked");
  if (scope.of === "feature" && features.length > 0)
    return kind === "design"
      ? store.read((tree) => hashDesign(tree, scope.feature))
      : hashFiles(engine, listImplementationFiles(features));
  const designs = await store.read((tree) =>
    features.map(({ feature_name: name }) => [
      name,
      hashDesign(tree, name),
      kind === "design" ? hashDocument(digest, tree.text(getFeatureResearchPath(name)) ?? "") : "",
    ]),
  );
  const files = kind === "design" ? "" : await hashFiles(engine, listImplementationFiles(features));
  return digest(JSON.stringify([designs, files]));
}

/** A review of a wave covers all earlier waves too. */
export function listScopeFeatures({ features }: Lead, scope: ReviewScope): FeatureRecord[] {
  const all = [...features.values()];
  if (scope.of === "all") return all;
  if (scope.of === "feature") return all.filter(({ feature_name }) => feature_name === scope.feature);
  return all.filter(({ roadmap }) => roadmap !== null && roadmap.wave <= scope.wave);
}

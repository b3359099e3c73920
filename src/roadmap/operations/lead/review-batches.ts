import { Fault } from "#kernel/model/fault.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  getFeatureDesignPath,
  getFeatureResearchPath,
  getFeatureReviewsFolder,
  REVIEWS_FOLDER,
} from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import { createNextBatch, createReviewKey, getReviewBatchPath } from "../../model/lead/action-ids.ts";
import { decideNextActions } from "../../model/lead/lead-decision.ts";
import type { LeadEvent } from "../../model/lead/lead-events.ts";
import type { Lead, OpenReview, ReviewScope } from "../../model/lead/lead-state.ts";
import type { PendingReview } from "../../model/lead/pending-actions.ts";
import { collectFindingHistory, isRelatedBatch, sortReviewBatches } from "../../model/review/finding-history.ts";
import { isBatchId, type ReviewFinding, type StoredReview } from "../../model/review/review-finding.ts";
import { normalizeInspectorName, parseStoredReview } from "../../model/review/stored-review.ts";
import type { RoadmapEngine } from "../engine.ts";

type HashEngine = Pick<RoadmapEngine, "source" | "digest" | "store">;

const BATCH_EXTENSION = ".yaml";

function listBatchNames(tree: StoreTree, scope: ReviewScope): string[] {
  const folder = scope.of === "feature" ? getFeatureReviewsFolder(scope.feature) : REVIEWS_FOLDER;
  return tree
    .names(folder)
    .filter((name) => name.endsWith(BATCH_EXTENSION))
    .map((name) => name.slice(0, -BATCH_EXTENSION.length))
    .filter(isBatchId);
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

export interface ReviewToStart {
  readonly key: string;
  readonly event: LeadEvent;
}

export async function prepareReviews(engine: HashEngine, lead: Lead): Promise<ReviewToStart[]> {
  const begun: ReviewToStart[] = [];
  for (const due of decideNextActions(lead).reviews) begun.push(await prepareReview(engine, lead, due));
  return begun;
}

export async function prepareReview(
  engine: HashEngine,
  lead: Lead,
  { review, scope }: PendingReview,
  inspectors?: readonly string[],
): Promise<ReviewToStart> {
  const of = await hashReviewedContent(engine, lead, { kind: review, scope });
  // A finding that no selected inspector looks for must not count as fixed.
  const concerns = ({ sources }: ReviewFinding): boolean =>
    inspectors === undefined || sources.some((name) => inspectors.includes(normalizeInspectorName(review, name)));
  const known = await engine.store.read((tree) => {
    const earlier = listStoredBatches(tree, scope).filter((each) => isRelatedBatch(each, review, scope));
    const { tracked, mended } = collectFindingHistory(earlier);
    const batch = createNextBatch(lead, scope, listBatchNames(tree, scope));
    return { batch, tracked: tracked.filter(concerns), mended: mended.filter(concerns) };
  });
  const who = inspectors === undefined ? {} : { inspectors };
  return { key: createReviewKey(review, scope), event: { kind: "review-begun", review, scope, of, ...known, ...who } };
}

/** Sorted, so that hashes are stable. */
export const listImplementationFiles = (records: readonly FeatureRecord[]): string[] =>
  [...new Set(records.flatMap(({ implementation }) => implementation.groups.flatMap(({ files }) => files)))].toSorted();

const DIGEST_LENGTH = 64;

/** Hashes the content of text files. Other files count by their size: reviews cover text. */
export async function hashFiles(
  { source, digest }: Pick<HashEngine, "source" | "digest">,
  paths: readonly string[],
): Promise<string> {
  const found: [path: string, state: string][] = [];
  for (const path of paths) {
    const stamp = await source.stamped(path);
    found.push([path, stamp.kind === "text" ? digest(stamp.text) : stamp.kind]);
  }
  const isOdd = found.some(([, state]) => state === "large" || state === "binary");
  const sizes = new Map(isOdd ? (await source.files()).map(({ path, bytes }) => [path, bytes] as const) : []);
  const sized = found.map(([path, state]) => [
    path,
    state,
    state.length === DIGEST_LENGTH ? 0 : (sizes.get(path) ?? 0),
  ]);
  return digest(JSON.stringify(sized));
}

export async function hashReviewedContent(
  engine: HashEngine,
  lead: Lead,
  { kind, scope }: Pick<OpenReview, "kind" | "scope">,
): Promise<string> {
  const { digest, store } = engine;
  const hashDesign = (tree: StoreTree, name: FeatureName): string => {
    const text = tree.text(getFeatureDesignPath(name));
    return text === undefined ? "" : digest(text);
  };
  // The hash leaves blocked features of a wave out, because nobody works on them.
  const features = listScopeFeatures(lead, scope).filter(({ phase }) => scope.of !== "wave" || phase !== "blocked");
  if (scope.of === "feature" && features.length > 0)
    return kind === "design"
      ? store.read((tree) => hashDesign(tree, scope.feature))
      : hashFiles(engine, listImplementationFiles(features));
  const designs = await store.read((tree) =>
    features.map(({ feature_name: name }) => [
      name,
      hashDesign(tree, name),
      kind === "design" ? (tree.text(getFeatureResearchPath(name)) ?? "") : "",
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

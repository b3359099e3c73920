import { Fault } from "#kernel/model/fault.ts";
import {
  isBatchId,
  type ReviewFinding,
  type KnownReviewFinding,
  type ReviewKind,
  type StoredReview,
} from "../../model/review/review-finding.ts";
import { parseStoredReview, normalizeInspectorName } from "../../model/review/stored-review.ts";
import { collectFindingHistory, sortReviewBatches, isRelatedBatch } from "../../model/review/finding-history.ts";
import type { LeadEvent } from "../../model/lead/lead-events.ts";
import { getReviewBatchPath, createNextBatch, createReviewKey } from "../../model/lead/action-ids.ts";
import type { Lead, ReviewScope } from "../../model/lead/lead-state.ts";
import { getFeatureReviewsFolder, REVIEWS_FOLDER } from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { RoadmapEngine } from "../engine.ts";
import { hashReviewedContent } from "./content-hashes.ts";
import type { PendingReview } from "../../model/lead/pending-actions.ts";
import { decideNextActions } from "../../model/lead/lead-decision.ts";

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

interface ReviewHistory {
  readonly batch: string;
  readonly tracked: readonly KnownReviewFinding[];
  readonly mended: readonly ReviewFinding[];
}

function loadReviewHistory(tree: StoreTree, lead: Lead, kind: ReviewKind, scope: ReviewScope): ReviewHistory {
  const earlier = listStoredBatches(tree, scope).filter((review) => isRelatedBatch(review, kind, scope));
  return { batch: createNextBatch(lead, scope, listBatchNames(tree, scope)), ...collectFindingHistory(earlier) };
}

export interface ReviewToStart {
  readonly key: string;
  readonly event: LeadEvent;
}

export async function prepareReviews(engine: ReviewStartEngine, lead: Lead): Promise<ReviewToStart[]> {
  const begun: ReviewToStart[] = [];
  for (const due of decideNextActions(lead).reviews) begun.push(await prepareReview(engine, lead, due));
  return begun;
}

type ReviewStartEngine = Pick<RoadmapEngine, "source" | "digest" | "store">;

export async function prepareReview(
  engine: ReviewStartEngine,
  lead: Lead,
  { review, scope }: PendingReview,
  inspectors?: readonly string[],
): Promise<ReviewToStart> {
  const of = await hashReviewedContent(engine, lead, { kind: review, scope });
  const { batch, tracked, mended } = await engine.store.read((tree) => loadReviewHistory(tree, lead, review, scope));
  // A finding that no selected inspector looks for must not count as fixed.
  const concerns = ({ sources }: ReviewFinding): boolean =>
    inspectors === undefined || sources.some((name) => inspectors.includes(normalizeInspectorName(review, name)));
  const known = { batch, tracked: tracked.filter(concerns), mended: mended.filter(concerns) };
  const who = inspectors === undefined ? {} : { inspectors };
  return { key: createReviewKey(review, scope), event: { kind: "review-begun", review, scope, of, ...known, ...who } };
}

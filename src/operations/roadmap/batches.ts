import { Fault } from "#domain/fault.ts";
import { isBatchId } from "#domain/review/batch-number.ts";
import { parseStoredReview } from "#domain/review/batch.ts";
import type { ReviewFinding, KnownReviewFinding, ReviewKind } from "#domain/review/finding.ts";
import { collectFindingHistory, sortReviewBatches, isRelatedBatch } from "#domain/review/history.ts";
import type { StoredReview } from "#domain/roadmap/lead/event.ts";
import { getReviewBatchPath, createNextBatch } from "#domain/roadmap/lead/ids.ts";
import type { Lead, ReviewScope } from "#domain/roadmap/lead/state.ts";
import { getFeatureReviewsFolder, REVIEWS_FOLDER } from "#domain/workspace/path.ts";
import type { StoreTree } from "../ports/store.ts";

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

export function loadReviewHistory(tree: StoreTree, lead: Lead, kind: ReviewKind, scope: ReviewScope): ReviewHistory {
  const earlier = listStoredBatches(tree, scope).filter((review) => isRelatedBatch(review, kind, scope));
  return { batch: createNextBatch(lead, scope, listBatchNames(tree, scope)), ...collectFindingHistory(earlier) };
}

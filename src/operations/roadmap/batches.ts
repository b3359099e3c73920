import { Fault } from "#domain/fault.ts";
import { isBatch } from "#domain/review/batch-number.ts";
import { readStoredReview } from "#domain/review/batch.ts";
import type { Finding, KnownFinding, ReviewKind } from "#domain/review/finding.ts";
import { historyOf, inOrder, isHistoryOf } from "#domain/review/history.ts";
import type { StoredReview } from "#domain/roadmap/lead/event.ts";
import { batchPath, nextBatch } from "#domain/roadmap/lead/ids.ts";
import type { Lead, Scope } from "#domain/roadmap/lead/state.ts";
import { getFeatureReviewsFolder, REVIEWS_FOLDER } from "#domain/workspace/path.ts";
import type { StoreTree } from "../ports/store.ts";

const ENDING = ".yaml";

function batchesIn(tree: StoreTree, scope: Scope): string[] {
  const folder = scope.of === "feature" ? getFeatureReviewsFolder(scope.feature) : REVIEWS_FOLDER;
  return tree
    .names(folder)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length))
    .filter(isBatch);
}

export function storedBatch(tree: StoreTree, scope: Scope, batch: string): StoredReview | undefined {
  const path = batchPath(scope, batch);
  const text = tree.text(path);
  if (text === undefined) return undefined;
  const read = readStoredReview(text);
  if (!("problems" in read)) return read;
  const [{ problem, line } = { problem: "", line: undefined }] = read.problems;
  throw new Fault("record.unsound", {
    what: `${path} cannot be used.`,
    why: `${line === undefined ? "" : `Line ${line}: `}${problem}`,
    fix: [`Go back to the committed one: git checkout -- ${path}`, `If there is none, move it away: rm ${path}`],
  });
}

/** Oldest first. */
export const storedBatches = (tree: StoreTree, scope: Scope): StoredReview[] =>
  inOrder(batchesIn(tree, scope).flatMap((name) => storedBatch(tree, scope, name) ?? []));

interface Before {
  readonly batch: string;
  readonly tracked: readonly KnownFinding[];
  readonly mended: readonly Finding[];
}

export function knownBefore(tree: StoreTree, lead: Lead, kind: ReviewKind, scope: Scope): Before {
  const earlier = storedBatches(tree, scope).filter((review) => isHistoryOf(review, kind, scope));
  return { batch: nextBatch(lead, scope, batchesIn(tree, scope)), ...historyOf(earlier) };
}

import type { BriefMaterial } from "#domain/agent/brief.ts";
import { quoteForeignName } from "#domain/agent/fence.ts";
import { isFeatureName } from "#domain/feature/name.ts";
import type { FeatureRecord, PendingFix } from "#domain/feature/record.ts";
import { isBatchId } from "#domain/review/batch-number.ts";
import { parseStoredReview } from "#domain/review/batch.ts";
import type { StoredFinding, StoredReview } from "#domain/roadmap/lead/event.ts";
import {
  getFeatureRecordPath,
  getFeatureReviewPath,
  type WorkspacePath,
  getReviewPath,
} from "#domain/workspace/path.ts";
import type { StoreTree } from "../../ports/store.ts";
import { createFindingsPiece } from "./findings.ts";
import { formatInlinePath, createListPiece, createTextPiece } from "./pieces.ts";

export function createFixMaterial(
  tree: StoreTree,
  { feature_name, fix }: FeatureRecord,
  concerns: (finding: StoredFinding) => boolean = () => true,
): BriefMaterial {
  if (!fix) return [];
  return [
    ...createTextPiece(FIX_SOURCE_LABELS[fix.source], fix.detail, {
      rank: 1,
      share: 0.3,
      where: formatInlinePath(getFeatureRecordPath(feature_name)),
    }),
    ...(fix.batch === null ? [] : createBatchMaterial(tree, fix.batch, concerns)),
  ];
}

const FIX_SOURCE_LABELS: Readonly<Record<PendingFix["source"], string>> = {
  design: "What the review of the design said",
  impl: "What the review of the code said",
  "spec-update": "Why the specs have to change",
  wave: "What the review of the wave said",
  "dead-code": "What the review of dead code said",
  gate: "What the gate said",
  blocker: "What was in the way",
  revise: "What the user wants changed",
};

function createBatchMaterial(
  tree: StoreTree,
  place: string,
  concerns: (finding: StoredFinding) => boolean,
): BriefMaterial {
  const path = parseBatchPath(place);
  const review = path && readReviewFile(tree, path);
  if (!path || !review)
    return [
      {
        label: "Findings",
        remark: `The review \`${quoteForeignName(place)}\` cannot be read. Report that as what is in the way.`,
      },
    ];
  const where = formatInlinePath(path);
  const standing = review.findings.filter(({ waived }) => waived === undefined);
  const own = standing.filter(concerns);
  const feedback = review.spec_feedback.map(({ part, spec, description }) => `${part}|${spec}|${description}`);
  return [
    ...createListPiece("What is wrong with the specs", feedback, { rank: 1, share: 0.3, unit: "line", where }),
    ...createFindingsPiece("What has to be mended", own.length > 0 ? own : standing, { rank: 1, share: 0.4, where }),
    ...createListPiece("What the inspectors could not agree on", review.unresolved, {
      rank: 3,
      share: 0.1,
      unit: "conflict",
      where,
    }),
  ];
}

export function readReviewFile(tree: StoreTree, path: WorkspacePath): StoredReview | undefined {
  const text = tree.text(path);
  const read = text === undefined ? undefined : parseStoredReview(text);
  return read && "problems" in read ? undefined : read;
}

function parseBatchPath(place: string): WorkspacePath | undefined {
  const [, feature, batch = ""] = /^sdd\/(?:features\/([^/]+)\/)?reviews\/([^/]+)\.yaml$/.exec(place) ?? [];
  if (!isBatchId(batch)) return undefined;
  if (feature === undefined) return getReviewPath(batch);
  return isFeatureName(feature) ? getFeatureReviewPath(feature, batch) : undefined;
}

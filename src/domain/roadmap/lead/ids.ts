import type { FeatureName } from "../../feature/name.ts";
import type { FeatureRecord, SteeringProposal } from "../../feature/record.ts";
import { parseBatchNumber } from "../../review/batch-number.ts";
import type { ReviewKind } from "../../review/finding.ts";
import { getFeatureReviewPath, type WorkspacePath, getReviewPath } from "../../workspace/path.ts";
import type { ActionId } from "./action.ts";
import type { Lead, OpenReview, ReviewScope, WaveRecord } from "./state.ts";

/** Counter names of a feature's runs. `batch` counts started reviews. */
export type RunCounterKey =
  | "architect"
  | "tasks"
  | `build-${string}`
  | "gate"
  | "commit"
  | "escalation"
  | "structure"
  | "follow-up"
  | "batch";

export const AUDITOR_NAME = "auditor";

/** Prefixes of action ids that are not features. A feature cannot have such a name. */
export const isReservedActionHead = (name: string): boolean =>
  name === "all" || name === "run" || /^wave-\d+$/.test(name);

/** First part of an action id: a feature name, `wave-2`, or `all`. */
export const formatScopeHead = (scope: ReviewScope): string =>
  scope.of === "feature" ? scope.feature : scope.of === "wave" ? formatWaveHead(scope.wave) : "all";

export const formatWaveHead = (wave: number): string => `wave-${wave}`;

export function parseWaveHead(head: string): number | undefined {
  return /^wave-\d+$/.test(head) ? Number(head.slice("wave-".length)) : undefined;
}

/** Key of an open review: `user-login/design`, `wave-2/dead-code`. */
export const createReviewKey = (review: ReviewKind, scope: ReviewScope): string =>
  joinReviewKey(formatScopeHead(scope), review);

export const joinReviewKey = (head: string, review: ReviewKind): string => `${head}/${review}`;

/** The next batch of a scope, given the stored ones. Numbers of void reviews are not reused. */
export function createNextBatch(lead: Lead, scope: ReviewScope, stored: Iterable<string>): string {
  let last = getLastStartedBatch(lead, scope);
  for (const batch of stored) last = Math.max(last, parseBatchNumber(batch) ?? 0);
  return `B${last + 1}`;
}

export function getLastStartedBatch(lead: Lead, scope: ReviewScope): number {
  if (scope.of !== "feature") return lead.run.batches ?? 0;
  const record = lead.features.get(scope.feature);
  return record ? countFeatureRuns(record, "batch") : 0;
}

const countFeatureRuns = (record: Pick<FeatureRecord, "orchestration">, key: RunCounterKey): number =>
  record.orchestration.runs[key] ?? 0;

export const createRunId = (record: FeatureRecord, key: RunCounterKey): ActionId =>
  `${record.feature_name}/${key}/${countFeatureRuns(record, key) + 1}`;

export const createReviewerId = (key: string, { batch }: Pick<OpenReview, "batch">, who: string): ActionId =>
  `${key}/${batch}/${who}`;

export const parseReviewerName = (id: ActionId): string => id.slice(id.lastIndexOf("/") + 1);

export const getReviewBatchPath = (scope: ReviewScope, batch: string): WorkspacePath =>
  scope.of === "feature" ? getFeatureReviewPath(scope.feature, batch) : getReviewPath(batch);

export const createReviewPassedId = (name: FeatureName, batch: string): ActionId => `${name}/review-passed/${batch}`;
export const createProposalId = (head: string, { batch, line }: SteeringProposal): ActionId =>
  `${head}/steering/${batch}-${line}`;
export const createWavePassedId = (wave: number): ActionId => `${formatWaveHead(wave)}/wave-passed`;
export const createCapQuestionId = (lead: Lead): ActionId => `run/cap/${(lead.run.capAnswers ?? 0) + 1}`;

export const createWaveFailedId = (wave: number, record: WaveRecord | undefined): ActionId =>
  `${formatWaveHead(wave)}/wave-failed/${(record?.runs["failed"] ?? 0) + 1}`;

/** The first commit of a wave has no number. A reopened wave numbers the next ones. */
export function createWaveCommitId(wave: number, record: WaveRecord | undefined): ActionId {
  const commits = record?.runs["commit"] ?? 0;
  return commits === 0 ? `${formatWaveHead(wave)}/commit` : `${formatWaveHead(wave)}/commit/${commits + 1}`;
}

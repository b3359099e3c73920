import type { FeatureName } from "../../feature/name.ts";
import type { FeatureRecord, Proposal } from "../../feature/record.ts";
import { batchNumber } from "../../review/batch-number.ts";
import type { ReviewKind } from "../../review/finding.ts";
import { getFeatureReviewPath, type WorkspacePath, getReviewPath } from "../../workspace/path.ts";
import type { ActionId } from "./action.ts";
import type { Lead, OpenReview, Scope, WaveRecord } from "./state.ts";

/** Counter names of a feature's runs. `batch` counts started reviews. */
export type RunKey =
  | "architect"
  | "tasks"
  | `build-${string}`
  | "gate"
  | "commit"
  | "escalation"
  | "structure"
  | "follow-up"
  | "batch";

export const AUDITOR = "auditor";

/** Prefixes of action ids that are not features. A feature cannot have such a name. */
export const isReserved = (name: string): boolean => name === "all" || name === "run" || /^wave-\d+$/.test(name);

/** First part of an action id: a feature name, `wave-2`, or `all`. */
export const headOf = (scope: Scope): string =>
  scope.of === "feature" ? scope.feature : scope.of === "wave" ? waveHead(scope.wave) : "all";

export const waveHead = (wave: number): string => `wave-${wave}`;

export function waveOfHead(head: string): number | undefined {
  return /^wave-\d+$/.test(head) ? Number(head.slice("wave-".length)) : undefined;
}

/** Key of an open review: `user-login/design`, `wave-2/dead-code`. */
export const reviewKey = (review: ReviewKind, scope: Scope): string => reviewKeyOf(headOf(scope), review);

export const reviewKeyOf = (head: string, review: ReviewKind): string => `${head}/${review}`;

/** The next batch of a scope, given the stored ones. Numbers of void reviews are not reused. */
export function nextBatch(lead: Lead, scope: Scope, stored: Iterable<string>): string {
  let last = lastBegun(lead, scope);
  for (const batch of stored) last = Math.max(last, batchNumber(batch) ?? 0);
  return `B${last + 1}`;
}

export function lastBegun(lead: Lead, scope: Scope): number {
  if (scope.of !== "feature") return lead.run.batches ?? 0;
  const record = lead.features.get(scope.feature);
  return record ? runsOf(record, "batch") : 0;
}

const runsOf = (record: Pick<FeatureRecord, "orchestration">, key: RunKey): number =>
  record.orchestration.runs[key] ?? 0;

export const runId = (record: FeatureRecord, key: RunKey): ActionId =>
  `${record.feature_name}/${key}/${runsOf(record, key) + 1}`;

export const reviewerId = (key: string, { batch }: Pick<OpenReview, "batch">, who: string): ActionId =>
  `${key}/${batch}/${who}`;

export const reviewerOf = (id: ActionId): string => id.slice(id.lastIndexOf("/") + 1);

export const batchPath = (scope: Scope, batch: string): WorkspacePath =>
  scope.of === "feature" ? getFeatureReviewPath(scope.feature, batch) : getReviewPath(batch);

export const passedId = (name: FeatureName, batch: string): ActionId => `${name}/review-passed/${batch}`;
export const proposalId = (head: string, { batch, line }: Proposal): ActionId => `${head}/steering/${batch}-${line}`;
export const wavePassedId = (wave: number): ActionId => `${waveHead(wave)}/wave-passed`;
export const capId = (lead: Lead): ActionId => `run/cap/${(lead.run.capAnswers ?? 0) + 1}`;

export const waveFailedId = (wave: number, record: WaveRecord | undefined): ActionId =>
  `${waveHead(wave)}/wave-failed/${(record?.runs["failed"] ?? 0) + 1}`;

/** The first commit of a wave has no number. A reopened wave numbers the next ones. */
export function waveCommitId(wave: number, record: WaveRecord | undefined): ActionId {
  const commits = record?.runs["commit"] ?? 0;
  return commits === 0 ? `${waveHead(wave)}/commit` : `${waveHead(wave)}/commit/${commits + 1}`;
}

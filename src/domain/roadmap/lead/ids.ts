import type { FeatureName } from "../../feature/name.ts";
import type { FeatureRecord, Proposal } from "../../feature/record.ts";
import { batchNumber } from "../../review/batch-number.ts";
import type { ReviewKind } from "../../review/finding.ts";
import { featureReview, type Path, reviewFile } from "../../workspace/path.ts";
import type { ActionId } from "./action.ts";
import type { Lead, OpenReview, Scope, WaveRecord } from "./state.ts";

/** What runs of a feature are counted by. `batch` counts reviews that have begun. */
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

/** Heads of ids that are not features: nobody may be called so. */
export const isReserved = (name: string): boolean => name === "all" || name === "run" || /^wave-\d+$/.test(name);

/** Whose a thing is: a feature's name, `wave-2`, or `all`. */
export const headOf = (scope: Scope): string =>
  scope.of === "feature" ? scope.feature : scope.of === "wave" ? waveHead(scope.wave) : "all";

export const waveHead = (wave: number): string => `wave-${wave}`;

/** The wave that a head names, if it names one. */
export function waveOfHead(head: string): number | undefined {
  return /^wave-\d+$/.test(head) ? Number(head.slice("wave-".length)) : undefined;
}

/** Names an open review: `user-login/design`, `wave-2/dead-code`. */
export const reviewKey = (review: ReviewKind, scope: Scope): string => reviewKeyOf(headOf(scope), review);

/** As `reviewKey`, for who knows the head. */
export const reviewKeyOf = (head: string, review: ReviewKind): string => `${head}/${review}`;

/** The batch that the next review of a scope will be, where these are stored. Numbers of void reviews are not used again. */
export function nextBatch(lead: Lead, scope: Scope, stored: Iterable<string>): string {
  let last = lastBegun(lead, scope);
  for (const batch of stored) last = Math.max(last, batchNumber(batch) ?? 0);
  return `B${last + 1}`;
}

/** The highest batch of a scope's folder that the Lead knows of. */
export function lastBegun(lead: Lead, scope: Scope): number {
  if (scope.of !== "feature") return lead.run.batches ?? 0;
  const record = lead.features.get(scope.feature);
  return record ? runsOf(record, "batch") : 0;
}

const runsOf = (record: Pick<FeatureRecord, "orchestration">, key: RunKey): number =>
  record.orchestration.runs[key] ?? 0;

/** The next run of a kind: `user-login/build-A/2`. */
export const runId = (record: FeatureRecord, key: RunKey): ActionId =>
  `${record.feature_name}/${key}/${runsOf(record, key) + 1}`;

/** Of an inspector, by name, or of the auditor. */
export const reviewerId = (key: string, { batch }: Pick<OpenReview, "batch">, who: string): ActionId =>
  `${key}/${batch}/${who}`;

/** The reviewer that such an id names. */
export const reviewerOf = (id: ActionId): string => id.slice(id.lastIndexOf("/") + 1);

/** Where the batch of a review is kept. */
export const batchPath = (scope: Scope, batch: string): Path =>
  scope.of === "feature" ? featureReview(scope.feature, batch) : reviewFile(batch);

export const passedId = (name: FeatureName, batch: string): ActionId => `${name}/review-passed/${batch}`;
export const proposalId = (head: string, { batch, line }: Proposal): ActionId => `${head}/steering/${batch}-${line}`;
export const wavePassedId = (wave: number): ActionId => `${waveHead(wave)}/wave-passed`;
export const capId = (lead: Lead): ActionId => `run/cap/${(lead.run.capAnswers ?? 0) + 1}`;

export const waveFailedId = (wave: number, record: WaveRecord | undefined): ActionId =>
  `${waveHead(wave)}/wave-failed/${(record?.runs["failed"] ?? 0) + 1}`;

/** The first commit of a wave has no number; a wave that was opened again has further ones. */
export function waveCommitId(wave: number, record: WaveRecord | undefined): ActionId {
  const commits = record?.runs["commit"] ?? 0;
  return commits === 0 ? `${waveHead(wave)}/commit` : `${waveHead(wave)}/commit/${commits + 1}`;
}

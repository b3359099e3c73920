import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { getFeatureReviewPath, getReviewPath, type WorkspacePath } from "#kernel/model/workspace-paths.ts";
import { REVIEW_INSPECTORS } from "../agent/agent-roles.ts";
import type { FeatureRecord, SteeringProposal, WaveRecord } from "../feature/feature-record.ts";
import { REVIEW_KINDS, type ReviewKind } from "../review/review-kinds.ts";
import { parseBatchNumber } from "../review/review-finding.ts";
import { callInspectorRoll } from "../review/stored-review.ts";
import type { ActionId, Lead, ReviewScope } from "./lead-state.ts";

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
  name === "all" || name === "run" || parseWaveHead(name) !== undefined;

/** First part of an action id: a feature name, `wave-2`, or `all`. */
export const formatScopeHead = (scope: ReviewScope): string =>
  scope.of === "feature" ? scope.feature : scope.of === "wave" ? formatWaveHead(scope.wave) : "all";

export const formatWaveHead = (wave: number): string => `wave-${wave}`;

export const parseWaveHead = (head: string): number | undefined =>
  /^wave-\d+$/.test(head) ? Number(head.slice("wave-".length)) : undefined;

/** Key of an open review: `user-login/design`, `wave-2/dead-code`. */
export const createReviewKey = (review: ReviewKind, scope: ReviewScope): string =>
  joinReviewKey(formatScopeHead(scope), review);

export const joinReviewKey = (head: string, review: ReviewKind): string => `${head}/${review}`;

/** The next batch of a scope, given the stored ones. Numbers of void reviews are not reused. */
export function createNextBatch(lead: Lead, scope: ReviewScope, stored: readonly string[]): string {
  const numbers = stored.map((batch) => parseBatchNumber(batch) ?? 0);
  return `B${Math.max(getLastStartedBatch(lead, scope), ...numbers) + 1}`;
}

export const getLastStartedBatch = ({ run, features }: Lead, scope: ReviewScope): number =>
  (scope.of === "feature" ? features.get(scope.feature)?.orchestration.runs["batch"] : run.batches) ?? 0;

export const createRunId = ({ feature_name, orchestration }: FeatureRecord, key: RunCounterKey): ActionId =>
  `${feature_name}/${key}/${(orchestration.runs[key] ?? 0) + 1}`;

export const parseReviewerName = (id: ActionId): string => id.slice(id.lastIndexOf("/") + 1);

export const getReviewBatchPath = (scope: ReviewScope, batch: string): WorkspacePath =>
  scope.of === "feature" ? getFeatureReviewPath(scope.feature, batch) : getReviewPath(batch);

export const createReviewPassedId = (name: FeatureName, batch: string): ActionId => `${name}/review-passed/${batch}`;
export const createProposalId = (head: string, { batch, line }: SteeringProposal): ActionId =>
  `${head}/steering/${batch}-${line}`;
export const createWavePassedId = (wave: number): ActionId => `${formatWaveHead(wave)}/wave-passed`;
export const createCapQuestionId = ({ run }: Lead): ActionId => `run/cap/${(run.capAnswers ?? 0) + 1}`;

/** The first commit of a wave has no number. A reopened wave numbers the next ones. */
export function createWaveCommitId(wave: number, record: WaveRecord | undefined): ActionId {
  const commits = record?.runs["commit"] ?? 0;
  return commits === 0 ? `${formatWaveHead(wave)}/commit` : `${formatWaveHead(wave)}/commit/${commits + 1}`;
}

/** True if the action is finished, so a report for it is a repeat or too late. */
export function isActionFinished(lead: Lead, id: ActionId): boolean {
  const parts = id.split("/");
  const [head = "", key = "", third] = parts;
  const scope = parseScopeHead(head);
  const kind = REVIEW_KINDS.find((each) => each === key);
  if (parts.length === 4 && kind) return isReviewerFinished(lead, scope, kind, parts);
  if (key === "steering") return /^B\d+-\d+$/.test(third ?? "") && isBatchStarted(lead, scope, third?.split("-", 1)[0]);
  if (key === "review-passed") return isBatchStarted(lead, scope, third);
  if (head === "run") return key === "cap" && parseRunNumber(third) <= (lead.run.capAnswers ?? 0);
  if (scope.of === "wave") return isWaveActionFinished(lead, scope.wave, id, key, third);
  if (scope.of === "all") return false;
  const runs = lead.features.get(scope.feature)?.orchestration.runs;
  return runs !== undefined && parseRunNumber(parts.at(-1)) <= (runs[parts.slice(1, -1).join("/")] ?? 0);
}

/** Infinity for text that is not a number, so it never counts as finished. */
const parseRunNumber = (text = ""): number => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : Infinity);

function parseScopeHead(head: string): ReviewScope {
  const wave = parseWaveHead(head);
  if (wave !== undefined) return { of: "wave", wave };
  return head === "all" ? { of: "all" } : { of: "feature", feature: head as FeatureName };
}

function isBatchStarted(lead: Lead, scope: ReviewScope, batch = ""): boolean {
  const number = parseBatchNumber(batch);
  return number !== undefined && number <= getLastStartedBatch(lead, scope);
}

function isReviewerFinished(lead: Lead, scope: ReviewScope, kind: ReviewKind, parts: readonly string[]): boolean {
  const [head = "", , batch, who = ""] = parts;
  const reviewers: readonly string[] = [...REVIEW_INSPECTORS[kind], AUDITOR_NAME];
  if (!reviewers.includes(who)) return false;
  const review = lead.reviews.get(joinReviewKey(head, kind));
  if (!review || review.batch !== batch) return isBatchStarted(lead, scope, batch);
  const { reported, missing } = callInspectorRoll(review);
  return who !== AUDITOR_NAME && (reported.includes(who) || missing.includes(who));
}

function isWaveActionFinished(lead: Lead, wave: number, id: ActionId, key: string, third: string | undefined): boolean {
  const runs = lead.waves.get(wave)?.runs ?? {};
  if (key === "wave-passed") return third === undefined && lead.run.agreed.includes(id);
  const number = key === "commit" && third === undefined ? 1 : parseRunNumber(third);
  const done = key === "commit" ? runs["commit"] : key === "wave-failed" ? runs["failed"] : 0;
  return number <= (done ?? 0);
}

import { REVIEW_INSPECTORS } from "../../agent/role.ts";
import type { FeatureName } from "../../feature/name.ts";
import { parseBatchNumber } from "../../review/batch-number.ts";
import { REVIEW_KINDS, type ReviewKind } from "../../review/finding.ts";
import { callInspectorRoll } from "../../review/rollcall.ts";
import type { ActionId } from "./action.ts";
import { AUDITOR_NAME, getLastStartedBatch, joinReviewKey, parseWaveHead } from "./ids.ts";
import type { Lead, ReviewScope } from "./state.ts";

/** True if the action is finished, so a report for it is a repeat or too late. */
export function isActionFinished(lead: Lead, id: ActionId): boolean {
  const parts = id.split("/");
  const [head = "", key = "", third] = parts;
  const scope = parseScopeHead(head);
  if (parts.length === 4 && isReviewKind(key)) return isReviewerFinished(lead, scope, parts);
  if (key === "steering") return /^B\d+-\d+$/.test(third ?? "") && isBatchStarted(lead, scope, third?.split("-", 1)[0]);
  if (key === "review-passed") return isBatchStarted(lead, scope, third);
  if (head === "run") return key === "cap" && parseRunNumber(third) <= (lead.run.capAnswers ?? 0);
  if (scope.of === "wave") return isWaveActionFinished(lead, scope.wave, id, key, third);
  if (scope.of === "all") return false;
  const runs = lead.features.get(scope.feature)?.orchestration.runs;
  const number = parseRunNumber(parts.at(-1));
  const name = parts.slice(1, -1).join("/");
  return runs !== undefined && number <= (runs[name] ?? 0);
}

/** Infinity for text that is not a number, so it never counts as finished. */
const parseRunNumber = (text = ""): number => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : Infinity);

function parseScopeHead(head: string): ReviewScope {
  const wave = parseWaveHead(head);
  if (wave !== undefined) return { of: "wave", wave };
  return head === "all" ? { of: "all" } : { of: "feature", feature: head as FeatureName };
}

const isReviewKind = (key: string): key is ReviewKind => (REVIEW_KINDS as readonly string[]).includes(key);

function isBatchStarted(lead: Lead, scope: ReviewScope, batch: string | undefined): boolean {
  const number = parseBatchNumber(batch ?? "");
  return number !== undefined && number <= getLastStartedBatch(lead, scope);
}

function isReviewerFinished(lead: Lead, scope: ReviewScope, parts: readonly string[]): boolean {
  const [head = "", key = "", batch, who = ""] = parts;
  const kind = key as ReviewKind;
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

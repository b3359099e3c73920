import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";
import { createSlug } from "../slug.ts";

export const DECISION_STATUSES = ["proposed", "accepted", "deprecated", "superseded"] as const;
export type DecisionStatus = (typeof DECISION_STATUSES)[number];

declare const decisionIdBrand: unique symbol;
/** `ADR-001` within a change, `ADR-0001` in the workspace. Only this file makes one. */
export type DecisionId = string & { readonly [decisionIdBrand]: "AdrId" };

export interface DecisionRecord {
  readonly id: DecisionId;
  readonly title: string;
  readonly status: DecisionStatus;
  readonly context: string;
  readonly decision: string;
  readonly rationale: string;
  readonly alternatives_rejected?: string | undefined;
  readonly change_id?: string | undefined;
  readonly supersedes?: string | undefined;
  readonly created_at: string;
}

export const MAX_DECISION_NUMBER = 99_999;

const DECISION_FILE_PATTERN = /^(ADR-(\d{3,5}))(?:-[a-z0-9-]+)?\.md$/;

export function parseDecisionId(text: string): DecisionId {
  if (/^ADR-\d{3,5}$/.test(text)) return text as DecisionId;
  throw new Fault("adr.bad-id", {
    what: `${quote(text, 64)} does not name a decision.`,
    why: "A decision is named ADR-0001, or ADR-001 within a change.",
    fix: { operation: "adr.list" },
  });
}

export function formatDecisionId(n: number, isInChange: boolean): DecisionId {
  return `ADR-${String(n).padStart(isInChange ? 3 : 4, "0")}` as DecisionId;
}

export function formatDecisionFileName(id: DecisionId, title: string, isInChange: boolean): string {
  return isInChange ? `${id}.md` : `${id}-${createSlug(title, "decision")}.md`;
}

export function parseDecisionFileName(name: string): { id: DecisionId; number: number } | undefined {
  const match = DECISION_FILE_PATTERN.exec(name);
  return match ? { id: match[1] as DecisionId, number: Number(match[2]) } : undefined;
}

/** Never reuses a number, even if its file was deleted. */
export function getNextDecisionNumber(fileNames: readonly string[], lastGiven: number): number {
  return Math.max(lastGiven, 0, ...fileNames.map((name) => parseDecisionFileName(name)?.number ?? 0)) + 1;
}

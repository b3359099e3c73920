import type * as z from "zod";
import { sanitizeText } from "#domain/quote.ts";
import type { LeadAction } from "#domain/roadmap/lead/action.ts";
import { type LeadDecision, decideNextActions } from "#domain/roadmap/lead/decide.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { formatScopeHead, createReviewKey } from "#domain/roadmap/lead/ids.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import { getFeatureFolder } from "#domain/workspace/path.ts";

import { estimateActionTokens } from "./brief.ts";
import { listImplementationFiles } from "./facts/hashes.ts";
import type { ActionSummarySchema } from "./schema.ts";

export type ActionSummary = z.infer<typeof ActionSummarySchema>;

export function describeAction(action: LeadAction): string {
  switch (action.kind) {
    case "spawn":
      return describeAgentWork(action);
    case "gate":
      return `run the tests of ${action.feature}`;
    case "ask":
      return `ask the user: ${action.question} of ${sanitizeText(action.subject, 80)}`;
    case "commit":
      return `commit ${action.features.join(", ")}`;
  }
}

function describeAgentWork({ role, work }: Extract<LeadAction, { kind: "spawn" }>): string {
  switch (work.of) {
    case "design":
      return `${work.isFix ? "mend the design" : work.mode === "new" ? "design" : "design anew"}: ${work.feature}`;
    case "tasks":
      return `plan the tasks: ${work.feature}`;
    case "build":
      return `${work.isFix ? "mend" : "build"} group ${work.group}: ${work.feature}`;
    case "review":
      return `${role.startsWith("auditor") ? "audit" : "inspect"}: ${formatScopeHead(work.scope)}`;
  }
}

export function summarizeAction(lead: Lead, action: LeadAction): ActionSummary {
  const known = { id: action.id, kind: action.kind, about: describeAction(action) };
  switch (action.kind) {
    case "spawn":
      return { ...known, role: action.role, estimate: estimateActionTokens(action) };
    case "gate":
      return known;
    case "ask":
      return {
        ...known,
        question: action.question,
        choices: [...action.choices],
        detail: sanitizeText(action.detail, MAX_ACTION_DETAIL),
      };
    case "commit":
      return {
        ...known,
        message: sanitizeText(action.message, MAX_ACTION_DETAIL),
        paths: listOfferedPaths(lead, action.features),
      };
  }
}

const MAX_ACTION_DETAIL = 2_000;

/** All documents under `sdd/`, because waves, steering and decisions belong to the commit too, and the code. */
function listOfferedPaths(lead: Lead, names: readonly string[]): string[] {
  const removed = new Set(listRemovedPaths(lead, names));
  return ["sdd/", ...listCommitPaths(lead, names).filter((path) => !path.startsWith("sdd/") && !removed.has(path))];
}

export function listCommitPaths(lead: Lead, names: readonly string[]): string[] {
  const files = selectFeatureRecords(lead, names).flatMap((record) => [
    `${getFeatureFolder(record.feature_name)}/`,
    ...listImplementationFiles(record),
  ]);
  return [...new Set([...files, ...listRemovedPaths(lead, names)])];
}

/** Files removed since the last commit. Git may never have tracked them. */
export const listRemovedPaths = (lead: Lead, names: readonly string[]): string[] =>
  selectFeatureRecords(lead, names).flatMap(({ implementation }) => implementation.files_removed ?? []);

const selectFeatureRecords = ({ features }: Lead, names: readonly string[]): FeatureRecord[] =>
  [...features.values()].filter(({ feature_name }) => names.includes(feature_name));

export function listActionFeatures(action: LeadAction): readonly string[] {
  switch (action.kind) {
    case "spawn":
      if (action.work.of !== "review") return [action.work.feature];
      return action.work.scope.of === "feature" ? [action.work.scope.feature] : [];
    case "gate":
      return [action.feature];
    case "ask":
      return [action.subject];
    case "commit":
      return action.features;
  }
}

export interface PendingSummary {
  readonly due: ActionSummary[];
  readonly more: number;
  /** Reviews that start with the next `sdd_next` call, such as `user-login/design`. */
  readonly reviews: string[];
  readonly idle?: string;
}

const MAX_PENDING_SHOWN = 10;

export function summarizePendingWork(lead: Lead, decision: LeadDecision = decideNextActions(lead)): PendingSummary {
  const due = decision.actions.map((action) => summarizeAction(lead, action));
  const reviews = decision.reviews.map(({ review, scope }) => createReviewKey(review, scope));
  return {
    due: due.slice(0, MAX_PENDING_SHOWN),
    more: Math.max(0, due.length - MAX_PENDING_SHOWN),
    reviews,
    ...(decision.idle === null || due.length + reviews.length > 0 ? {} : { idle: decision.idle }),
  };
}

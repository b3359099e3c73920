import type * as z from "zod";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { getFeatureFolder, getSteeringFilePath } from "#kernel/model/workspace-paths.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import { createReviewKey, formatScopeHead, getReviewBatchPath } from "../../model/lead/action-ids.ts";
import { decideNextActions, estimateActionCost, type LeadDecision } from "../../model/lead/lead-decision.ts";
import type { LeadEffect, LeadEventResult } from "../../model/lead/lead-events.ts";
import type { ActionAssignment, Lead, LeadAction, SpawnAction } from "../../model/lead/lead-state.ts";
import { composeActionBrief } from "../agent/role-brief.ts";
import type { RoadmapEngine } from "../engine.ts";
import { listImplementationFiles } from "./review-batches.ts";
import type { ActionSummarySchema } from "./schema.ts";

type ActionSummary = z.infer<typeof ActionSummarySchema>;

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

function describeAgentWork({ role, work }: SpawnAction): string {
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

const MAX_ACTION_DETAIL = 2_000;

export function summarizeAction(lead: Lead, action: LeadAction): ActionSummary {
  const known = { id: action.id, kind: action.kind, about: describeAction(action) };
  switch (action.kind) {
    case "spawn":
      return { ...known, role: action.role, estimate: estimateActionCost(action) };
    case "gate":
      return known;
    case "ask": {
      const detail = sanitizeText(action.detail, MAX_ACTION_DETAIL);
      return { ...known, question: action.question, choices: [...action.choices], detail };
    }
    case "commit": {
      const message = sanitizeText(action.message, MAX_ACTION_DETAIL);
      return { ...known, message, paths: listOfferedPaths(lead, action.features) };
    }
  }
}

/** What a report of each kind of action must contain. */
export const REPORT_PLACEHOLDERS: Readonly<Record<LeadAction["kind"], Readonly<Record<string, string>>>> = {
  spawn: { report: "…" },
  ask: { answer: "…", said: "…" },
  gate: {},
  commit: {},
};

/** All documents under `sdd/`, because waves, steering and decisions belong to the commit too, and the code. */
function listOfferedPaths(lead: Lead, names: readonly string[]): string[] {
  const removed = new Set(listRemovedPaths(lead, names));
  return ["sdd/", ...listCommitPaths(lead, names).filter((path) => !path.startsWith("sdd/") && !removed.has(path))];
}

export function listCommitPaths(lead: Lead, names: readonly string[]): string[] {
  const files = selectFeatureRecords(lead, names).flatMap((record) => [
    `${getFeatureFolder(record.feature_name)}/`,
    ...listImplementationFiles([record]),
  ]);
  return [...new Set([...files, ...listRemovedPaths(lead, names)])];
}

/** Files removed since the last commit. Git may never have tracked them. */
export const listRemovedPaths = (lead: Lead, names: readonly string[]): string[] =>
  selectFeatureRecords(lead, names).flatMap(({ implementation }) => implementation.files_removed ?? []);

const selectFeatureRecords = ({ features }: Lead, names: readonly string[]): FeatureRecord[] =>
  [...features.values()].filter(({ feature_name }) => names.includes(feature_name));

/** True if no feature is given. */
export const isActionOf = (action: LeadAction, feature: string | undefined): boolean =>
  feature === undefined || listActionFeatures(action).includes(feature);

function listActionFeatures(action: LeadAction): readonly string[] {
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

export const formatMoreDue = (more: number): string[] =>
  more > 0 ? [`${formatCount(more, "more action")} ${more === 1 ? "is" : "are"} due.`] : [];

/** Token limit for all briefs of one answer. The first brief is always complete. */
const MAX_BRIEF_TOKENS = 16_000;

export async function composeActionBriefs(
  engine: RoadmapEngine,
  lead: Lead,
  given: readonly ActionAssignment[],
): Promise<Map<string, string>> {
  const briefs = new Map<string, string>();
  let room = MAX_BRIEF_TOKENS;
  for (const { action } of given) {
    if (action.kind !== "spawn") continue;
    const { text, tokens } = await composeActionBrief(engine, lead, action);
    if (briefs.size > 0 && tokens > room) break;
    briefs.set(action.id, text);
    room -= tokens;
  }
  return briefs;
}

export async function extractReportForm(engine: RoadmapEngine, lead: Lead, action: SpawnAction): Promise<string> {
  const { text } = await composeActionBrief(engine, lead, action);
  const [, report = text] = /^## Report\n+([\s\S]*?)(?=\n## |$(?![\s\S]))/m.exec(text) ?? [];
  return report.trim();
}

/** One line per effect for the reporter. Leaves out the end of the reported action itself. */
export const formatEffectNotes = (applied: LeadEventResult, action: string): string[] =>
  (applied.kind === "repeated" ? [] : applied.effects)
    .filter((effect) => effect.kind !== "dismissed" || effect.action !== action)
    .flatMap(formatEffectNote);

function formatEffectNote(effect: LeadEffect): string[] {
  switch (effect.kind) {
    case "batch": {
      const { kind, scope, batch, verdict, computed, disposition, counts } = effect.batch;
      const found = `${counts.C} critical, ${counts.H} high, ${counts.M} medium, ${counts.L} low`;
      const argued = verdict === computed ? "" : ` (the findings make it ${computed})`;
      const head = `The ${kind} review of ${formatScopeHead(scope)} says ${verdict}${argued}`;
      return [`${head}: ${found}. ${disposition}, ${getReviewBatchPath(scope, batch)}.`];
    }
    case "decision":
      return [`Recorded as ${effect.type}: ${sanitizeText(effect.summary, 300)}`];
    case "steering":
      return [`${getSteeringFilePath(effect.file)} says more now: ${sanitizeText(effect.text, 300)}`];
    case "proposal-answered":
      return [];
    case "tasks-done":
      return [`Done: ${effect.feature} ${effect.tasks.join(", ")}.`];
    case "tags":
      return effect.tags.length === 0 ? [] : [`Kept for the wave's end: ${effect.tags.length} of what was learned.`];
    case "dismissed":
      return [`Whoever is at work on ${effect.action} is to stop: it counts no more.`];
    case "wave-finished":
      return [`Wave ${effect.wave} is finished.`];
  }
}

import type * as z from "zod";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { getBriefPath, getFeatureFolder, type WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { StoreStep } from "#store/operations/ports/store.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import { decideNextActions, estimateActionCost, type LeadDecision } from "../../model/lead/lead-decision.ts";
import type { ActionAssignment, Lead, LeadAction } from "../../model/lead/lead-state.ts";
import { createReviewKey, formatScopeHead } from "../../model/lead/lead-view.ts";
import { composeActionBrief } from "../agent/role-brief.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { ActionSummarySchema } from "../management/schema.ts";
import { listImplementationFiles } from "./lead-store.ts";

type ActionSummary = z.infer<typeof ActionSummarySchema>;

export function describeAction(action: LeadAction): string {
  switch (action.kind) {
    case "spawn": {
      const { role, work } = action;
      if (work.of === "review")
        return `${role.startsWith("auditor") ? "audit" : "inspect"}: ${formatScopeHead(work.scope)}`;
      if (work.of === "tasks") return `plan the tasks: ${work.feature}`;
      if (work.of === "build") return `${work.isFix ? "fix" : "build"} group ${work.group}: ${work.feature}`;
      return `${work.isFix ? "fix the design" : work.mode === "new" ? "design" : "design again"}: ${work.feature}`;
    }
    case "gate":
      return `run the tests of ${action.feature}`;
    case "wave-gate":
      return `test what wave ${action.wave} commits, from a clean checkout`;
    case "ask":
      return `ask the user: ${action.question} of ${sanitizeText(action.subject, 80)}`;
    case "commit":
      return `commit ${action.features.join(", ")}`;
  }
}

const MAX_ACTION_DETAIL = 2_000;

export function summarizeAction(lead: Lead, action: LeadAction): ActionSummary {
  const kind = action.kind === "wave-gate" ? "gate" : action.kind;
  const known = { id: action.id, kind, about: describeAction(action) };
  switch (action.kind) {
    case "spawn": {
      const { role, work } = action;
      const views = work.of === "review" && work.views ? { views: [...work.views] } : {};
      return { ...known, role, ...views, estimate: estimateActionCost(action) };
    }
    case "gate":
    case "wave-gate":
      return known;
    case "ask": {
      const detail = sanitizeText(action.detail, MAX_ACTION_DETAIL);
      return { ...known, question: action.question, choices: [...action.choices], detail };
    }
    case "commit": {
      const removed = listRemovedPaths(lead, action.features);
      const code = listCommitPaths(lead, action.features).filter(
        (path) => !path.startsWith("sdd/") && !removed.includes(path),
      );
      // All documents under `sdd/`, because waves, steering and decisions belong to the commit too.
      return { ...known, message: sanitizeText(action.message, MAX_ACTION_DETAIL), paths: ["sdd/", ...code] };
    }
  }
}

export const REPORT_PLACEHOLDERS: Readonly<Record<LeadAction["kind"], Readonly<Record<string, string>>>> = {
  spawn: { report: "…" },
  ask: { answer: "…", said: "…" },
  gate: {},
  "wave-gate": {},
  commit: {},
};

export function listCommitPaths(lead: Lead, names: readonly string[]): string[] {
  const files = selectFeatureRecords(lead, names).flatMap((record) => [
    `${getFeatureFolder(record.feature_name)}/`,
    // Unfinished code is not in the commit of a design's review.
    ...(record.implementation.groups.every(({ status }) => status === "done") ? listImplementationFiles([record]) : []),
  ]);
  return [...new Set([...files, ...listRemovedPaths(lead, names)])];
}

/** Files removed since the last commit. Git may never have tracked them. */
export const listRemovedPaths = (lead: Lead, names: readonly string[]): string[] =>
  selectFeatureRecords(lead, names).flatMap(({ implementation }) => implementation.files_removed ?? []);

const selectFeatureRecords = ({ features }: Lead, names: readonly string[]): FeatureRecord[] =>
  [...features.values()].filter(({ feature_name }) => names.includes(feature_name));

/** True if no feature is given. */
export function isActionOf(action: LeadAction, feature: string | undefined): boolean {
  if (feature === undefined) return true;
  if (action.kind === "gate") return action.feature === feature;
  if (action.kind === "wave-gate") return false;
  if (action.kind === "ask") return action.subject === feature;
  if (action.kind === "commit") return action.features.some((name) => name === feature);
  if (action.work.of !== "review") return action.work.feature === feature;
  return action.work.scope.of === "feature" && action.work.scope.feature === feature;
}

const MAX_PENDING_SHOWN = 10;

export function summarizePendingWork(lead: Lead, decision: LeadDecision = decideNextActions(lead)) {
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
  more > 0 ? [`${formatCount(more, "more action")} ${more === 1 ? "is" : "are"} ready.`] : [];

/** Writes each brief into its file. The agent reads it there or asks `sdd_brief`, so that the Lead never copies it. */
export async function writeActionBriefs(engine: RoadmapEngine, lead: Lead, given: readonly ActionAssignment[]) {
  const briefs = new Map<string, WorkspacePath>();
  const steps: StoreStep[] = [];
  for (const { action } of given) {
    if (action.kind !== "spawn") continue;
    const { text } = await composeActionBrief(engine, lead, action);
    const path = getBriefPath(action.id);
    briefs.set(action.id, path);
    steps.push({ kind: "document", path, text });
  }
  if (steps.length > 0)
    await engine.store.write((tree) => ({
      steps: steps.filter((step) => step.kind !== "document" || tree.text(step.path) !== step.text),
      occurrences: [{ kind: "roadmap.briefed", subject: given[0]?.session ?? "", data: { briefs: steps.length } }],
      result: undefined,
    }));
  return briefs;
}

import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { getSteeringFilePath } from "#kernel/model/workspace-paths.ts";
import { getViewName } from "../../model/agent/agent-roles.ts";
import type { LeadEffect } from "../../model/lead/lead-state.ts";
import { formatScopeHead, getReviewBatchPath } from "../../model/lead/lead-view.ts";
import type { StoredReview } from "../../model/review/review-finding.ts";

/** A verdict without a perspective says so. */
function formatUnseenViews({ kind, inspectors, missing }: StoredReview): string[] {
  const seen = new Set(inspectors.filter((name) => !missing.includes(name)).map(getViewName));
  const unseen = [...new Set(missing.map(getViewName))].filter((view) => !seen.has(view));
  if (unseen.length === 0) return [];
  return [`Nobody inspected from the view ${unseen.join(" and ")}. To review again, type \`tenon review ${kind}\`.`];
}

export function formatEffectNote(effect: LeadEffect): string[] {
  switch (effect.kind) {
    case "batch": {
      const { kind, scope, batch, verdict, computed, disposition, counts } = effect.batch;
      const found = `${counts.C} critical, ${counts.H} high, ${counts.M} medium, ${counts.L} low`;
      const argued = verdict === computed ? "" : ` (the findings make it ${computed})`;
      const head = `The ${kind} review of ${formatScopeHead(scope)} says ${verdict}${argued}`;
      return [
        `${head}: ${found}. ${disposition}, ${getReviewBatchPath(scope, batch)}.`,
        ...formatUnseenViews(effect.batch),
      ];
    }
    case "decision":
      return [`Recorded as ${effect.type}: ${sanitizeText(effect.summary, 300)}`];
    case "steering":
      return [`${getSteeringFilePath(effect.file)} is updated: ${sanitizeText(effect.text, 300)}`];
    case "proposal-answered":
      return [];
    case "tasks-done":
      return [`Done: ${effect.feature} ${effect.tasks.join(", ")}.`];
    case "tags":
      return effect.tags.length === 0
        ? []
        : [`Kept until the wave ends: ${formatCount(effect.tags.length, "lesson")}.`];
    case "dismissed":
      return [`Stop the agent of ${effect.action}: its report is no longer needed.`];
    case "wave-finished":
      return [`Wave ${effect.wave} is finished.`];
  }
}

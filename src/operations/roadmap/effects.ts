import { sanitizeText } from "#domain/quote.ts";
import type { LeadEventResult, LeadEffect } from "#domain/roadmap/lead/event.ts";
import { getReviewBatchPath, formatScopeHead } from "#domain/roadmap/lead/ids.ts";
import { getSteeringFilePath } from "#domain/workspace/path.ts";

/** One line per effect for the reporter. Leaves out the end of the reported action itself. */
export const formatEffectNotes = (applied: LeadEventResult, action: string): string[] => {
  if (applied.kind === "repeated") return [];
  return applied.effects
    .filter((effect) => effect.kind !== "dismissed" || effect.action !== action)
    .flatMap(formatEffectNote);
};

function formatEffectNote(effect: LeadEffect): string[] {
  switch (effect.kind) {
    case "batch": {
      const { kind, scope, batch, verdict, computed, disposition, counts } = effect.batch;
      const found = `${counts.C} critical, ${counts.H} high, ${counts.M} medium, ${counts.L} low`;
      const argued = verdict === computed ? "" : ` (the findings make it ${computed})`;
      const where = getReviewBatchPath(scope, batch);
      return [
        `The ${kind} review of ${formatScopeHead(scope)} says ${verdict}${argued}: ${found}. ${disposition}, ${where}.`,
      ];
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

import {
  formatCriterionDraft,
  formatRequirementDelta,
  type DriftEvidence,
  formatSummaryDraft,
} from "#domain/trace/wording.ts";
import type { TracedRequirement } from "./requirements.ts";

export function draftRequirementText(
  requirement: TracedRequirement | undefined,
  evidence: readonly DriftEvidence[],
): string | undefined {
  if (requirement?.path === undefined) return undefined;
  const { id, path, text, form } = requirement;
  if (form.kind === "item") return formatRequirementDelta(id, text, evidence);
  if (form.kind === "criterion") return formatCriterionDraft(path, { id: form.criterion, said: form.said }, evidence);
  return form.kind === "spec" ? formatSummaryDraft(path, form.key, text, evidence) : undefined;
}

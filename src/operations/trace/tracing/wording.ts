import { criterionFor, deltaFor, type Evidence, summaryFor } from "#domain/trace/wording.ts";
import type { Requirement } from "./requirements.ts";

export function wordingFor(requirement: Requirement | undefined, evidence: readonly Evidence[]): string | undefined {
  if (requirement?.path === undefined) return undefined;
  const { id, path, text, form } = requirement;
  if (form.kind === "item") return deltaFor(id, text, evidence);
  if (form.kind === "criterion") return criterionFor(path, { id: form.criterion, said: form.said }, evidence);
  return form.kind === "spec" ? summaryFor(path, form.key, text, evidence) : undefined;
}

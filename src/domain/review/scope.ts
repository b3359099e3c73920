import { quote } from "../quote.ts";
import type { ReviewScope } from "../roadmap/lead/state.ts";

export const formatReviewScope = (scope: ReviewScope): string =>
  scope.of === "feature" ? scope.feature : scope.of === "wave" ? `wave-1..${scope.wave}` : "cross-check";

/** Why a report has the wrong scope. A report without a scope is accepted. */
export function findScopeMismatch(scope: ReviewScope, said: string): string | undefined {
  const told = said.trim().toLowerCase();
  if (told === "" || told === formatReviewScope(scope) || listScopeAliases(scope).includes(told)) return undefined;
  const name = formatReviewScope(scope);
  return `The report is of ${quote(said, 60)}, and ${name} was asked about. Look at that, and report it with SCOPE:${name}.`;
}

function listScopeAliases(scope: ReviewScope): readonly string[] {
  if (scope.of === "wave") return [`wave-${scope.wave}`, "wave-scoped-cross-check"];
  return scope.of === "all" ? ["all"] : [];
}

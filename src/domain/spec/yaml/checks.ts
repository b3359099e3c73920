import { checkFixCriteria, checkRegressionPlan, checkBugReproduction, checkRootCause } from "./bug-checks.ts";
import type { BugSpec } from "./bug.ts";
import { checkSchemaConformance, type SpecProblem } from "./conform.ts";
import {
  checkApiContracts,
  checkFeatureCriteria,
  checkSpecDependencies,
  checkTestScenarios,
  checkSuccessCriteria,
} from "./feature-checks.ts";
import type { FeatureSpec } from "./feature.ts";
import { checkUnfinishedMarkers } from "./markers.ts";
import { SPEC_SCHEMAS, type AnySpec, type SpecDocument } from "./read.ts";
import { checkDecisionMatrix, checkResearchOptions, checkRecommendation } from "./research-checks.ts";
import type { ResearchSpec } from "./research.ts";
import type { SpecDepth } from "./shape.ts";

export function checkSpecDocument(
  document: SpecDocument,
  depth: SpecDepth,
  knownIds: ReadonlySet<string>,
): SpecProblem[] {
  if (depth === "draft") return [];
  const { spec, tree } = document;
  const missing = checkSchemaConformance(tree, SPEC_SCHEMAS[spec.type], depth).problems;
  // A missing field is reported once, not again by the checks of its parts.
  const told = missing.map((problem) => problem.field);
  const rest = [...checkUnfinishedMarkers(tree), ...checkSpecKind(document, knownIds)].filter(
    ({ field }) => !told.some((gone) => field === gone || field.startsWith(`${gone}.`)),
  );
  return [...missing, ...rest].toSorted((a, b) => a.line - b.line);
}

function checkSpecKind(document: SpecDocument, knownIds: ReadonlySet<string>): SpecProblem[] {
  if (isSpecOfKind("feature", document)) {
    return [
      ...checkFeatureCriteria(document),
      ...checkSuccessCriteria(document),
      ...checkApiContracts(document),
      ...checkTestScenarios(document),
      ...checkSpecDependencies(document, knownIds),
    ];
  }
  if (isSpecOfKind("bug", document)) {
    return [
      ...checkBugReproduction(document),
      ...checkRootCause(document),
      ...checkFixCriteria(document),
      ...checkRegressionPlan(document),
    ];
  }
  if (!isSpecOfKind("research", document)) return [];
  return [...checkResearchOptions(document), ...checkDecisionMatrix(document), ...checkRecommendation(document)];
}

interface SpecsByKind {
  readonly feature: FeatureSpec;
  readonly bug: BugSpec;
  readonly research: ResearchSpec;
}

export function isSpecOfKind<Kind extends AnySpec["type"]>(
  kind: Kind,
  document: SpecDocument,
): document is SpecDocument<SpecsByKind[Kind]> {
  return document.spec.type === kind;
}

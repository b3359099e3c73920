import { fixProblems, regressionProblems, reproductionProblems, rootCauseProblems } from "./bug-checks.ts";
import type { Bug } from "./bug.ts";
import { conform, type SpecProblem } from "./conform.ts";
import {
  contractProblems,
  criteriaProblems,
  dependencyProblems,
  scenarioProblems,
  successProblems,
} from "./feature-checks.ts";
import type { Feature } from "./feature.ts";
import { markerProblems } from "./markers.ts";
import { SCHEMAS, type Spec, type SpecDocument } from "./read.ts";
import { matrixProblems, optionsProblems, recommendationProblems } from "./research-checks.ts";
import type { Research } from "./research.ts";
import type { Depth } from "./shape.ts";

export function specProblems(document: SpecDocument, depth: Depth, knownIds: ReadonlySet<string>): SpecProblem[] {
  if (depth === "draft") return [];
  const { spec, tree } = document;
  const missing = conform(tree, SCHEMAS[spec.type], depth).problems;
  // A missing field is reported once, not again by the checks of its parts.
  const told = missing.map((problem) => problem.field);
  const rest = [...markerProblems(tree), ...ownProblems(document, knownIds)].filter(
    ({ field }) => !told.some((gone) => field === gone || field.startsWith(`${gone}.`)),
  );
  return [...missing, ...rest].toSorted((a, b) => a.line - b.line);
}

function ownProblems(document: SpecDocument, knownIds: ReadonlySet<string>): SpecProblem[] {
  if (isOf("feature", document)) {
    return [
      ...criteriaProblems(document),
      ...successProblems(document),
      ...contractProblems(document),
      ...scenarioProblems(document),
      ...dependencyProblems(document, knownIds),
    ];
  }
  if (isOf("bug", document)) {
    return [
      ...reproductionProblems(document),
      ...rootCauseProblems(document),
      ...fixProblems(document),
      ...regressionProblems(document),
    ];
  }
  if (!isOf("research", document)) return [];
  return [...optionsProblems(document), ...matrixProblems(document), ...recommendationProblems(document)];
}

interface Kinds {
  readonly feature: Feature;
  readonly bug: Bug;
  readonly research: Research;
}

export function isOf<Kind extends Spec["type"]>(
  kind: Kind,
  document: SpecDocument,
): document is SpecDocument<Kinds[Kind]> {
  return document.spec.type === kind;
}

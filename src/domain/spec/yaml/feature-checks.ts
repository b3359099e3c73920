import { isWorkflowId } from "../../workflow/id.ts";
import { quote } from "../../quote.ts";
import type { SpecProblem } from "./conform.ts";
import type { FeatureSpec } from "./feature.ts";
import { createSpecProblem, type SpecDocument } from "./read.ts";
import { isMeasurableText, isMeasurableTarget, explainUntestable } from "./testable.ts";

type FeatureDocument = SpecDocument<FeatureSpec>;

export function checkFeatureCriteria({ spec, tree }: FeatureDocument): SpecProblem[] {
  const criteria = spec.acceptance_criteria;
  if (criteria.length === 0)
    return [createSpecProblem(tree, ["acceptance_criteria"], "There is no acceptance criterion.")];
  return criteria.flatMap((criterion, i) => [
    ...explainUntestable(criterion).map((why) =>
      createSpecProblem(tree, ["acceptance_criteria", i], `${criterion.id} ${why}.`),
    ),
    ...(criterion.testable === "false"
      ? [createSpecProblem(tree, ["acceptance_criteria", i, "testable"], `${criterion.id} is marked as not testable.`)]
      : []),
  ]);
}

export function checkSuccessCriteria({ spec, tree }: FeatureDocument): SpecProblem[] {
  if (spec.success_criteria.length === 0) {
    return [createSpecProblem(tree, ["success_criteria"], "There is no success criterion.")];
  }
  return spec.success_criteria.flatMap((criterion, i) => {
    const isSaid =
      typeof criterion === "string" ? isMeasurableText(criterion) : isMeasurableTarget(criterion.target ?? "");
    const text = typeof criterion === "string" ? criterion : (criterion.target ?? "");
    if (isSaid) return [];
    const problem = `${quote(text, 60)} cannot be measured: say a number and its unit, such as 95 % or 200 ms.`;
    return [createSpecProblem(tree, ["success_criteria", i], problem)];
  });
}

export function checkApiContracts({ spec, tree }: FeatureDocument): SpecProblem[] {
  const contracts = spec.api_contracts;
  if (contracts !== undefined && !Array.isArray(contracts)) {
    const { none = "" } = contracts as { readonly none?: string };
    if (none.trim().split(/\s+/).length >= 3) return [];
    return [
      createSpecProblem(
        tree,
        ["api_contracts"],
        "There are no contracts, and no reason why: write none: and the reason.",
      ),
    ];
  }
  if (contracts !== undefined && contracts.length > 0) return [];
  const problem = "No contract is listed; where there is none, write api_contracts: {none: the reason}.";
  return [createSpecProblem(tree, ["api_contracts"], problem)];
}

export function checkTestScenarios({ spec, tree }: FeatureDocument): SpecProblem[] {
  const covered = new Set(spec.test_scenarios.flatMap((scenario) => scenario.covers));
  return [
    ...spec.acceptance_criteria.flatMap(({ id }, i) =>
      covered.has(id) ? [] : [createSpecProblem(tree, ["acceptance_criteria", i], `No test scenario covers ${id}.`)],
    ),
    ...spec.test_scenarios.flatMap(({ id, covers }, i) =>
      covers.length > 0 ? [] : [createSpecProblem(tree, ["test_scenarios", i], `${id} covers no criterion.`)],
    ),
  ];
}

/** A dependency in id form must name another existing spec. */
export function checkSpecDependencies({ spec, tree }: FeatureDocument, knownIds: ReadonlySet<string>): SpecProblem[] {
  return spec.dependencies.flatMap((dependency, i) => {
    if (!isWorkflowId(dependency)) return [];
    const place = ["dependencies", i];
    if (dependency === spec.id) return [createSpecProblem(tree, place, `${dependency} depends on itself.`)];
    return knownIds.has(dependency) ? [] : [createSpecProblem(tree, place, `There is no spec ${dependency}.`)];
  });
}

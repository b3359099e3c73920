import { isWorkflowId } from "../../workflow/id.ts";
import { quote } from "../../quote.ts";
import type { SpecProblem } from "./conform.ts";
import type { Feature } from "./feature.ts";
import { problemAt, type SpecDocument } from "./read.ts";
import { isMeasurable, isTarget, whyNotTestable } from "./testable.ts";

type Document = SpecDocument<Feature>;

export function criteriaProblems({ spec, tree }: Document): SpecProblem[] {
  const criteria = spec.acceptance_criteria;
  if (criteria.length === 0) return [problemAt(tree, ["acceptance_criteria"], "There is no acceptance criterion.")];
  return criteria.flatMap((criterion, i) => [
    ...whyNotTestable(criterion).map((why) => problemAt(tree, ["acceptance_criteria", i], `${criterion.id} ${why}.`)),
    ...(criterion.testable === "false"
      ? [problemAt(tree, ["acceptance_criteria", i, "testable"], `${criterion.id} is marked as not testable.`)]
      : []),
  ]);
}

export function successProblems({ spec, tree }: Document): SpecProblem[] {
  if (spec.success_criteria.length === 0) {
    return [problemAt(tree, ["success_criteria"], "There is no success criterion.")];
  }
  return spec.success_criteria.flatMap((criterion, i) => {
    const isSaid = typeof criterion === "string" ? isMeasurable(criterion) : isTarget(criterion.target ?? "");
    const text = typeof criterion === "string" ? criterion : (criterion.target ?? "");
    if (isSaid) return [];
    const problem = `${quote(text, 60)} cannot be measured: say a number and its unit, such as 95 % or 200 ms.`;
    return [problemAt(tree, ["success_criteria", i], problem)];
  });
}

export function contractProblems({ spec, tree }: Document): SpecProblem[] {
  const contracts = spec.api_contracts;
  if (contracts !== undefined && !Array.isArray(contracts)) {
    const { none = "" } = contracts as { readonly none?: string };
    if (none.trim().split(/\s+/).length >= 3) return [];
    return [
      problemAt(tree, ["api_contracts"], "There are no contracts, and no reason why: write none: and the reason."),
    ];
  }
  if (contracts !== undefined && contracts.length > 0) return [];
  const problem = "No contract is listed; where there is none, write api_contracts: {none: the reason}.";
  return [problemAt(tree, ["api_contracts"], problem)];
}

export function scenarioProblems({ spec, tree }: Document): SpecProblem[] {
  const covered = new Set(spec.test_scenarios.flatMap((scenario) => scenario.covers));
  return [
    ...spec.acceptance_criteria.flatMap(({ id }, i) =>
      covered.has(id) ? [] : [problemAt(tree, ["acceptance_criteria", i], `No test scenario covers ${id}.`)],
    ),
    ...spec.test_scenarios.flatMap(({ id, covers }, i) =>
      covers.length > 0 ? [] : [problemAt(tree, ["test_scenarios", i], `${id} covers no criterion.`)],
    ),
  ];
}

/** A dependency in id form must name another existing spec. */
export function dependencyProblems({ spec, tree }: Document, knownIds: ReadonlySet<string>): SpecProblem[] {
  return spec.dependencies.flatMap((dependency, i) => {
    if (!isWorkflowId(dependency)) return [];
    const place = ["dependencies", i];
    if (dependency === spec.id) return [problemAt(tree, place, `${dependency} depends on itself.`)];
    return knownIds.has(dependency) ? [] : [problemAt(tree, place, `There is no spec ${dependency}.`)];
  });
}

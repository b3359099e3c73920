import { formatCount } from "../../count.ts";
import { quote } from "../../quote.ts";
import type { BugSpec } from "./bug.ts";
import type { SpecProblem } from "./conform.ts";
import { createSpecProblem, type SpecDocument } from "./read.ts";
import { parseGivenWhenThen } from "./sentence.ts";
import { explainUntestable } from "./testable.ts";

type BugDocument = SpecDocument<BugSpec>;

const MIN_REPRODUCTION_STEPS = 3;
const MIN_FIX_CRITERIA = 2;
const TEST_NAME_PATTERN = /\btests?\b|\btest[_-]\w|\w[_-]test\b|\.(?:test|spec)\.|\bTest[A-Z]|\bspecs?\b/i;

export function checkBugReproduction({ spec, tree }: BugDocument): SpecProblem[] {
  const steps = spec.symptom.reproduction.length;
  if (steps >= MIN_REPRODUCTION_STEPS) return [];
  const problem = `${steps === 0 ? "No step is given" : `Only ${formatCount(steps, "step")}`}: a reproduction takes at least ${MIN_REPRODUCTION_STEPS}.`;
  return [createSpecProblem(tree, ["symptom", "reproduction"], problem)];
}

export function checkRootCause({ spec, tree }: BugDocument): SpecProblem[] {
  const { root_cause = "", affected_components } = spec.investigation;
  return [
    ...(root_cause.trim().split(/\s+/).length >= 3
      ? []
      : [
          createSpecProblem(
            tree,
            ["investigation", "root_cause"],
            "The root cause is not explained: say what fails, where and why.",
          ),
        ]),
    ...(affected_components.length > 0
      ? []
      : [createSpecProblem(tree, ["investigation", "affected_components"], "No affected component is named.")]),
  ];
}

export function checkFixCriteria({ spec, tree }: BugDocument): SpecProblem[] {
  const place = ["fix_approach", "acceptance_criteria"];
  const criteria = spec.fix_approach.acceptance_criteria;
  return [
    ...(criteria.length >= MIN_FIX_CRITERIA
      ? []
      : [
          createSpecProblem(
            tree,
            place,
            `There must be at least ${MIN_FIX_CRITERIA} acceptance criteria, not ${criteria.length}.`,
          ),
        ]),
    ...criteria.flatMap((criterion, i) =>
      explainUntestable(parseGivenWhenThen(criterion)).map((why) =>
        createSpecProblem(tree, [...place, i], `${quote(criterion, 60)} ${why}.`),
      ),
    ),
  ];
}

export function checkRegressionPlan({ spec, tree }: BugDocument): SpecProblem[] {
  if (spec.regression_prevention.some((entry) => TEST_NAME_PATTERN.test(entry))) return [];
  const problem =
    'No entry names a test: say "test" and its name, such as "Add test: test_expired_token_returns_401()".';
  return [createSpecProblem(tree, ["regression_prevention"], problem)];
}

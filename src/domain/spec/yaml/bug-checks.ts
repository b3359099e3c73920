import { formatCount } from "../../count.ts";
import { quote } from "../../quote.ts";
import type { Bug } from "./bug.ts";
import type { SpecProblem } from "./conform.ts";
import { problemAt, type SpecDocument } from "./read.ts";
import { givenWhenThen } from "./sentence.ts";
import { whyNotTestable } from "./testable.ts";

type Document = SpecDocument<Bug>;

const STEPS = 3;
const CRITERIA = 2;
const NAMES_A_TEST = /\btests?\b|\btest[_-]\w|\w[_-]test\b|\.(?:test|spec)\.|\bTest[A-Z]|\bspecs?\b/i;

export function reproductionProblems({ spec, tree }: Document): SpecProblem[] {
  const steps = spec.symptom.reproduction.length;
  if (steps >= STEPS) return [];
  const problem = `${steps === 0 ? "No step is given" : `Only ${formatCount(steps, "step")}`}: a reproduction takes at least ${STEPS}.`;
  return [problemAt(tree, ["symptom", "reproduction"], problem)];
}

export function rootCauseProblems({ spec, tree }: Document): SpecProblem[] {
  const { root_cause = "", affected_components } = spec.investigation;
  return [
    ...(root_cause.trim().split(/\s+/).length >= 3
      ? []
      : [
          problemAt(
            tree,
            ["investigation", "root_cause"],
            "The root cause is not explained: say what fails, where and why.",
          ),
        ]),
    ...(affected_components.length > 0
      ? []
      : [problemAt(tree, ["investigation", "affected_components"], "No affected component is named.")]),
  ];
}

export function fixProblems({ spec, tree }: Document): SpecProblem[] {
  const place = ["fix_approach", "acceptance_criteria"];
  const criteria = spec.fix_approach.acceptance_criteria;
  return [
    ...(criteria.length >= CRITERIA
      ? []
      : [problemAt(tree, place, `There must be at least ${CRITERIA} acceptance criteria, not ${criteria.length}.`)]),
    ...criteria.flatMap((criterion, i) =>
      whyNotTestable(givenWhenThen(criterion)).map((why) =>
        problemAt(tree, [...place, i], `${quote(criterion, 60)} ${why}.`),
      ),
    ),
  ];
}

export function regressionProblems({ spec, tree }: Document): SpecProblem[] {
  if (spec.regression_prevention.some((entry) => NAMES_A_TEST.test(entry))) return [];
  const problem =
    'No entry names a test: say "test" and its name, such as "Add test: test_expired_token_returns_401()".';
  return [problemAt(tree, ["regression_prevention"], problem)];
}

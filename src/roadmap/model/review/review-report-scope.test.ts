import { expect, test } from "vitest";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { ReviewScope } from "../lead/lead-state.ts";
import { formatReviewScope, findScopeMismatch } from "./review-report.ts";

const login: ReviewScope = { of: "feature", feature: "user-login" as FeatureName };
const second: ReviewScope = { of: "wave", wave: 2 };
const all: ReviewScope = { of: "all" };

test.each<[string, ReviewScope, readonly string[]]>([
  ["user-login", login, ["user-login", " User-Login ", ""]],
  ["wave-1..2", second, ["wave-1..2", "wave-2", "wave-scoped-cross-check", ""]],
  ["cross-check", all, ["cross-check", "all", ""]],
])("accepts the names of the scope %s", (name, scope, told) => {
  expect(formatReviewScope(scope)).toBe(name);
  expect(told.map((said) => findScopeMismatch(scope, said))).toEqual(told.map(() => undefined));
});

test.each<[ReviewScope, string]>([
  [login, "user-logout"],
  [login, "cross-check"],
  [second, "wave-1..1"],
  [second, "cross-check"],
  [all, "user-login"],
])("rejects for %j the scope %s", (scope, said) => {
  const name = formatReviewScope(scope);
  expect(findScopeMismatch(scope, said)).toBe(
    `The report is of "${said}", and ${name} was requested. Inspect that, and report it with SCOPE:${name}.`,
  );
});

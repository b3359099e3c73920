import { expect, test } from "vitest";
import { suggestUnknownCheckSteps, formatOpenChecks } from "./gate-result.ts";
import { TRUST_NEEDED } from "./load-trusted-checks.ts";

const unknown = (check: string, reason: string) => ({ check, status: "unknown" as const, problems: [], reason });
const WRONG = { check: "tags", status: "failed" as const, problems: [{ problem: "None.", line: 3 }] };
const UNTRUSTED = `Nobody has looked. ${TRUST_NEEDED}`;

test("prints what several checks share once, and every problem by itself", () => {
  const open = [unknown("tests", UNTRUSTED), WRONG, unknown("lint", "No linter."), unknown("types", UNTRUSTED)];
  expect(formatOpenChecks(open)).toEqual([
    `tests, types: unknown. ${UNTRUSTED}`,
    "tags: line 3: None.",
    "lint: unknown. No linter.",
  ]);
});

test.each([
  ["nothing is unknown", [WRONG], []],
  [
    "nobody trusted the commands",
    [unknown("tests", UNTRUSTED), unknown("docs", "Empty.")],
    ["Ask the user to type: tenon trust"],
  ],
  [
    "a tool is missing",
    [WRONG, unknown("lint", "No linter.")],
    ["1 check could not run. To waive: gates: { waived: { lint: <reason> } } in sdd/config.yaml, then tenon trust"],
  ],
])("gives advice where %s", (_, open, expected) => {
  expect(suggestUnknownCheckSteps(open)).toEqual(expected);
});

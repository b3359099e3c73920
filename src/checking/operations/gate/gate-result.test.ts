import { expect, test } from "vitest";
import { formatOpenChecks, listFailureExcerpts, suggestUnknownCheckSteps } from "./gate-result.ts";
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

test("prints a problem that two checks found once", () => {
  const [one, other] = [
    { problem: "a is blank.", line: 3 },
    { problem: "b is blank.", line: 4 },
  ];
  const failed = (check: string, ...problems: { problem: string; line: number }[]) => ({
    check,
    status: "failed" as const,
    problems,
  });
  expect(formatOpenChecks([failed("summary", one), failed("reproduction", one, other)])).toEqual([
    "summary: line 3: a is blank.",
    "reproduction: line 4: b is blank.",
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

test("keeps the first problem of each failed check, shortened and without control characters", () => {
  const long = { check: "tests", status: "failed" as const, problems: [{ problem: `\u001b[31m${"x".repeat(400)}` }] };
  const [tags, tests, ...more] = listFailureExcerpts([WRONG, unknown("lint", "No linter."), long]);
  expect([tags, more]).toEqual(["tags: None.", []]);
  expect(tests).toMatch(/^tests: [^\p{Cc}x]*x{270,}…$/u);
});

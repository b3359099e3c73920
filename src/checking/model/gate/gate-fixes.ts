import type { SuggestedFix } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { findStageGate, type WorkflowKind } from "#planning/model/workflow/workflow-record.ts";

const RED_TEST_FIX =
  "Let each new test fail on an assertion or on code that you add. To keep a test of existing behaviour, add a comment to it: tenon-allow: <reason>";

/** How to fix a check where its problems alone do not show it. */
const CHECK_FIXES: Readonly<Record<string, string>> = {
  shortcuts: "Finish or remove the shortcut. To keep it, add a comment on the line or above it: tenon-allow: <reason>",
  "tests-kept": "Restore the test, or run the gate again with the reason for removing it.",
  "tests-seen-to-fail": RED_TEST_FIX,
  "regression-seen-to-fail": "Write a test that fails on an assertion without your fix.",
  "test-detection":
    "Let the product do the same with and without tests, and let tests check results. For an exception, add a comment on the line or above it: tenon-allow: <reason>",
  coverage: "Test the lines that no test runs.",
};

const TAG_STEP = "Name the bug in a comment in it: @spec and the id.";

interface OpenCheck {
  readonly check: string;
  readonly status: string;
  readonly problems: readonly { readonly problem: string }[];
}

interface GateOwner {
  readonly kind: WorkflowKind;
  readonly stage: string;
  readonly spec: string;
}

/** Edits first, then calls. A lost test needs a reason in the first call. A change has no spec to correct. */
export function suggestGateFixes(
  open: readonly OpenCheck[],
  owner: GateOwner | undefined,
  calls: readonly SuggestedFix[],
): SuggestedFix[] {
  const documents: readonly string[] = owner ? findStageGate(owner.kind, owner.stage).documents : [];
  const failed = open.filter(({ status, check }) => status === "failed" && !isApprovalCheck({ check }));
  const isSpec = failed.some(({ check }) => documents.includes(check));
  const findFix = ({ check, problems }: OpenCheck): string | undefined =>
    problems.every(isTestFailure) ? undefined : CHECK_FIXES[check];
  const isCode = failed.some((each) => findFix(each) === undefined && !documents.includes(each.check));
  const removed = failed.flatMap(({ check, problems }) => (check === "tests-kept" ? problems : []));
  const names = removed.flatMap(({ problem }) => LOST_TEST.exec(problem)?.[1] ?? []);
  const tests_removed = [...new Set(names)].slice(0, MOST_NAMED_TESTS).map((test) => ({ test, reason: "…" }));
  return [
    ...(isSpec && owner ? [`Edit ${owner.spec}.`] : []),
    ...(isCode ? ["Fix the problems above."] : []),
    ...failed.flatMap((each) => findFix(each) ?? []),
    ...(owner && failed.some(({ check }) => check === "regression-seen-to-fail") ? [TAG_STEP] : []),
    ...calls.map((call, at) =>
      at > 0 || typeof call === "string" || tests_removed.length === 0
        ? call
        : { ...call, input: { ...call.input, tests_removed } },
    ),
  ];
}

/** The test itself is right, and the code has to change. */
const isTestFailure = ({ problem }: { readonly problem: string }): boolean =>
  problem.endsWith("does not pass with the work either.");

/** The end of the stage asks the user; another run of the gate does not. */
export const isApprovalCheck = ({ check }: Pick<OpenCheck, "check">): boolean =>
  check === "approval" || check === "spec-unchanged";
const MOST_NAMED_TESTS = 5;

const LOST_TEST_REASONS = {
  removed: "is gone",
  skipped: "is now skipped",
  only: "stops the other tests from running",
  "expected-to-fail": "is now expected to fail",
  unrun: "no longer runs",
  weakened: "no longer checks what it did: as it was, it fails with this change",
  emptied: "has no assertion any more",
} as const;

export const describeLostTest = (path: string, name: string, how: keyof typeof LOST_TEST_REASONS): string =>
  `${path}: ${sanitizeText(name, 200)} ${LOST_TEST_REASONS[how]}.`;

/** Reads the name from `describeLostTest`. No reason excuses a test that stops the others. */
const { only: _, ...EXCUSABLE_REASONS } = LOST_TEST_REASONS;
const LOST_TEST = new RegExp(`^[^:]+: (.+) (?:${Object.values(EXCUSABLE_REASONS).join("|")})\\.$`);

/** New tests exist or not; an unfinished run gives a reason of its own. */
export const suggestEvidenceFixes = (tests: number, problems: readonly unknown[]): SuggestedFix[] =>
  tests === 0
    ? ["Write a test of the new behaviour, with @spec and the id in a comment."]
    : [problems.length > 0 ? RED_TEST_FIX : "Let a new test fail without the new code."];

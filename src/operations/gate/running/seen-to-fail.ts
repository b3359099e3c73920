import { findTargetTests } from "#domain/bite/traced.ts";
import type { NewTestCase, FailedNewTest } from "#domain/gate/evidence.ts";
import type { CheckReceipt } from "#domain/gate/receipt.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { sanitizeText } from "#domain/quote.ts";
import { findTestCheck } from "#domain/stack/check.ts";
import type { GateCheckResult, WorkflowRecord } from "#domain/workflow/record.ts";
import type { CommandCheck } from "#domain/workspace/config.ts";
import type { Engine } from "../../engine.ts";
import type { ChangedFile } from "./changed.ts";
import { loadRecordedFailures } from "./recorded.ts";
import type { CheckRuling } from "./rules.ts";
import { type NewTestText, findNewTests, type BaseRunResult, runNewTestsOnBase } from "./seeing.ts";
import { hasPassedTest, type FinishedCheck } from "./trying.ts";

interface FailFirstRequest {
  readonly check: CommandCheck;
  readonly record: WorkflowRecord;
  readonly ruling: CheckRuling;
  readonly files: readonly ChangedFile[];
  readonly tried: readonly FinishedCheck[];
}

export interface NewTestEvidence {
  readonly cases: readonly NewTestText[];
  readonly red: readonly FailedNewTest[];
}

interface FailFirstAnswer {
  readonly result: GateCheckResult;
  readonly receipts?: readonly CheckReceipt[];
  readonly seen?: NewTestEvidence;
}

/** New tests must fail without the work and pass with it. For a bugfix one such test that names the bug is enough. */
export async function checkNewTestsFail(
  engine: Engine,
  { check, record, ruling, files, tried }: FailFirstRequest,
): Promise<FailFirstAnswer> {
  const { rules, refused = "" } = ruling;
  const base = record.base_commit;
  const unknown = (reason: string): FailFirstAnswer => ({ result: { check, status: "unknown", problems: [], reason } });
  if (!rules || base === undefined) return unknown(rules ? "There is no commit that the work began at." : refused);
  const isBug = record.kind === "bugfix";
  const all = findNewTests(files);
  const isTold = rules.definitions.stacks.some((stack) => findTestCheck(stack) !== undefined);
  if (all.length === 0 && !isTold) return unknown("No tests here leave a report, so none can be seen to fail.");
  const cases = isBug ? all.filter((each) => isTestTagged(files, each, record.id)) : all;
  const known = await loadRecordedFailures(engine, record.id, cases);
  const isSeen = (red: readonly FailedNewTest[], { file, name }: NewTestCase): boolean =>
    red.some((each) => each.file === file && each.name === name);
  const isEnough = isBug
    ? cases.some((each) => isSeen(known, each))
    : known.length > 0 && cases.every((each) => each.allowed !== undefined || isSeen(known, each));
  // Earlier evidence for the same text is still valid.
  const now = isEnough ? undefined : await runNewTestsOnBase(engine, { base, rules, files });
  if (now && now.unseen.length > 0) return unknown(now.unseen.join(" "));
  const red = [...known, ...(now?.red ?? [])];
  const problems = [
    ...(isBug
      ? findBugTestProblems(cases, red, isSeen, now, record.id)
      : findFeatureTestProblems(cases, red, isSeen, now)),
    ...findStillFailingTests(
      cases.filter((each) => isSeen(red, each)),
      tried,
    ),
  ];
  const status = problems.length === 0 ? "passed" : "failed";
  return {
    result: { check, status, problems },
    receipts: (now?.receipts ?? []).map((each) => ({ ...each, check, status, on: base })),
    ...(now ? { seen: { cases: all, red: now.red } } : {}),
  };
}

type FailedTestPredicate = (red: readonly FailedNewTest[], each: NewTestCase) => boolean;

function findBugTestProblems(
  cases: readonly NewTestCase[],
  red: readonly FailedNewTest[],
  isSeen: FailedTestPredicate,
  now: BaseRunResult | undefined,
  id: string,
): Problem[] {
  if (cases.length === 0)
    return [{ problem: `No new test names the bug: write one that shows it, with @spec ${id} in a comment.` }];
  if (cases.some((each) => isSeen(red, each))) return [];
  return now && now.problems.length > 0 ? [...now.problems] : cases.map(createUnseenProblem);
}

function findFeatureTestProblems(
  cases: readonly NewTestCase[],
  red: readonly FailedNewTest[],
  isSeen: FailedTestPredicate,
  now: BaseRunResult | undefined,
): Problem[] {
  if (cases.length === 0)
    return [{ problem: "No new test was found in the changed code: what is new has to be tested." }];
  const inline = (now?.inline ?? []).filter((each) => each.allowed === undefined && !isSeen(red, each));
  const problems = [...(now?.problems ?? []), ...inline.map(createUnseenProblem)];
  return problems.length > 0 || red.length > 0 ? problems : [{ problem: ALL_TESTS_ALLOWED }];
}

const ALL_TESTS_ALLOWED = "No new test fails without the work: each is allowed to pass, so none tests what is new.";

const createUnseenProblem = ({ file, name, line }: NewTestCase): Problem => ({
  problem: `${file}: ${sanitizeText(name, 200)} was never seen to fail: run sdd_evidence before the code is there.`,
  line,
});

/** The tag may be in the test, directly above it, or apply to the whole file. */
function isTestTagged(files: readonly ChangedFile[], { file, name }: NewTestCase, spec: string): boolean {
  const found = files.find(({ path }) => path === file);
  if (!found?.look) return false;
  const targets = findTargetTests(file, found.look, { spec }, found.isTest);
  return targets.some((target) => target.name === undefined || target.name === name);
}

function findStillFailingTests(
  cases: readonly Pick<FailedNewTest, "file" | "name">[],
  tried: readonly FinishedCheck[],
): Problem[] {
  if (tried.every(({ report }) => report === undefined)) return [];
  return cases
    .filter((each) => !hasPassedTest(tried, each))
    .map(({ file, name }) => ({ problem: `${file}: ${sanitizeText(name, 200)} does not pass with the work either.` }));
}

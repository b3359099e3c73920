import { isTestFile } from "#code/model/scan/test-files.ts";
import { formatShortList } from "#kernel/model/text-format.ts";
import type { ChangeRecord } from "#planning/model/change/change-record.ts";
import type { AttributedWork } from "#planning/operations/workflow/attributed-work.ts";
import type { GateCheckResult } from "#planning/model/workflow/workflow-record.ts";
import type { TestVerdict } from "#planning/operations/change/carried-requirements.ts";
import type { CheckingEngine } from "../engine.ts";
import { loadCheckRuling } from "../gate/load-trusted-checks.ts";
import { runExclusively } from "../gate/run-check.ts";
import { runTestsOnBase } from "../gate/run-tests-on-base.ts";
import { loadChangedCode } from "../gate/static-checks.ts";

const MOST_NAMED_FILES = 3;

interface GateOutcome {
  readonly results: readonly GateCheckResult[];
  readonly judgeTest: TestVerdict;
}

/**
 * Code of a small change that no test shows: none is new or edited, or all of these pass without the code too. It is
 * left to a reviewer, because many small edits have no test. A larger fix has to show its test anyway.
 */
export async function findUnshownWork(
  engine: CheckingEngine,
  { base_commit, type, size }: Pick<ChangeRecord, "base_commit" | "type" | "size">,
  { base }: Pick<AttributedWork, "base">,
  { results, judgeTest }: GateOutcome,
): Promise<string | undefined> {
  const isShownElsewhere = type === "refactor" || (type === "fix" && size !== "quick" && size !== "small");
  if (isShownElsewhere || results.some(({ status }) => status === "failed")) return undefined;
  const { rules, stacks } = await loadCheckRuling(engine, base_commit);
  const files = (await loadChangedCode(engine, base, stacks)) ?? [];
  const code = files.filter(({ isTest }) => !isTest).map(({ path }) => path);
  const tests = files.filter(({ isTest, text }) => isTest && text !== undefined).map(({ path }) => path);
  if (!rules || code.length === 0) return undefined;
  // A test that failed before, and passes now, shows the work too.
  const all = (await engine.source.files()).map(({ path }) => path).filter((path) => isTestFile(path, stacks));
  const chosen = (tests.length > 0 ? tests : all).map((file) => ({ file, name: "" }));
  const asked = { base, rules, used: rules.definitions.stacks, over: tests, tests: chosen };
  const runs = await runExclusively(engine, () => runTestsOnBase(engine, asked, "seen-to-fail", "without the work"));
  const isShown = runs.some(
    ({ report }) =>
      !report ||
      report.failures.length > 0 ||
      report.tests.some((each) => each.status === "failed" && judgeTest(each) !== false),
  );
  if (isShown || runs.length === 0) return undefined;
  return tests.length === 0
    ? `Only code changed, and no test shows it: ${formatShortList(code, MOST_NAMED_FILES)}`
    : `Only tests changed that pass without the code too: ${formatShortList(tests, MOST_NAMED_FILES)}`;
}

import { formatShortList } from "#kernel/model/text-format.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { OwedRequirement } from "#planning/model/change/carried-requirements.ts";
import type { ChangeRecord } from "#planning/model/change/change-record.ts";
import type { AttributedWork } from "#planning/operations/workflow/attributed-work.ts";
import { isSameTest, type NewTestCase } from "../../model/gate/test-evidence.ts";
import { findTargetTests } from "../../model/mutation/mutation-check.ts";
import type { CheckingEngine } from "../engine.ts";
import { loadCheckRuling } from "../gate/load-trusted-checks.ts";
import { runExclusively } from "../gate/run-check.ts";
import { findNewTests, runNewTestsOnBase } from "../gate/run-tests-on-base.ts";
import { type ChangedFile, loadChangedCode } from "../gate/static-checks.ts";

const MOST_NAMED_TESTS = 3;

/** An empty test, or one of something else, proves nothing. Only a test that was seen to pass there counts. */
export async function findUnprovenRequirements(
  engine: CheckingEngine,
  { base_commit, type }: Pick<ChangeRecord, "base_commit" | "type">,
  added: readonly OwedRequirement[],
  { base }: Pick<AttributedWork, "base">,
): Promise<Problem[]> {
  // A refactoring keeps the behaviour, so its requirements only write it down.
  if (type === "refactor" || added.length === 0) return [];
  const { rules, stacks } = await loadCheckRuling(engine, base_commit);
  if (!rules) return [];
  const files = (await loadChangedCode(engine, base, stacks)) ?? [];
  const cases = findNewTests(files);
  const carriers = added
    // A quality, such as a time limit, often held before too.
    .filter(({ id }) => !id.startsWith("NFR-"))
    .map(({ id }) => ({ id, tests: cases.filter((each) => isCarrier(files, each, id)) }))
    .filter(({ tests }) => tests.length > 0);
  if (carriers.length === 0) return [];
  const { passing } = await runExclusively(engine, () => runNewTestsOnBase(engine, { base, rules, files }));
  return carriers
    .filter(({ tests }) => tests.every((test) => passing.some((each) => isSameTest(each, test))))
    .map(({ id, tests }) => {
      const named = formatShortList(
        tests.map(({ file, name }) => `${file}: ${name}`),
        MOST_NAMED_TESTS,
      );
      return {
        problem: `${id} is added, but its tests pass without your change too: ${named}. Test the new behaviour. If it existed before, write that in the test: "tenon-allow: <reason>".`,
      };
    });
}

/** The tag may be in the test, directly above it, or apply to the whole file. */
const isCarrier = (files: readonly ChangedFile[], { file, name }: NewTestCase, spec: string): boolean =>
  files.some(
    ({ path, look, isTest }) =>
      path === file &&
      look !== undefined &&
      findTargetTests(path, look, { spec }, isTest).some((each) => each.name === undefined || each.name === name),
  );

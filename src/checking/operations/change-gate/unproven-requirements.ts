import { formatShortList, sanitizeText } from "#kernel/model/text-format.ts";
import { isTestFile } from "#code/model/scan/test-files.ts";
import type { OwedRequirement } from "#planning/model/change/carried-requirements.ts";
import type { ChangeRecord } from "#planning/model/change/change-record.ts";
import type { AttributedWork } from "#planning/operations/workflow/attributed-work.ts";
import { isSameTest, type NewTestCase } from "../../model/gate/test-evidence.ts";
import type { CheckingEngine } from "../engine.ts";
import { loadCheckRuling } from "../gate/load-trusted-checks.ts";
import { findNewTests, isTestTagged } from "../gate/new-tests.ts";
import { runExclusively } from "../gate/run-check.ts";
import { runNewTestsOnBase } from "../gate/run-tests-on-base.ts";
import { loadChangedCode, splitAllowedFindings, type StaticFindings } from "../gate/static-checks.ts";

const MOST_NAMED_TESTS = 3;
const CURE = 'Test the new behaviour. If it existed before, write that in the test: "tenon-allow: <reason>".';

/**
 * An empty test, or one of something else, proves nothing. Only a test that was seen to pass there counts. A quality
 * often held before, so the user judges its tests.
 */
export async function findUnprovenRequirements(
  engine: CheckingEngine,
  { base_commit, type }: Pick<ChangeRecord, "base_commit" | "type">,
  added: readonly OwedRequirement[],
  { base }: Pick<AttributedWork, "base">,
  paths: ReadonlyMap<string, readonly string[]>,
): Promise<StaticFindings> {
  const none: StaticFindings = { problems: [], allowed: [] };
  // A refactoring keeps the behaviour, so its requirements only write it down.
  if (type === "refactor" || added.length === 0) return none;
  const { rules, stacks } = await loadCheckRuling(engine, base_commit);
  if (!rules) return none;
  const changed = (await loadChangedCode(engine, base, stacks)) ?? [];
  // A tag above an old test says that the test is about the new behaviour too.
  const files = changed.map((file) => (file.isTest ? { ...file, before: undefined, oldText: undefined } : file));
  const cases = findNewTests(files);
  const all = added.map(({ id }) => ({ id, tests: cases.filter((each) => isTestTagged(files, each, id)) }));
  const carriers = all.filter(({ tests }) => tests.length > 0);
  const older = all.flatMap(({ id, tests }) => {
    const named = (paths.get(id) ?? []).filter((path) => isTestFile(path, stacks));
    return tests.length > 0 || named.length === 0
      ? []
      : [
          {
            problem: `${id} is added, but the tests that carry it did not change: ${formatShortList(named, MOST_NAMED_TESTS)}. ${CURE}`,
          },
        ];
  });
  if (carriers.length === 0) return { ...none, problems: older };
  const { passing, red } = await runExclusively(engine, () => runNewTestsOnBase(engine, { base, rules, files }));
  const isIn = (list: readonly NewTestCase[], test: NewTestCase): boolean =>
    list.some((each) => isSameTest(each, test));
  const found = carriers.flatMap(({ id, tests }) => {
    const isUnproven = tests.every(
      (test) => isIn(passing, test) || (test.allowed !== undefined && !red.some((each) => isSameTest(each, test))),
    );
    if (!isUnproven) return [];
    const named = formatShortList(
      tests.map(({ file, name }) => `${file}: ${sanitizeText(name, 200)}`),
      MOST_NAMED_TESTS,
    );
    const problem = `${id} is added, but its tests pass without your change too: ${named}. ${CURE}`;
    const reason = tests.find(({ allowed }) => allowed !== undefined)?.allowed;
    const allowed = reason ?? (id.startsWith("NFR-") ? "A quality may have held before." : undefined);
    return [
      allowed === undefined
        ? { problem }
        : { problem: `${id} is added, and its tests may pass without it: ${named}`, allowed },
    ];
  });
  return splitAllowedFindings([...older, ...found]);
}

import { hasPassedTest } from "#checking/operations/gate/run-check.ts";
import { findLostChecks } from "#checking/operations/gate/changed-tests.ts";
import { compareChangedTests, findLostTestProblems } from "#checking/operations/gate/kept-tests.ts";
import {
  type ChangedFile,
  type CriterionTest,
  findCriterionTests,
  loadChangedCode,
} from "#checking/operations/gate/static-checks.ts";
import { loadCheckRuling } from "#checking/operations/gate/load-trusted-checks.ts";
import { readAllowanceReason } from "#code/model/scan/code-shortcuts.ts";
import { findTestCases } from "#code/model/scan/test-cases.ts";
import { isTestFile } from "#code/model/scan/test-files.ts";
import { createTestNameReader } from "#code/model/trace/id-mentions.ts";
import type { TestRemoval } from "#planning/model/workflow/workflow-record.ts";
import { qualifyCriterionId } from "../../model/feature/design-criteria.ts";
import type { FeatureRecord, TaskGroupRecord } from "../../model/feature/feature-record.ts";
import type { ActionAssignment } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { FeatureTestRun } from "./feature-tests.ts";
import { listImplementationFiles } from "./lead-store.ts";

/** Committed tests in the group's files that ran when the action began, and that count no more. */
export async function listLostTests(engine: RoadmapEngine, group: TaskGroupRecord, base: ActionAssignment["base"]) {
  const { gates } = await loadCheckRuling(engine, await engine.source.head());
  if (base === null || gates.waived["tests-kept"] !== undefined) return [];
  const stacks = (await engine.stacks.definitions())?.stacks ?? [];
  const outside = await engine.snapshots.changedOutside(base);
  const listLost = async (commit: string) => {
    const changed = (await loadChangedCode(engine, commit, stacks)) ?? [];
    const own = changed.filter(({ path, change: { from = path } }) => group.files.includes(from) && !outside.has(path));
    const removals = listAllowedRemovals(own);
    const edited = own.filter(({ isTest, wasTest }) => isTest && wasTest);
    const lost = [
      ...findLostTestProblems(own, compareChangedTests(own), removals),
      ...findLostChecks(edited, own, removals),
    ];
    return lost.flatMap(({ problem, allowed }) => (allowed === undefined ? [problem] : []));
  };
  const lost = await listLost(base.commit);
  if (lost.length === 0 || base.head === undefined) return lost;
  // A Builder may change the tests that this feature wrote before.
  const committed = new Set(await listLost(base.head));
  return lost.filter((problem) => committed.has(problem));
}

/** Tests that a comment `tenon-allow` of these files names. */
function listAllowedRemovals(files: readonly ChangedFile[]): TestRemoval[] {
  const comments = files.flatMap(({ look }) => look?.comments ?? []);
  const reasons = comments.flatMap(({ text }) => readAllowanceReason(text) ?? []);
  const tests = files.flatMap(({ before }) => (before ? findTestCases(before) : []));
  return tests.flatMap(({ name: test }) =>
    reasons.filter((it) => it.includes(test.split(" > ").at(-1) ?? test)).map((reason) => ({ test, reason })),
  );
}

export async function readCriterionTests(engine: RoadmapEngine, record: FeatureRecord): Promise<CriterionTest[]> {
  const known = await engine.requirements.traceable();
  const readNames = createTestNameReader(known.ids.keys());
  const all: CriterionTest[] = [];
  for (const path of listImplementationFiles([record])) {
    const text = await engine.source.text(path);
    const look = text === undefined ? undefined : await engine.syntax.look(path, text);
    if (look) all.push(...findCriterionTests([{ path, look }], readNames));
  }
  return all;
}

/** Criteria that this group alone can still show, and that no test names. The gate would start a Builder for them. */
export async function listUnmarkedCriteria(
  engine: RoadmapEngine,
  record: FeatureRecord,
  group: TaskGroupRecord,
): Promise<string[]> {
  const later = record.implementation.groups.filter(({ id, status }) => id !== group.id && status !== "done");
  const own = (group.criteria ?? []).filter((id) => !later.some(({ criteria = [] }) => criteria.includes(id)));
  const stacks = (await engine.stacks.definitions())?.stacks ?? [];
  if (own.length === 0 || !group.files.some((path) => isTestFile(path, stacks))) return [];
  const { gates } = await loadCheckRuling(engine, await engine.source.head());
  if (gates.waived["criteria"] !== undefined || gates.waived["tests"] !== undefined) return [];
  const cases = await readCriterionTests(engine, record);
  const named = new Set(cases.map(({ criterion }) => criterion));
  return own.map((id) => qualifyCriterionId(record.feature_name, id)).filter((id) => !named.has(id));
}

/** Criteria that a test shows, and those whose tests show nothing, each with the reason. */
export function judgeCriterionTests(
  { feature_name: feature }: FeatureRecord,
  cases: readonly CriterionTest[],
  { tried, withoutCode = [], withBrokenCode = withoutCode }: FeatureTestRun,
) {
  const passed = cases.filter((each) => hasPassedTest(tried, each));
  const isReal = (each: CriterionTest): boolean => !hasPassedTest(withBrokenCode, each);
  const criteria = [...new Set(passed.filter(isReal).map(({ criterion }) => criterion))].toSorted();
  const hollow = new Map<string, string>();
  for (const each of passed) {
    const { criterion: id } = each;
    if (criteria.includes(id)) continue;
    const problem = hasPassedTest(withoutCode, each)
      ? `The test of ${id} passes without the code of ${feature}. Let it use the code and check the result.`
      : `The test of ${id} checks nothing: it also passes with broken code.`;
    hollow.set(id, problem);
  }
  return { criteria: criteria.filter((id) => id.startsWith(`${feature}.`)), hollow };
}

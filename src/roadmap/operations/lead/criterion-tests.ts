import { hasPassedTest } from "#checking/operations/gate/run-check.ts";
import { type CriterionTest, findCriterionTests } from "#checking/operations/gate/static-checks.ts";
import { loadCheckRuling } from "#checking/operations/gate/load-trusted-checks.ts";
import { isTestFile } from "#code/model/scan/test-files.ts";
import { createTestNameReader } from "#code/model/trace/id-mentions.ts";
import { qualifyCriterionId } from "../../model/feature/design-criteria.ts";
import type { FeatureRecord, TaskGroupRecord } from "../../model/feature/feature-record.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { FeatureTestRun } from "./feature-tests.ts";
import { listImplementationFiles } from "./lead-store.ts";

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

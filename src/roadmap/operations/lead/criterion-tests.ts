import { hasCheckingWord } from "#checking/model/mutation/checking-words.ts";
import {
  type CriterionTest,
  findCriterionTests,
  listProvenCriteria,
  type ParsedFile,
} from "#checking/operations/gate/static-checks.ts";
import { loadCheckRuling } from "#checking/operations/gate/load-trusted-checks.ts";
import { findTestCases } from "#code/model/scan/test-cases.ts";
import { isTestFile } from "#code/model/scan/test-files.ts";
import { createTestNameReader } from "#code/model/trace/id-mentions.ts";
import { qualifyCriterionId } from "../../model/feature/design-criteria.ts";
import type { FeatureRecord, TaskGroupRecord } from "../../model/feature/feature-record.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { FeatureTestRun } from "./feature-tests.ts";
import { listImplementationFiles } from "./lead-store.ts";

export interface CriterionTests {
  readonly cases: readonly CriterionTest[];
  /** Those in which no word checks anything. Whether that is so shows only with broken code. */
  readonly unchecked: readonly CriterionTest[];
}

export async function readCriterionTests(engine: RoadmapEngine, record: FeatureRecord): Promise<CriterionTests> {
  const known = await engine.requirements.traceable();
  const readNames = createTestNameReader(known.ids.keys());
  const all: CriterionTests[] = [];
  for (const path of listImplementationFiles([record])) {
    const text = await engine.source.text(path);
    const look = text === undefined ? undefined : await engine.syntax.look(path, text);
    if (text === undefined || !look) continue;
    const file: ParsedFile = { path, look };
    const spans = findTestCases(look);
    const isChecking = ({ name }: CriterionTest): boolean =>
      spans.some((span) => {
        const body = text.split("\n").slice(span.line - 1, span.lastLine);
        return span.name === name && hasCheckingWord(body.join("\n"));
      });
    const cases = findCriterionTests([file], readNames);
    all.push({ cases, unchecked: cases.filter((each) => !isChecking(each)) });
  }
  return { cases: all.flatMap(({ cases }) => cases), unchecked: all.flatMap(({ unchecked }) => unchecked) };
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
  const { cases } = await readCriterionTests(engine, record);
  const named = new Set(cases.map(({ criterion }) => criterion));
  return own.map((id) => qualifyCriterionId(record.feature_name, id)).filter((id) => !named.has(id));
}

/** Criteria that a test shows, and those whose tests show nothing, each with the reason. */
export function judgeCriterionTests(
  { feature_name: feature }: FeatureRecord,
  { cases, unchecked }: CriterionTests,
  { tried, withoutCode = [], withBrokenCode = [] }: FeatureTestRun,
) {
  const hollow = new Map<string, string>();
  for (const id of listProvenCriteria(cases, withoutCode))
    hollow.set(
      id,
      `The test of ${id} passes without the code of ${feature}. Let it use the code and check the result.`,
    );
  const kept = new Set(
    listProvenCriteria(
      cases.filter((each) => !unchecked.includes(each)),
      tried,
    ),
  );
  for (const id of listProvenCriteria(unchecked, withBrokenCode))
    if (!kept.has(id)) hollow.set(id, `The test of ${id} checks nothing: it also passes with broken code.`);
  const passed = listProvenCriteria(cases, tried);
  return { criteria: passed.filter((id) => id.startsWith(`${feature}.`) && !hollow.has(id)), hollow };
}

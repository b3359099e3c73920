import { qualifyCriterionId, listCriterionIds } from "#domain/feature/criteria.ts";
import { checkDesign } from "#domain/feature/design.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { createTestNameReader } from "#domain/trace/test-names.ts";
import { getFeatureDesignPath } from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";
import { findCriterionTests, listProvenCriteria, type ParsedFile } from "../../gate/running/criteria.ts";
import { loadTraceableIds } from "../../trace/known.ts";
import { listImplementationFiles } from "./hashes.ts";
import type { FeatureTestRun } from "./testing.ts";

export async function listCoveredCriteria(
  engine: Engine,
  record: FeatureRecord,
  { tried }: FeatureTestRun,
): Promise<string[]> {
  const known = await loadTraceableIds(engine);
  const files: ParsedFile[] = [];
  for (const path of listImplementationFiles(record)) {
    const text = await engine.source.text(path);
    const look = text === undefined ? undefined : await engine.syntax.look(path, text);
    if (look) files.push({ path, look });
  }
  const shown = listProvenCriteria(findCriterionTests(files, createTestNameReader(known.ids.keys())), tried);
  return shown.filter((criterion) => criterion.startsWith(`${record.feature_name}.`));
}

/** A test that was emptied still passes, but covers no criterion. */
export async function listUncoveredCriteria(
  engine: Pick<Engine, "source">,
  { feature_name }: FeatureRecord,
  shown: readonly string[],
): Promise<Problem[]> {
  const design = (await engine.source.text(getFeatureDesignPath(feature_name))) ?? "";
  const asked = listCriterionIds(checkDesign(design).specs).map((id) => qualifyCriterionId(feature_name, id));
  return asked
    .filter((id) => !shown.includes(id))
    .map((id) => ({ problem: `No test that ran and passed names ${id}: say AC: ${id} in the one that shows it.` }));
}

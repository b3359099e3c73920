import {
  buildTraceMatrix,
  listUntracedTestFiles,
  findSpecGaps,
  findOrphanTags,
} from "../../model/trace/trace-matrix.ts";
import { isTestData } from "../../model/scan/test-files.ts";
import type { CodeEngine } from "../engine.ts";
import { createPresenceCheck, gatherTraceData, loadServingLocations } from "./trace-data.ts";
import { createProblemItems, createTraceItems, type TraceResult } from "./trace-answer.ts";

const MAX_UNTRACED_FILES = 20;

export async function traceAllIds(engine: CodeEngine): Promise<TraceResult> {
  const gathered = await gatherTraceData(engine);
  const { index, known, carriers, tests } = gathered;
  const carried = await loadServingLocations(engine, gathered);
  const isThere = await createPresenceCheck(engine);
  const rows = buildTraceMatrix(known.ids.values(), carried);
  const lacks = rows.flatMap(({ id }) => {
    const subject = known.ids.get(id);
    return subject ? findSpecGaps(subject, carried(id), isThere) : [];
  });
  const problems = [...findOrphanTags(carriers, known), ...lacks];
  const without = listUntracedTestFiles(tests, carriers);
  const code = (await index.files()).filter(
    ({ path, language, isTest }) => language !== "" && !isTest && !isTestData(path),
  );
  const tagged = new Set(carriers.map(({ path }) => path));
  return {
    problems,
    totals: {
      aimless_tests: without.reduce((sum, each) => sum + each.tests, 0),
      code_files: code.length,
      untagged_files: code.filter(({ path }) => !tagged.has(path)).length,
    },
    items: [
      ...createProblemItems(problems, true),
      ...createTraceItems("specs", rows),
      ...createProblemItems(problems, false),
      ...createTraceItems("aimless", without.slice(0, MAX_UNTRACED_FILES)),
    ],
  };
}

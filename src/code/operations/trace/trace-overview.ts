import {
  groupServingLocations,
  buildTraceMatrix,
  listUntracedTestFiles,
  findSpecGaps,
  findOrphanTags,
} from "../../model/trace/trace-matrix.ts";
import { isTestData } from "../../model/scan/test-files.ts";
import type { CodeEngine } from "../engine.ts";
import { findNamingDocuments, gatherTraceData } from "./trace-data.ts";
import type { TraceResult } from "./trace-by-id.ts";
import { createTraceItems, type TraceAnswer } from "./trace-answer.ts";

export interface TraceOverview extends TraceResult {
  readonly totals: NonNullable<TraceAnswer["totals"]>;
}

const MAX_UNTRACED_FILES = 20;

export async function traceAllIds(engine: CodeEngine): Promise<TraceOverview> {
  const { index, known, carriers, tests } = await gatherTraceData(engine);
  const naming = await findNamingDocuments(engine, (id) => known.ids.has(id));
  const docs = new Map([...naming].map(([id, told]) => [id, told.map(({ path }) => path)]));
  const carried = groupServingLocations({ carriers, docs });
  const there = new Set((await engine.source.files()).map(({ path }) => path));
  const isThere = (path: string): boolean => there.has(path) || path.startsWith("sdd/");
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
      ...createTraceItems(
        "problems",
        problems.filter(({ due }) => due),
      ),
      ...createTraceItems("specs", rows),
      ...createTraceItems(
        "problems",
        problems.filter(({ due }) => !due),
      ),
      ...createTraceItems("aimless", without.slice(0, MAX_UNTRACED_FILES)),
    ],
  };
}

import { groupServingLocations, buildTraceMatrix } from "#domain/trace/matrix.ts";
import { isTestData } from "#domain/scan/test-path.ts";
import { listUntracedTestFiles, findSpecGaps, findOrphanTags } from "#domain/trace/problems.ts";
import type { Engine } from "../engine.ts";
import { findNamingDocuments } from "./documents.ts";
import { gatherTraceData } from "./gather.ts";
import type { TraceResult } from "./of-id.ts";
import { createTraceItems, type TraceAnswer } from "./parts.ts";

export interface TraceOverview extends TraceResult {
  readonly totals: NonNullable<TraceAnswer["totals"]>;
}

const MAX_UNTRACED_FILES = 20;

export async function traceAllIds(engine: Engine): Promise<TraceOverview> {
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

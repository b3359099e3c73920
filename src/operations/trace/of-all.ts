import { carriedBy, matrixOf } from "#domain/trace/matrix.ts";
import { isTestData } from "#domain/scan/test-path.ts";
import { aimless, lacking, orphans } from "#domain/trace/problems.ts";
import type { Engine } from "../engine.ts";
import { documentsNaming } from "./documents.ts";
import { gatherTrace } from "./gather.ts";
import type { Found } from "./of-id.ts";
import { items, type Output } from "./parts.ts";

export interface FoundInAll extends Found {
  readonly totals: NonNullable<Output["totals"]>;
}

const MOST_AIMLESS = 20;

export async function traceOfAll(engine: Engine): Promise<FoundInAll> {
  const { index, known, carriers, tests } = await gatherTrace(engine);
  const naming = await documentsNaming(engine, (id) => known.ids.has(id));
  const docs = new Map([...naming].map(([id, told]) => [id, told.map(({ path }) => path)]));
  const carried = carriedBy({ carriers, docs });
  const there = new Set((await engine.source.files()).map(({ path }) => path));
  const isThere = (path: string): boolean => there.has(path) || path.startsWith("sdd/");
  const rows = matrixOf(known.ids.values(), carried);
  const lacks = rows.flatMap(({ id }) => {
    const subject = known.ids.get(id);
    return subject ? lacking(subject, carried(id), isThere) : [];
  });
  const problems = [...orphans(carriers, known), ...lacks];
  const without = aimless(tests, carriers);
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
      ...items(
        "problems",
        problems.filter(({ due }) => due),
      ),
      ...items("specs", rows),
      ...items(
        "problems",
        problems.filter(({ due }) => !due),
      ),
      ...items("aimless", without.slice(0, MOST_AIMLESS)),
    ],
  };
}

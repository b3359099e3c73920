import type { FeatureRecord } from "#domain/feature/record.ts";
import { readerOfNames } from "#domain/trace/test-names.ts";
import type { Engine } from "../../engine.ts";
import { casesNaming, criteriaCovered, type LookedAt } from "../../gate/running/criteria.ts";
import { knownIds } from "../../trace/known.ts";
import { filesOf } from "./hashes.ts";
import type { Tested } from "./testing.ts";

/** The criteria of a feature that a test in its files names which ran and passed. */
export async function criteriaShown(engine: Engine, record: FeatureRecord, { tried }: Tested): Promise<string[]> {
  const known = await knownIds(engine);
  const files: LookedAt[] = [];
  for (const path of filesOf(record)) {
    const text = await engine.source.text(path);
    const look = text === undefined ? undefined : await engine.syntax.look(path, text);
    if (look) files.push({ path, look });
  }
  const shown = criteriaCovered(casesNaming(files, readerOfNames(known.ids.keys())), tried);
  return shown.filter((criterion) => criterion.startsWith(`${record.feature_name}.`));
}

import { type Carrier, carriersIn } from "#domain/trace/carrier.ts";
import type { KnownIds } from "#domain/trace/known.ts";
import { readerOfNames } from "#domain/trace/test-names.ts";
import type { Engine } from "../engine.ts";
import { bringIndexUpToDate } from "../indexing/up-to-date.ts";
import type { CodeIndex, IndexedTestRow } from "../ports/code-index.ts";
import { knownIds } from "./known.ts";

export interface Gathered {
  readonly index: CodeIndex;
  readonly known: KnownIds;
  readonly carriers: readonly Carrier[];
  readonly tests: readonly IndexedTestRow[];
}

/**
 * Refreshes the index first. Other processes can write the index file, so a check that decides must read the files
 * again.
 */
export async function gatherTrace(engine: Engine): Promise<Gathered> {
  const { index } = await bringIndexUpToDate(engine);
  const known = await knownIds(engine);
  const [tags, tests] = [await index.tags(), await index.tests()];
  const carriers = carriersIn({ tags, tests }, readerOfNames(known.ids.keys()));
  return { index, known, carriers, tests };
}

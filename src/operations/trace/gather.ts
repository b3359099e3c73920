import { type Carrier, carriersIn } from "#domain/trace/carrier.ts";
import type { KnownIds } from "#domain/trace/known.ts";
import { readerOfNames } from "#domain/trace/test-names.ts";
import type { Engine } from "../engine.ts";
import { bringIndexUpToDate } from "../indexing/up-to-date.ts";
import type { CodeIndex, TestRow } from "../ports/code-index.ts";
import { knownIds } from "./known.ts";

/** What is known of the whole repository: what can be named, and what names it. */
export interface Gathered {
  readonly index: CodeIndex;
  readonly known: KnownIds;
  readonly carriers: readonly Carrier[];
  readonly tests: readonly TestRow[];
}

/**
 * Everything that says what it belongs to, from an index that is up to date. It is a file that others can write, so
 * whoever judges by it looks at the files again.
 */
export async function gatherTrace(engine: Engine): Promise<Gathered> {
  const { index } = await bringIndexUpToDate(engine);
  const known = await knownIds(engine);
  const [tags, tests] = [await index.tags(), await index.tests()];
  const carriers = carriersIn({ tags, tests }, readerOfNames(known.ids.keys()));
  return { index, known, carriers, tests };
}

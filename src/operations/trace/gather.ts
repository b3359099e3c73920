import { type TraceLocation, collectTraceLocations } from "#domain/trace/carrier.ts";
import type { TraceableIds } from "#domain/trace/known.ts";
import { createTestNameReader } from "#domain/trace/test-names.ts";
import type { Engine } from "../engine.ts";
import { refreshCodeIndex } from "../indexing/up-to-date.ts";
import type { CodeIndex, IndexedTestRow } from "../ports/code-index.ts";
import { loadTraceableIds } from "./known.ts";

export interface TraceData {
  readonly index: CodeIndex;
  readonly known: TraceableIds;
  readonly carriers: readonly TraceLocation[];
  readonly tests: readonly IndexedTestRow[];
}

/**
 * Refreshes the index first. Other processes can write the index file, so a check that decides must read the files
 * again.
 */
export async function gatherTraceData(engine: Engine): Promise<TraceData> {
  const { index } = await refreshCodeIndex(engine);
  const known = await loadTraceableIds(engine);
  const [tags, tests] = [await index.tags(), await index.tests()];
  const carriers = collectTraceLocations({ tags, tests }, createTestNameReader(known.ids.keys()));
  return { index, known, carriers, tests };
}

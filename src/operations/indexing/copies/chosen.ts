import { MOST_EXPORTED } from "#domain/indexing/export.ts";
import { keyOf } from "#domain/indexing/outline.ts";
import { type KeptSummary, summaryOf } from "#domain/indexing/summary.ts";
import type { Keyed } from "#domain/indexing/summary/subject.ts";
import type { Carrier } from "#domain/trace/carrier.ts";
import type { CodeIndex, IndexedComponentRow } from "../../ports/code-index.ts";

const MOST_OTHERS = 2000;

/** Tagged components first, then the most called ones, then other exports. */
export async function chooseComponents(index: CodeIndex, carriers: readonly Carrier[]): Promise<IndexedComponentRow[]> {
  const most = MOST_EXPORTED.components;
  const chosen = new Map<string, IndexedComponentRow>();
  const take = (rows: readonly IndexedComponentRow[]): void => {
    for (const row of rows) if (chosen.size < most && !row.isTest) chosen.set(keyOf(row.path, row.ref), row);
  };
  const claimed = new Map(
    carriers.flatMap(({ path, ref, isTest }) =>
      ref === undefined || isTest ? [] : [[keyOf(path, ref), { path, ref }]],
    ),
  );
  for (const { path, ref } of [...claimed.values()].slice(0, most)) take(await index.components({ path, ref }));
  take((await index.mostCalled(most)).map(({ component }) => component));
  if (chosen.size < most) {
    const others = await index.components({ most: MOST_OTHERS });
    take(others.filter(({ isExported, kind }) => isExported && kind !== "constant"));
  }
  return [...chosen.values()];
}

export type Said = ReadonlyMap<string, KeptSummary>;

export const summed = (subject: Keyed, said: Said): string => summaryOf(subject, said.get(subject.key)).text;

import { EXPORT_LIMITS } from "../../model/index/index-export.ts";
import { formatComponentKey } from "../../model/index/code-outline.ts";
import { type SummaryRecord, chooseSummary } from "../../model/summary/code-summary.ts";
import type { KeyedSubject } from "../../model/summary/summary-subject.ts";
import type { TraceLocation } from "../../model/trace/trace-locations.ts";
import type { CodeIndex, IndexedComponentRow } from "../ports/code-index.ts";

const MAX_OTHER_COMPONENTS = 2000;

/** Tagged components first, then the most called ones, then other exports. */
export async function selectKeyComponents(index: CodeIndex, carriers: readonly TraceLocation[]) {
  const most = EXPORT_LIMITS.components;
  const chosen = new Map<string, IndexedComponentRow>();
  const take = (rows: readonly IndexedComponentRow[]): void => {
    for (const row of rows)
      if (chosen.size < most && !row.isTest) chosen.set(formatComponentKey(row.path, row.ref), row);
  };
  const claimed = new Map(
    carriers.flatMap(({ path, ref, isTest }) =>
      ref === undefined || isTest ? [] : [[formatComponentKey(path, ref), { path, ref }]],
    ),
  );
  for (const { path, ref } of [...claimed.values()].slice(0, most)) take(await index.components({ path, ref }));
  take((await index.mostCalled(most)).map(({ component }) => component));
  if (chosen.size < most) {
    const others = await index.components({ most: MAX_OTHER_COMPONENTS });
    take(others.filter(({ isExported, kind }) => isExported && kind !== "constant"));
  }
  return [...chosen.values()];
}

export type SummaryLookup = ReadonlyMap<string, SummaryRecord>;

export const lookUpSummary = (subject: KeyedSubject, said: SummaryLookup): string =>
  chooseSummary(subject, said.get(subject.key)).text;

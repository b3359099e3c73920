import type { PlanningEngine } from "../engine.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { catchFault } from "#kernel/model/fault.ts";
import { loadChangeRecords } from "../change/change-records.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import {
  listChangeDecisions,
  readDecisionFileText,
  createDecisionView,
  listWorkspaceDecisions,
  type DecisionViewData,
} from "./decision-files.ts";

const DEFAULT_DECISION_LIMIT = 50;

export const listDecisionsOperation = defineOperation({
  id: "adr.list",
  effect: "read",
  input: async () => (await import("./schema.ts")).AdrListQuery,
  output: async () => (await import("./schema.ts")).AdrList,
  async run(engine: PlanningEngine, { status, limit = DEFAULT_DECISION_LIMIT }) {
    const { adrs, damaged } = await engine.store.read(loadDecisionViews);
    const wanted = adrs.filter((adr) => status === undefined || adr.status === status).toReversed();
    return { adrs: wanted.slice(0, limit), damaged, omitted: Math.max(0, wanted.length - limit) };
  },
  page({ adrs, damaged, omitted }) {
    const rows = adrs.map((adr) => [adr.ref, adr.status, sanitizeText(adr.title, 80)]);
    const total = rows.length + omitted;
    return {
      title: total === 0 ? "No decisions." : `${formatCount(total, "decision")}.`,
      ...(rows.length > 0 ? { table: { columns: ["decision", "status", "title"], rows } } : {}),
      points: [
        ...damaged.map(({ path, why }) => `${path} cannot be read: ${why}`),
        ...(omitted > 0 ? [`${omitted} older ones are left out.`] : []),
      ],
    };
  },
});

/** Oldest first. Reports files with a damaged head separately. */
export function loadDecisionViews(tree: StoreTree): {
  adrs: DecisionViewData[];
  damaged: { path: string; why: string }[];
} {
  const adrs: DecisionViewData[] = [];
  const damaged: { path: string; why: string }[] = [];
  const inChanges = loadChangeRecords(tree).changes.flatMap((change) => listChangeDecisions(tree, change));
  for (const place of [...listWorkspaceDecisions(tree), ...inChanges]) {
    catchFault(
      () => adrs.push(createDecisionView(place, readDecisionFileText(tree, place))),
      ({ why }) => damaged.push({ path: place.path, why }),
    );
  }
  return { adrs: adrs.toSorted(compareDecisionDates), damaged };
}

/** RFC 3339 dates sort as text. Decisions without a date come first. */
function compareDecisionDates(a: DecisionViewData, b: DecisionViewData): number {
  const [one, other] = [a.date ?? "", b.date ?? ""];
  return one < other ? -1 : one > other ? 1 : 0;
}

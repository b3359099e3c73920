import type * as z from "zod";
import { count } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import { plain } from "#domain/quote.ts";
import { everyChange } from "../change/census.ts";
import { operation } from "../operation.ts";
import type { Tree } from "../ports/store.ts";
import type { AdrList, AdrListQuery } from "./schema.ts";
import { changeAdrPlaces, textOf, viewAdr, workspaceAdrs } from "./shelf.ts";
import type { View } from "./view.ts";

const LIMIT = 50;

export const listAdrs = operation<z.infer<typeof AdrListQuery>, z.infer<typeof AdrList>>({
  id: "adr.list",
  effect: "read",
  input: async () => (await import("./schema.ts")).AdrListQuery,
  output: async () => (await import("./schema.ts")).AdrList,
  async run(engine, { status, limit = LIMIT }) {
    const { adrs, damaged } = await engine.store.read(everyAdr);
    const wanted = adrs.filter((adr) => status === undefined || adr.status === status).toReversed();
    return { adrs: wanted.slice(0, limit), damaged, omitted: Math.max(0, wanted.length - limit) };
  },
  page({ adrs, damaged, omitted }) {
    const rows = adrs.map((adr) => [adr.ref, adr.status, plain(adr.title, 80)]);
    const total = rows.length + omitted;
    return {
      title: total === 0 ? "No decisions." : `${count(total, "decision")}.`,
      ...(rows.length > 0 ? { table: { columns: ["decision", "status", "title"], rows } } : {}),
      points: [
        ...damaged.map(({ path, why }) => `${path} cannot be read: ${why}`),
        ...(omitted > 0 ? [`${omitted} older ones are left out.`] : []),
      ],
    };
  },
});

/** Oldest first. Reports files with a damaged head separately. */
export function everyAdr(tree: Tree): { adrs: View[]; damaged: { path: string; why: string }[] } {
  const adrs: View[] = [];
  const damaged: { path: string; why: string }[] = [];
  const inChanges = everyChange(tree).changes.flatMap((change) => changeAdrPlaces(tree, change));
  for (const place of [...workspaceAdrs(tree), ...inChanges]) {
    try {
      adrs.push(viewAdr(place, textOf(tree, place)));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      damaged.push({ path: place.path, why: error.why });
    }
  }
  return { adrs: adrs.toSorted(byDate), damaged };
}

/** RFC 3339 dates sort as text. Decisions without a date come first. */
function byDate(a: View, b: View): number {
  const [one, other] = [a.date ?? "", b.date ?? ""];
  return one < other ? -1 : one > other ? 1 : 0;
}

import type * as z from "zod";
import type { Observation } from "#domain/memory/observation.ts";
import { unknownObservation } from "#domain/memory/refusals.ts";
import { sanitizeText } from "#domain/quote.ts";
import { type MemoryStore, openEnabledMemory, type ObservationRelation } from "../ports/memory.ts";
import { defineOperation } from "../operation.ts";
import type { Get, Gotten } from "./schema.ts";
import { quoteView, view } from "./view.ts";

type Output = z.infer<typeof Gotten>;

const DEPTH = 1;
const MOST_RELATED = 50;

export const get = defineOperation<z.infer<typeof Get>, Output>({
  id: "memory.get",
  effect: "read",
  isUsers: true,
  input: async () => (await import("./schema.ts")).Get,
  output: async () => (await import("./schema.ts")).Gotten,
  async run(engine, { id, depth = DEPTH }) {
    const memory = await openEnabledMemory(engine);
    const observation = await memory.get(id);
    if (!observation) throw unknownObservation(id);
    const { relations, related, omitted } = await follow(memory, observation, depth);
    return {
      observation: view(observation, "full"),
      created_at: observation.created_at,
      duplicates: observation.duplicates,
      relations,
      related: related.map((each) => view(each, "summary")),
      omitted,
    };
  },
  page({ observation, created_at, duplicates, relations, related, omitted }) {
    const titles = new Map([observation, ...related].map((each) => [each.id, sanitizeText(each.title, 80)]));
    const name = (id: number): string => `#${id}${titles.has(id) ? ` ${titles.get(id)}` : ""}`;
    return {
      title: `Observation #${observation.id}, saved ${created_at}${duplicates > 1 ? ` and ${duplicates - 1} times more` : ""}.`,
      quotes: [quoteView(observation)],
      points: [
        ...relations.map(
          (each) =>
            `relation ${each.id}: ${name(each.from_id)} ${sanitizeText(each.type, 60)} ${name(each.to_id)}${each.note ? ` (${sanitizeText(each.note, 200)})` : ""}`,
        ),
        ...(omitted > 0 ? [`${omitted} more are related and left out.`] : []),
      ],
    };
  },
});

/** Breadth first in both directions. A cycle is visited once. */
async function follow(
  memory: MemoryStore,
  { id }: Observation,
  depth: number,
): Promise<{ relations: ObservationRelation[]; related: Observation[]; omitted: number }> {
  const seen = new Set([id]);
  const relations = new Map<number, ObservationRelation>();
  const related: Observation[] = [];
  let omitted = 0;
  for (let edge = [id], step = 0; step < depth && edge.length > 0; step++) {
    const found = await memory.relations(edge);
    for (const relation of found) relations.set(relation.id, relation);
    edge = [...new Set(found.flatMap(({ from_id, to_id }) => [from_id, to_id]))].filter((each) => !seen.has(each));
    const room = MOST_RELATED - related.length;
    omitted += Math.max(0, edge.length - room);
    edge = edge.slice(0, room);
    for (const each of edge) {
      seen.add(each);
      const observation = await memory.get(each);
      if (observation) related.push(observation);
    }
  }
  const isShown = ({ from_id, to_id }: ObservationRelation): boolean => seen.has(from_id) && seen.has(to_id);
  return { relations: [...relations.values()].filter(isShown), related, omitted };
}

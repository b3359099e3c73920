import type { MemoryEngine } from "./engine.ts";
import type * as z from "zod";
import { type Observation, createUnknownObservationFault } from "../model/observation.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { type MemoryStore, openEnabledMemory, type ObservationRelation } from "./ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { GetObservationInputSchema, GetObservationOutputSchema } from "./schema.ts";
import { quoteObservation, createObservationView } from "./observation-view.ts";

type GetObservationOutput = z.infer<typeof GetObservationOutputSchema>;

const DEFAULT_RELATION_DEPTH = 1;
const MAX_RELATED_OBSERVATIONS = 50;

export const getObservation = defineOperation<
  z.infer<typeof GetObservationInputSchema>,
  GetObservationOutput,
  MemoryEngine
>({
  id: "memory.get",
  effect: "read",
  isUsers: true,
  input: async () => (await import("./schema.ts")).GetObservationInputSchema,
  output: async () => (await import("./schema.ts")).GetObservationOutputSchema,
  async run(engine: MemoryEngine, { id, depth = DEFAULT_RELATION_DEPTH }) {
    const memory = await openEnabledMemory(engine);
    const observation = await memory.get(id);
    if (!observation) throw createUnknownObservationFault(id);
    const { relations, related, omitted } = await followObservationRelations(memory, observation, depth);
    return {
      observation: createObservationView(observation, "full"),
      created_at: observation.created_at,
      duplicates: observation.duplicates,
      relations,
      related: related.map((each) => createObservationView(each, "summary")),
      omitted,
    };
  },
  page({ observation, created_at, duplicates, relations, related, omitted }) {
    const titles = new Map([observation, ...related].map((each) => [each.id, sanitizeText(each.title, 80)]));
    const name = (id: number): string => `#${id}${titles.has(id) ? ` ${titles.get(id)}` : ""}`;
    return {
      title: `Observation #${observation.id}, saved ${created_at}${duplicates > 1 ? ` and ${duplicates - 1} times more` : ""}.`,
      quotes: [quoteObservation(observation)],
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
async function followObservationRelations(
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
    const room = MAX_RELATED_OBSERVATIONS - related.length;
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

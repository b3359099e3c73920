import type { MemoryEngine } from "./engine.ts";
import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { TextCleaner } from "./text-cleaner.ts";
import { openEnabledMemory } from "./ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { RelateInputSchema, RelateOutputSchema } from "./schema.ts";

export const relateObservations = defineOperation<
  z.infer<typeof RelateInputSchema>,
  z.infer<typeof RelateOutputSchema>,
  MemoryEngine
>({
  id: "memory.relate",
  effect: "change",
  isUsers: true,
  input: async () => (await import("./schema.ts")).RelateInputSchema,
  output: async () => (await import("./schema.ts")).RelateOutputSchema,
  async run(engine: MemoryEngine, said) {
    const memory = await openEnabledMemory(engine);
    if (said.action === "remove") {
      if (said.id === undefined) throw createMissingRelationFault("id", { action: "remove", id: 1 });
      return { action: "removed", relations: [await memory.unrelate(said.id)], notes: [] };
    }
    const cleaner = new TextCleaner(engine);
    const { from_id, to_id, relation_type, note, bidirectional = false } = await cleaner.all(said);
    const example = { from_id: 1, to_id: 2, relation_type: "depends_on" };
    if (from_id === undefined || to_id === undefined) throw createMissingRelationFault("from_id and to_id", example);
    if (relation_type === undefined) throw createMissingRelationFault("relation_type", example);
    const relation = { from_id, to_id, type: relation_type, ...(note === undefined ? {} : { note }) };
    const relations = await memory.relate(relation, bidirectional, engine.clock.now());
    return { action: "made", relations: [...relations], notes: cleaner.notes() };
  },
  page: ({ action, relations, notes }) => ({
    title: `${relations.length === 1 ? "The relation is" : "The relations are"} ${action}.`,
    points: [
      ...relations.map(
        (each) => `relation ${each.id}: #${each.from_id} ${sanitizeText(each.type, 100)} #${each.to_id}`,
      ),
      ...notes,
    ],
  }),
});

function createMissingRelationFault(what: string, input: Record<string, unknown>): Fault {
  return new Fault("input.missing", {
    what: "No relation was changed.",
    why: `${what} must be given.`,
    fix: { operation: "memory.relate", input },
  });
}

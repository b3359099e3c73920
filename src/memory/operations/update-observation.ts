import type { MemoryEngine } from "./engine.ts";
import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { normalizeTopicKey } from "../model/topic-key.ts";
import { TextCleaner, rejectLongContent } from "./text-cleaner.ts";
import { openEnabledMemory, resolveMemoryProject } from "./ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { UpdateObservationInputSchema, UpdateObservationOutputSchema } from "./schema.ts";
import { quoteObservation, createObservationView } from "./observation-view.ts";

export const editObservation = defineOperation<
  z.infer<typeof UpdateObservationInputSchema>,
  z.infer<typeof UpdateObservationOutputSchema>,
  MemoryEngine
>({
  id: "memory.update",
  effect: "change",
  isUsers: true,
  input: async () => (await import("./schema.ts")).UpdateObservationInputSchema,
  output: async () => (await import("./schema.ts")).UpdateObservationOutputSchema,
  async run(engine: MemoryEngine, said) {
    const { id, ...given } = said;
    if (Object.values(given).every((value) => value === undefined)) {
      throw new Fault("input.missing", {
        what: `Observation #${id} was not changed.`,
        why: "Nothing was said that could change.",
        fix: { operation: "memory.update", input: { id, content: "…" } },
      });
    }
    const memory = await openEnabledMemory(engine);
    const cleaner = new TextCleaner(engine);
    const { title, content, type, scope, project, topic_key } = await cleaner.all(given);
    const observation = await memory.update(
      id,
      {
        ...(title === undefined ? {} : { title }),
        ...(content === undefined ? {} : { content: rejectLongContent(content) }),
        ...(type === undefined ? {} : { type }),
        ...(scope === undefined ? {} : { scope }),
        ...(project === undefined ? {} : { project: await resolveMemoryProject(engine, project) }),
        ...(topic_key === undefined ? {} : { topic_key: normalizeTopicKey(topic_key) }),
      },
      engine.clock.now(),
    );
    return { observation: createObservationView(observation, "standard"), notes: cleaner.notes() };
  },
  page: ({ observation, notes }) => ({
    title: `#${observation.id} is updated: revision ${observation.revision ?? 1}.`,
    quotes: [quoteObservation(observation)],
    points: notes,
  }),
});

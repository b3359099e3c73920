import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import { normalizeTopicKey } from "#domain/memory/topic-key.ts";
import { TextCleaner, rejectLongContent } from "../clean.ts";
import { openEnabledMemory, resolveMemoryProject } from "../ports/memory.ts";
import { defineOperation } from "../operation.ts";
import type { UpdateObservationInputSchema, UpdateObservationOutputSchema } from "./schema.ts";
import { quoteObservation, createObservationView } from "./view.ts";

export const editObservation = defineOperation<
  z.infer<typeof UpdateObservationInputSchema>,
  z.infer<typeof UpdateObservationOutputSchema>
>({
  id: "memory.update",
  effect: "change",
  isUsers: true,
  input: async () => (await import("./schema.ts")).UpdateObservationInputSchema,
  output: async () => (await import("./schema.ts")).UpdateObservationOutputSchema,
  async run(engine, said) {
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

import type { MemoryEngine } from "./engine.ts";
import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { suggestTopicKey } from "../model/topic-key.ts";
import { TextCleaner } from "./text-cleaner.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { TopicKeyOutputSchema, TopicKeyInputSchema } from "./schema.ts";

export const suggestObservationTopic = defineOperation<
  z.infer<typeof TopicKeyInputSchema>,
  z.infer<typeof TopicKeyOutputSchema>,
  MemoryEngine
>({
  id: "memory.suggest-topic-key",
  effect: "read",
  isUsers: true,
  input: async () => (await import("./schema.ts")).TopicKeyInputSchema,
  output: async () => (await import("./schema.ts")).TopicKeyOutputSchema,
  async run(engine: MemoryEngine, said) {
    const { title, content, type } = await new TextCleaner(engine).all(said);
    if (title === undefined && content === undefined) {
      throw new Fault("input.missing", {
        what: "No topic key can be suggested.",
        why: "Neither a title nor a content was given.",
        fix: { operation: "memory.suggest-topic-key", input: { title: "…" } },
      });
    }
    return { topic_key: suggestTopicKey({ type, title, content }) };
  },
  page: ({ topic_key }) => ({ title: topic_key }),
});

import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import { suggestTopicKey } from "#domain/memory/topic-key.ts";
import { TextCleaner } from "../clean.ts";
import { defineOperation } from "../operation.ts";
import type { TopicKeyOutputSchema, TopicKeyInputSchema } from "./schema.ts";

export const suggestObservationTopic = defineOperation<
  z.infer<typeof TopicKeyInputSchema>,
  z.infer<typeof TopicKeyOutputSchema>
>({
  id: "memory.suggest-topic-key",
  effect: "read",
  isUsers: true,
  input: async () => (await import("./schema.ts")).TopicKeyInputSchema,
  output: async () => (await import("./schema.ts")).TopicKeyOutputSchema,
  async run(engine, said) {
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

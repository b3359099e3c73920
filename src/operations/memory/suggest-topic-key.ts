import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import { suggestTopicKey } from "#domain/memory/topic-key.ts";
import { TextCleaner } from "../clean.ts";
import { defineOperation } from "../operation.ts";
import type { Suggested, SuggestTopicKey } from "./schema.ts";

export const suggest = defineOperation<z.infer<typeof SuggestTopicKey>, z.infer<typeof Suggested>>({
  id: "memory.suggest-topic-key",
  effect: "read",
  isUsers: true,
  input: async () => (await import("./schema.ts")).SuggestTopicKey,
  output: async () => (await import("./schema.ts")).Suggested,
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

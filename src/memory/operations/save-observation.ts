import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { DEFAULT_MEMORY_SESSION, deriveTextTitle, extractLearnings, PROMPT_TYPE } from "../model/observation.ts";
import { normalizeTopicKey, suggestTopicKey } from "../model/topic-key.ts";
import { defineMemoryOperation } from "./engine.ts";
import { createObservationView } from "./observation-view.ts";
import { type ObservationDraft, openEnabledMemory, resolveMemoryProject } from "./ports/memory.ts";
import type { SaveObservationInput } from "./schema.ts";
import { rejectLongContent, TextCleaner } from "./text-cleaner.ts";

const PASSIVE_TYPE = "passive";

export const saveObservation = defineMemoryOperation({
  id: "memory.save",
  effect: "append",
  input: async () => (await import("./schema.ts")).SaveObservationInput,
  output: async () => (await import("./schema.ts")).SaveObservationOutput,
  async run(engine, said) {
    const cleaner = new TextCleaner(engine);
    const memory = await openEnabledMemory(engine, said.scope);
    const input = await cleaner.all(said);
    const common = {
      project: await resolveMemoryProject(engine, input.project),
      scope: input.scope ?? "project",
      namespace: input.namespace ?? "",
      session: input.session_id ?? DEFAULT_MEMORY_SESSION,
      source: input.source,
    };
    const drafts = createSaveDrafts(input).map((draft) => ({
      ...common,
      ...draft,
      content: rejectLongContent(draft.content),
    }));
    const saved = drafts.length === 0 ? [] : await memory.save(drafts, engine.clock.now());
    const [only] = saved;
    const isPlain = (input.save_type ?? "observation") === "observation" && only?.observation.topic_key === undefined;
    return {
      action: saved.length === 1 ? (only?.action ?? "nothing") : `${saved.length} items`,
      saved: saved.map(({ observation }) => createObservationView(observation, "summary")),
      duplicates: saved.filter(({ action }) => action === "duplicate").length,
      related: saved.reduce((sum, { related }) => sum + related, 0),
      suggested_topic_key: isPlain ? suggestTopicKey(input) : undefined,
      notes: [...cleaner.notes(), ...saved.flatMap(({ warnings }) => warnings.map((each) => `Not related: ${each}.`))],
    };
  },
  page({ action, saved, duplicates, related, suggested_topic_key, notes }) {
    const [only, second] = saved;
    const facts: [string, string][] = saved.map((each) => [
      `#${each.id}`,
      `${sanitizeText(each.title, 200)} (${each.type})`,
    ]);
    if (only?.topic_key && !second) facts.push(["topic key", only.topic_key]);
    if (suggested_topic_key) facts.push(["suggested topic key", suggested_topic_key]);
    if (related > 0) facts.push(["relations made", String(related)]);
    return { title: formatSaveTitle(action, saved.length, duplicates, only?.revision), facts, points: notes };
  },
});

function formatSaveTitle(action: string, saved: number, duplicates: number, revision = 1): string {
  if (saved === 0) return "Nothing to save: no list under a heading such as ## Key Learnings.";
  if (saved > 1)
    return `${formatCount(saved, "learning")} found, ${saved - duplicates} saved, ${duplicates} known already.`;
  if (action === "updated") return `Updated: this is revision ${revision}.`;
  if (action === "unchanged") return "Known already, word for word.";
  return action === "duplicate" ? "Known already: saved a moment ago." : "Saved.";
}

type SavedPart = Pick<ObservationDraft, "type" | "title" | "topic_key" | "relate_to" | "isOnce"> & { content: string };

function createSaveDrafts(input: z.infer<typeof SaveObservationInput>): SavedPart[] {
  const { content, save_type = "observation", title = deriveTextTitle(content) } = input;
  if (save_type === PROMPT_TYPE) return [{ type: PROMPT_TYPE, title, content }];
  if (save_type === PASSIVE_TYPE) {
    return extractLearnings(content).map((learning) => ({
      type: input.type ?? PASSIVE_TYPE,
      title: deriveTextTitle(learning, 60),
      content: learning,
      isOnce: true,
    }));
  }
  const key = input.topic_key ?? (input.upsert ? suggestTopicKey(input) : undefined);
  const topic_key = key && normalizeTopicKey(key);
  return [{ type: input.type ?? "manual", title, content, topic_key, relate_to: input.relate_to }];
}

export const suggestObservationTopic = defineMemoryOperation({
  id: "memory.suggest-topic-key",
  effect: "read",
  input: async () => (await import("./schema.ts")).TopicKeyInput,
  output: async () => (await import("./schema.ts")).TopicKeyOutput,
  async run(engine, said) {
    const input = await new TextCleaner(engine).all(said);
    if (input.title !== undefined || input.content !== undefined) return { topic_key: suggestTopicKey(input) };
    throw new Fault("input.missing", {
      what: "No topic key can be suggested.",
      why: "Neither a title nor a content was given.",
      fix: { operation: "memory.suggest-topic-key", input: { title: "…" } },
    });
  },
  page: ({ topic_key }) => ({ title: topic_key }),
});

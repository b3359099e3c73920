import type * as z from "zod";
import { DEFAULT_SESSION, DEFAULT_TYPE, PROMPT, titleFrom } from "#domain/memory/observation.ts";
import { learningsIn } from "#domain/memory/passive.ts";
import { normalTopicKey, suggestTopicKey } from "#domain/memory/topic-key.ts";
import { Fault } from "#domain/fault.ts";
import { formatCount } from "#domain/count.ts";
import { sanitizeText } from "#domain/quote.ts";
import { TextCleaner, rejectLongContent } from "../clean.ts";
import { type ObservationDraft, openEnabledMemory, resolveMemoryProject } from "../ports/memory.ts";
import { defineOperation } from "../operation.ts";
import type { Save, Saved } from "./schema.ts";
import { view } from "./view.ts";

type Input = z.infer<typeof Save>;
type Output = z.infer<typeof Saved>;

const PASSIVE = "passive";

export const save = defineOperation<Input, Output>({
  id: "memory.save",
  effect: "append",
  isUsers: true,
  input: async () => (await import("./schema.ts")).Save,
  output: async () => (await import("./schema.ts")).Saved,
  async run(engine, said) {
    const cleaner = new TextCleaner(engine);
    const memory = await openEnabledMemory(engine);
    const input = await cleaner.all(said);
    const project = await resolveMemoryProject(engine, input.project);
    const common = {
      project,
      scope: input.scope ?? "project",
      namespace: input.namespace ?? "",
      session: input.session_id ?? DEFAULT_SESSION,
      source: input.source,
    } as const;
    const drafts = draftsOf(input).map((draft): ObservationDraft => ({
      ...common,
      ...draft,
      content: rejectLongContent(draft.content),
    }));
    const saved = drafts.length === 0 ? [] : await memory.save(drafts, engine.clock.now());
    const [only] = saved;
    const suggested =
      input.save_type === undefined || input.save_type === "observation"
        ? only?.observation.topic_key === undefined && suggestTopicKey(input)
        : false;
    return {
      action: saved.length === 1 ? (only?.action ?? "nothing") : `${saved.length} items`,
      saved: saved.map(({ observation }) => view(observation, "summary")),
      duplicates: saved.filter(({ action }) => action === "duplicate").length,
      related: saved.reduce((sum, { related }) => sum + related, 0),
      ...(suggested ? { suggested_topic_key: suggested } : {}),
      notes: [...cleaner.notes(), ...saved.flatMap(({ warnings }) => warnings.map((each) => `Not related: ${each}.`))],
    };
  },
  page({ action, saved, duplicates, related, suggested_topic_key, notes }) {
    const [only, second] = saved;
    const facts: [string, string][] = [
      ...saved.map((each): [string, string] => [`#${each.id}`, `${sanitizeText(each.title, 200)} (${each.type})`]),
      ...(only && !second && only.topic_key ? [["topic key", only.topic_key] as [string, string]] : []),
      ...(suggested_topic_key ? [["suggested topic key", suggested_topic_key] as [string, string]] : []),
      ...(related > 0 ? [["relations made", String(related)] as [string, string]] : []),
    ];
    return { title: titleOf(action, saved.length, duplicates, only?.revision), facts, points: notes };
  },
});

function titleOf(action: string, saved: number, duplicates: number, revision = 1): string {
  if (saved === 0) return "Nothing to save: no list under a heading such as ## Key Learnings.";
  if (saved > 1)
    return `${formatCount(saved, "learning")} found, ${saved - duplicates} saved, ${duplicates} known already.`;
  if (action === "updated") return `Updated: this is revision ${revision}.`;
  if (action === "unchanged") return "Known already, word for word.";
  return action === "duplicate" ? "Known already: saved a moment ago." : "Saved.";
}

type Part = Pick<ObservationDraft, "type" | "title" | "topic_key" | "relate_to" | "isOnce"> & { content: string };

function draftsOf(input: Input): Part[] {
  const { content, save_type = "observation", title } = input;
  if (save_type === PROMPT) return [{ type: PROMPT, title: title ?? titleFrom(content), content }];
  if (save_type === PASSIVE) {
    return learningsIn(content).map((learning) => ({
      type: input.type ?? PASSIVE,
      title: titleFrom(learning, 60),
      content: learning,
      isOnce: true,
    }));
  }
  if (title === undefined) {
    throw new Fault("input.missing", {
      what: "Nothing was saved.",
      why: "An observation needs a title.",
      fix: { operation: "memory.save", input: { title: "…", content: "…" } },
    });
  }
  const key = input.topic_key ?? (input.upsert ? suggestTopicKey(input) : undefined);
  return [
    {
      type: input.type ?? DEFAULT_TYPE,
      title,
      content,
      topic_key: key === undefined ? undefined : normalTopicKey(key),
      relate_to: input.relate_to,
    },
  ];
}

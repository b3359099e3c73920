import type { MemoryEngine } from "./engine.ts";
import type * as z from "zod";
import {
  DEFAULT_MEMORY_SESSION,
  DEFAULT_OBSERVATION_TYPE,
  PROMPT_TYPE,
  deriveTextTitle,
  extractLearnings,
} from "../model/observation.ts";
import { normalizeTopicKey, suggestTopicKey } from "../model/topic-key.ts";
import { Fault } from "#kernel/model/fault.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { TextCleaner, rejectLongContent } from "./text-cleaner.ts";
import { type ObservationDraft, openEnabledMemory, resolveMemoryProject } from "./ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { SaveObservationInputSchema, SaveObservationOutputSchema } from "./schema.ts";
import { createObservationView } from "./observation-view.ts";

type SaveObservationInput = z.infer<typeof SaveObservationInputSchema>;
type SaveObservationOutput = z.infer<typeof SaveObservationOutputSchema>;

const PASSIVE_TYPE = "passive";

export const saveObservation = defineOperation<SaveObservationInput, SaveObservationOutput, MemoryEngine>({
  id: "memory.save",
  effect: "append",
  isUsers: true,
  input: async () => (await import("./schema.ts")).SaveObservationInputSchema,
  output: async () => (await import("./schema.ts")).SaveObservationOutputSchema,
  async run(engine: MemoryEngine, said) {
    const cleaner = new TextCleaner(engine);
    const memory = await openEnabledMemory(engine);
    const input = await cleaner.all(said);
    const project = await resolveMemoryProject(engine, input.project);
    const common = {
      project,
      scope: input.scope ?? "project",
      namespace: input.namespace ?? "",
      session: input.session_id ?? DEFAULT_MEMORY_SESSION,
      source: input.source,
    } as const;
    const drafts = createSaveDrafts(input).map((draft): ObservationDraft => ({
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
      saved: saved.map(({ observation }) => createObservationView(observation, "summary")),
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

type ObservationPart = Pick<ObservationDraft, "type" | "title" | "topic_key" | "relate_to" | "isOnce"> & {
  content: string;
};

function createSaveDrafts(input: SaveObservationInput): ObservationPart[] {
  const { content, save_type = "observation", title } = input;
  if (save_type === PROMPT_TYPE) return [{ type: PROMPT_TYPE, title: title ?? deriveTextTitle(content), content }];
  if (save_type === PASSIVE_TYPE) {
    return extractLearnings(content).map((learning) => ({
      type: input.type ?? PASSIVE_TYPE,
      title: deriveTextTitle(learning, 60),
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
      type: input.type ?? DEFAULT_OBSERVATION_TYPE,
      title,
      content,
      topic_key: key === undefined ? undefined : normalizeTopicKey(key),
      relate_to: input.relate_to,
    },
  ];
}

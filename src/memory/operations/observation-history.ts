import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { formatLineDiff } from "#kernel/model/line-diff.ts";
import { type Observation, createUnknownObservationFault } from "../model/observation.ts";
import { cutTextStart } from "#kernel/model/search/text-snippet.ts";
import { normalizeTopicKey } from "../model/topic-key.ts";
import type { Page } from "#kernel/model/page.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { TextCleaner } from "./text-cleaner.ts";
import type { MemoryEngine } from "./engine.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { type MemoryStore, openEnabledMemory, resolveMemoryProject } from "./ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { ObservationHistoryOutputSchema, ObservationHistoryInputSchema } from "./schema.ts";
import { formatOmittedNote, formatProvenance } from "./observation-view.ts";

type ObservationHistoryInput = z.infer<typeof ObservationHistoryInputSchema>;
type ObservationHistoryOutput = z.infer<typeof ObservationHistoryOutputSchema>;

const MAX_COMPARED_REVISIONS = 50;

export const readObservationHistory = defineOperation<ObservationHistoryInput, ObservationHistoryOutput, MemoryEngine>({
  id: "memory.history",
  effect: "read",
  isUsers: true,
  input: async () => (await import("./schema.ts")).ObservationHistoryInputSchema,
  output: async () => (await import("./schema.ts")).ObservationHistoryOutputSchema,
  async run(engine: MemoryEngine, said) {
    const memory = await openEnabledMemory(engine);
    // Secrets were removed from the stored keys, so the input is cleaned too.
    const input = await new TextCleaner(engine).all(said);
    const observation = await findHistoryObservation(engine, memory, input);
    const { id, title, topic_key, source, revision, type, content, updated_at } = observation;
    const present = { revision, type, title, content, at: updated_at, ...(source === undefined ? {} : { source }) };
    // Loads one more than it shows, so that the oldest can be compared.
    const texts = [...(await memory.revisions(id, MAX_COMPARED_REVISIONS)), present];
    const items = texts
      .map((each, i) => ({
        revision: each.revision,
        at: each.at,
        type: each.type,
        title: each.title,
        ...(each.source === undefined ? {} : { source: each.source }),
        diff: formatLineDiff(texts[i - 1]?.content ?? "", each.content),
      }))
      .slice(texts.length > MAX_COMPARED_REVISIONS ? 1 : 0)
      .toReversed();
    const older = texts.length > MAX_COMPARED_REVISIONS ? Math.max(1, revision - items.length) : 0;
    return fitAnswer(engine, input.max_tokens ?? DEFAULT_ANSWER_TOKENS, {
      items,
      build: (shown, omitted): ObservationHistoryOutput => ({
        id,
        title,
        ...(topic_key === undefined ? {} : { topic_key }),
        revision,
        revisions: [...shown],
        omitted: omitted + older,
      }),
      page: formatObservationHistoryPage,
      shorten: (item, length) =>
        item.diff.length <= length ? undefined : { ...item, diff: cutTextStart(item.diff, length), is_part: true },
    });
  },
  page: (output) => formatObservationHistoryPage(output),
});

function formatObservationHistoryPage({ id, topic_key, revision, revisions, omitted }: ObservationHistoryOutput): Page {
  return {
    title: `#${id}${topic_key ? ` (${sanitizeText(topic_key)})` : ""} has ${revision === 1 ? "one revision" : `${revision} revisions`}, newest first.`,
    quotes: revisions.map((each) => ({
      label: `revision ${each.revision}, ${each.at} (${[sanitizeText(each.type, 40), ...formatProvenance(each.source)].join("; ")}) ${sanitizeText(each.title, 200)}`,
      text: each.diff,
    })),
    points: formatOmittedNote(omitted),
  };
}

async function findHistoryObservation(
  engine: MemoryEngine,
  memory: MemoryStore,
  input: ObservationHistoryInput,
): Promise<Observation> {
  const { id, topic_key, project, scope = "project", namespace = "" } = input;
  if (id !== undefined) {
    const observation = await memory.get(id);
    if (!observation) throw createUnknownObservationFault(id);
    return observation;
  }
  if (topic_key === undefined) {
    throw new Fault("input.missing", {
      what: "No history can be shown.",
      why: "Neither an id nor a topic key was given.",
      fix: { operation: "memory.history", input: { topic_key: "…" } },
    });
  }
  const key = normalizeTopicKey(topic_key);
  const at = { project: await resolveMemoryProject(engine, project), scope, namespace };
  const found = (await memory.topic({ ...at, topic_key: key })) ?? (await memory.topic({ ...at, topic_key }));
  if (found) return found;
  throw new Fault("memory.unknown", {
    what: `The topic ${sanitizeText(key, 200)} cannot be found.`,
    why: "Nothing is remembered under that key in this project, scope and namespace.",
    fix: { operation: "memory.search", input: { query: key } },
  });
}

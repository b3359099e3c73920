import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { formatLineDiff } from "#kernel/model/line-diff.ts";
import type { Page } from "#kernel/model/page.ts";
import { cutTextStart } from "#kernel/model/search/text-snippet.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import type { Observation, ObservationRelation } from "../model/memory-records.ts";
import { normalizeTopicKey } from "../model/topic-key.ts";
import { defineMemoryOperation, type MemoryEngine } from "./engine.ts";
import { createObservationView, formatOmittedNote, formatProvenance, quoteObservation } from "./observation-view.ts";
import { type MemoryStore, openEnabledMemory, requireObservation, resolveMemoryProject } from "./ports/memory.ts";
import type { ObservationHistoryInput, ObservationHistoryOutput } from "./schema.ts";
import { TextCleaner } from "./text-cleaner.ts";

const MAX_RELATED_OBSERVATIONS = 50;

export const getObservation = defineMemoryOperation({
  id: "memory.get",
  effect: "read",
  input: async () => (await import("./schema.ts")).GetObservationInput,
  output: async () => (await import("./schema.ts")).GetObservationOutput,
  async run(engine, { id, depth = 1 }) {
    const memory = await openEnabledMemory(engine);
    const observation = await requireObservation(memory, id);
    const { relations, related, omitted } = await followObservationRelations(memory, id, depth);
    return {
      observation: createObservationView(observation, "full"),
      created_at: observation.created_at,
      duplicates: observation.duplicates,
      relations,
      related: related.map((each) => createObservationView(each, "summary")),
      omitted,
    };
  },
  page({ observation, created_at, duplicates, relations, related, omitted }) {
    const titles = new Map([observation, ...related].map((each) => [each.id, sanitizeText(each.title, 80)]));
    const name = (id: number): string => `#${id}${titles.has(id) ? ` ${titles.get(id)}` : ""}`;
    return {
      title: `Observation #${observation.id}, saved ${created_at}${duplicates > 1 ? ` and ${duplicates - 1} times more` : ""}.`,
      quotes: [quoteObservation(observation)],
      points: [
        ...relations.map(
          (each) =>
            `relation ${each.id}: ${name(each.from_id)} ${sanitizeText(each.type, 60)} ${name(each.to_id)}${each.note ? ` (${sanitizeText(each.note, 200)})` : ""}`,
        ),
        ...(omitted > 0 ? [`${omitted} more are related and left out.`] : []),
      ],
    };
  },
});

/** Breadth first in both directions. A cycle is visited once. */
async function followObservationRelations(memory: MemoryStore, id: number, depth: number) {
  const seen = new Set([id]);
  const relations = new Map<number, ObservationRelation>();
  const related: Observation[] = [];
  let omitted = 0;
  for (let edge = [id], step = 0; step < depth && edge.length > 0; step++) {
    const found = await memory.relations(edge);
    for (const relation of found) relations.set(relation.id, relation);
    edge = [...new Set(found.flatMap(({ from_id, to_id }) => [from_id, to_id]))].filter((each) => !seen.has(each));
    const room = MAX_RELATED_OBSERVATIONS - related.length;
    omitted += Math.max(0, edge.length - room);
    edge = edge.slice(0, room);
    for (const each of edge) {
      seen.add(each);
      const observation = await memory.get(each);
      if (observation) related.push(observation);
    }
  }
  const shown = [...relations.values()].filter(({ from_id, to_id }) => seen.has(from_id) && seen.has(to_id));
  return { relations: shown, related, omitted };
}

const MAX_COMPARED_REVISIONS = 50;

export const readObservationHistory = defineMemoryOperation({
  id: "memory.history",
  effect: "read",
  input: async () => (await import("./schema.ts")).ObservationHistoryInput,
  output: async () => (await import("./schema.ts")).ObservationHistoryOutput,
  async run(engine, said) {
    const memory = await openEnabledMemory(engine, said.scope);
    // Secrets were removed from the stored keys, so the input is cleaned too.
    const input = await new TextCleaner(engine).all(said);
    const observation = await findHistoryObservation(engine, memory, input);
    const { id, title, topic_key, revision } = observation;
    // Loads one more than it shows, so that the oldest can be compared.
    const earlier = await memory.revisions(id, MAX_COMPARED_REVISIONS);
    const texts = [...earlier, { ...observation, at: observation.updated_at }];
    const items = texts
      .map((each, i) => ({
        revision: each.revision,
        at: each.at,
        type: each.type,
        title: each.title,
        source: each.source,
        diff: formatLineDiff(texts[i - 1]?.content ?? "", each.content),
      }))
      .slice(texts.length > MAX_COMPARED_REVISIONS ? 1 : 0)
      .toReversed();
    const older = texts.length > MAX_COMPARED_REVISIONS ? Math.max(1, revision - items.length) : 0;
    return fitAnswer(engine, input.max_tokens ?? DEFAULT_ANSWER_TOKENS, {
      items,
      build: (shown, omitted) => ({ id, title, topic_key, revision, revisions: [...shown], omitted: omitted + older }),
      page: formatHistoryPage,
      shorten: (item, length) =>
        item.diff.length <= length ? undefined : { ...item, diff: cutTextStart(item.diff, length), is_part: true },
    });
  },
  page: (output) => formatHistoryPage(output),
});

function formatHistoryPage(output: z.infer<typeof ObservationHistoryOutput>): Page {
  const { id, topic_key, revision, revisions, omitted } = output;
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
  input: z.infer<typeof ObservationHistoryInput>,
): Promise<Observation> {
  const { id, topic_key, project, scope = "project", namespace = "" } = input;
  if (id !== undefined) return requireObservation(memory, id);
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
    why: "No observation has that key in this project, scope and namespace.",
    fix: { operation: "memory.search", input: { query: key } },
  });
}

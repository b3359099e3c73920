import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import { formatLineDiff } from "#domain/line-diff.ts";
import type { Observation } from "#domain/memory/observation.ts";
import { startOf } from "#domain/memory/snippet.ts";
import { unknownObservation } from "#domain/memory/refusals.ts";
import { normalTopicKey } from "#domain/memory/topic-key.ts";
import type { Page } from "#domain/page.ts";
import { sanitizeText } from "#domain/quote.ts";
import { TextCleaner } from "../clean.ts";
import type { Engine } from "../engine.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "../fit.ts";
import { type MemoryStore, openEnabledMemory, resolveMemoryProject } from "../ports/memory.ts";
import { defineOperation } from "../operation.ts";
import type { Historical, History } from "./schema.ts";
import { omittedPoint, provenance } from "./view.ts";

type Input = z.infer<typeof History>;
type Output = z.infer<typeof Historical>;

const MOST = 50;

export const history = defineOperation<Input, Output>({
  id: "memory.history",
  effect: "read",
  isUsers: true,
  input: async () => (await import("./schema.ts")).History,
  output: async () => (await import("./schema.ts")).Historical,
  async run(engine, said) {
    const memory = await openEnabledMemory(engine);
    // Secrets were removed from the stored keys, so the input is cleaned too.
    const input = await new TextCleaner(engine).all(said);
    const observation = await find(engine, memory, input);
    const { id, title, topic_key, source, revision, type, content, updated_at } = observation;
    const present = { revision, type, title, content, at: updated_at, ...(source === undefined ? {} : { source }) };
    // Loads one more than it shows, so that the oldest can be compared.
    const texts = [...(await memory.revisions(id, MOST)), present];
    const items = texts
      .map((each, i) => ({
        revision: each.revision,
        at: each.at,
        type: each.type,
        title: each.title,
        ...(each.source === undefined ? {} : { source: each.source }),
        diff: formatLineDiff(texts[i - 1]?.content ?? "", each.content),
      }))
      .slice(texts.length > MOST ? 1 : 0)
      .toReversed();
    const older = texts.length > MOST ? Math.max(1, revision - items.length) : 0;
    return fitAnswer(engine, input.max_tokens ?? DEFAULT_ANSWER_TOKENS, {
      items,
      build: (shown, omitted): Output => ({
        id,
        title,
        ...(topic_key === undefined ? {} : { topic_key }),
        revision,
        revisions: [...shown],
        omitted: omitted + older,
      }),
      page,
      shorten: (item, length) =>
        item.diff.length <= length ? undefined : { ...item, diff: startOf(item.diff, length), is_part: true },
    });
  },
  page: (output) => page(output),
});

function page({ id, topic_key, revision, revisions, omitted }: Output): Page {
  return {
    title: `#${id}${topic_key ? ` (${sanitizeText(topic_key)})` : ""} has ${revision === 1 ? "one revision" : `${revision} revisions`}, newest first.`,
    quotes: revisions.map((each) => ({
      label: `revision ${each.revision}, ${each.at} (${[sanitizeText(each.type, 40), ...provenance(each.source)].join("; ")}) ${sanitizeText(each.title, 200)}`,
      text: each.diff,
    })),
    points: omittedPoint(omitted),
  };
}

async function find(engine: Engine, memory: MemoryStore, input: Input): Promise<Observation> {
  const { id, topic_key, project, scope = "project", namespace = "" } = input;
  if (id !== undefined) {
    const observation = await memory.get(id);
    if (!observation) throw unknownObservation(id);
    return observation;
  }
  if (topic_key === undefined) {
    throw new Fault("input.missing", {
      what: "No history can be shown.",
      why: "Neither an id nor a topic key was given.",
      fix: { operation: "memory.history", input: { topic_key: "…" } },
    });
  }
  const key = normalTopicKey(topic_key);
  const at = { project: await resolveMemoryProject(engine, project), scope, namespace };
  const found = (await memory.topic({ ...at, topic_key: key })) ?? (await memory.topic({ ...at, topic_key }));
  if (found) return found;
  throw new Fault("memory.unknown", {
    what: `The topic ${sanitizeText(key, 200)} cannot be found.`,
    why: "Nothing is remembered under that key in this project, scope and namespace.",
    fix: { operation: "memory.search", input: { query: key } },
  });
}

import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { subtractDays } from "#kernel/model/utc-time.ts";
import type { Observation } from "../model/memory-records.ts";
import { COMPACTION_SUMMARY_TYPE, DEFAULT_MEMORY_SESSION, isTeamNumber, MAX_COMPACTED } from "../model/observation.ts";
import { normalizeTopicKey } from "../model/topic-key.ts";
import { defineMemoryOperation, type MemoryEngine } from "./engine.ts";
import { createObservationView, quoteObservation } from "./observation-view.ts";
import { openEnabledMemory, resolveMemoryProject, resolveMemoryProjects } from "./ports/memory.ts";
import type { CompactMemoryInput, DeleteObservationInput } from "./schema.ts";
import { rejectLongContent, TextCleaner } from "./text-cleaner.ts";

export const editObservation = defineMemoryOperation({
  id: "memory.update",
  effect: "change",
  input: async () => (await import("./schema.ts")).UpdateObservationInput,
  output: async () => (await import("./schema.ts")).UpdateObservationOutput,
  async run(engine, { id, ...given }) {
    if (Object.values(given).every((value) => value === undefined)) {
      throw new Fault("input.missing", {
        what: `Observation #${id} was not changed.`,
        why: "No new value was given.",
        fix: { operation: "memory.update", input: { id, content: "…" } },
      });
    }
    const memory = await openEnabledMemory(engine);
    if (given.scope !== undefined && (given.scope === "team") !== isTeamNumber(id))
      throw createFixedScopeFault(id, given.scope);
    const cleaner = new TextCleaner(engine);
    const { content, project, topic_key, ...kept } = await cleaner.all(given);
    const change = {
      ...kept,
      content: content && rejectLongContent(content),
      project: project === undefined ? undefined : await resolveMemoryProject(engine, project),
      topic_key: topic_key && normalizeTopicKey(topic_key),
    };
    const observation = await memory.update(id, change, engine.clock.now());
    return { observation: createObservationView(observation, "standard"), notes: cleaner.notes() };
  },
  page: ({ observation, notes }) => ({
    title: `#${observation.id} is updated: revision ${observation.revision ?? 1}.`,
    quotes: [quoteObservation(observation)],
    points: notes,
  }),
});

const createFixedScopeFault = (id: number, scope: Observation["scope"]): Fault =>
  new Fault("input.invalid", {
    what: `Observation #${id} was not changed.`,
    why: "An observation stays in your own memory or in the team's.",
    fix: ["Save its text again:", { operation: "memory.save", input: { content: "…", scope } }],
  });

export const deleteObservation = defineMemoryOperation({
  id: "memory.delete",
  effect: "destroy",
  input: async () => (await import("./schema.ts")).DeleteObservationInput,
  output: async () => (await import("./schema.ts")).DeleteObservationOutput,
  async run(engine, input) {
    rejectMixedTargets(input);
    const memory = await openEnabledMemory(engine);
    const { id, source, hard_delete: isHard = false, undelete = false } = input;
    const at = engine.clock.now();
    const deleted = isHard ? "destroyed" : "deleted";
    if (id === undefined) {
      // Secrets were removed from the stored source, so the input is cleaned too.
      const from = await new TextCleaner(engine).all({ source: source ?? "", project: input.project });
      const project = from.project === undefined ? undefined : await resolveMemoryProject(engine, from.project);
      return { action: deleted, count: await memory.purge(from.source, project, isHard, at) };
    }
    const observation = undelete ? await memory.restore(id, at) : await memory.remove(id, isHard, at);
    const action = undelete ? "undeleted" : deleted;
    return { action, count: 1, observation: createObservationView(observation, "summary") };
  },
  page({ action, count, observation }) {
    if (!observation) return { title: `${formatCount(count, "observation")} ${action}.` };
    const { id } = observation;
    return {
      title: `#${id} is ${action}.`,
      quotes: [quoteObservation(observation)],
      next: action === "deleted" ? [{ operation: "memory.delete", input: { id, undelete: true } }] : [],
    };
  },
});

function rejectMixedTargets({ id, source, hard_delete, undelete }: z.infer<typeof DeleteObservationInput>): void {
  const reject = (code: "input.missing" | "input.invalid", why: string): never => {
    throw new Fault(code, { what: "Nothing was deleted.", why, fix: { operation: "memory.delete", input: { id: 1 } } });
  };
  if (id === undefined && source === undefined) reject("input.missing", "Neither an id nor a source was given.");
  if (id !== undefined && source !== undefined) reject("input.invalid", "An id and a source were both given.");
  if (undelete && (hard_delete || source !== undefined))
    reject("input.invalid", "Only one observation, by its id, is undeleted.");
}

export const relateObservations = defineMemoryOperation({
  id: "memory.relate",
  effect: "change",
  input: async () => (await import("./schema.ts")).RelateInput,
  output: async () => (await import("./schema.ts")).RelateOutput,
  async run(engine, said) {
    const memory = await openEnabledMemory(engine);
    if (said.action === "remove") {
      if (said.id === undefined) throw createMissingRelationFault("id", { action: "remove", id: 1 });
      return { action: "removed", relations: [await memory.unrelate(said.id)], notes: [] };
    }
    const cleaner = new TextCleaner(engine);
    const { from_id, to_id, relation_type: type, note, bidirectional = false } = await cleaner.all(said);
    const example = { from_id: 1, to_id: 2, relation_type: "depends_on" };
    if (from_id === undefined || to_id === undefined) throw createMissingRelationFault("from_id and to_id", example);
    if (type === undefined) throw createMissingRelationFault("relation_type", example);
    const relations = await memory.relate({ from_id, to_id, type, note }, bidirectional, engine.clock.now());
    return { action: "made", relations: [...relations], notes: cleaner.notes() };
  },
  page: ({ action, relations, notes }) => ({
    title: `${relations.length === 1 ? "The relation is" : "The relations are"} ${action}.`,
    points: [
      ...relations.map(
        (each) => `relation ${each.id}: #${each.from_id} ${sanitizeText(each.type, 100)} #${each.to_id}`,
      ),
      ...notes,
    ],
  }),
});

function createMissingRelationFault(what: string, input: Record<string, unknown>): Fault {
  const [why, fix] = [`${what} must be given.`, { operation: "memory.relate", input }];
  return new Fault("input.missing", { what: "No relation was changed.", why, fix });
}

export const compactMemory = defineMemoryOperation({
  id: "memory.compact",
  effect: "change",
  input: async () => (await import("./schema.ts")).CompactMemoryInput,
  output: async () => (await import("./schema.ts")).CompactMemoryOutput,
  async run(engine, said) {
    const memory = await openEnabledMemory(engine, said.scope);
    const cleaner = new TextCleaner(engine);
    const input = await cleaner.all(said);
    const at = engine.clock.now();
    const before = subtractDays(at, input.older_than_days);
    const project = await resolveMemoryProjects(engine, input.project);
    const filter = { project, scope: input.scope, namespace: input.namespace };
    const ids = [...new Set(input.compact_ids)];
    const count = ids.length;
    const draft = await createCompactionSummary(engine, input, count);
    const notes = cleaner.notes();
    if (count === 0) {
      const { observations, total } = await memory.stale(filter, before, MAX_COMPACTED);
      const stale = observations.map((each) => createObservationView(each, "summary"));
      return { action: "listed", before, stale, total, count, notes };
    }
    const saved = await memory.compact(ids, { filter, before }, draft, at);
    const summary = saved && createObservationView(saved, "standard");
    return { action: "compacted", before, stale: [], total: count, count, summary, notes };
  },
  page({ action, before, stale, total, count, summary, notes }) {
    if (action === "compacted") {
      const quotes = summary ? [quoteObservation(summary)] : [];
      return { title: `${formatCount(count, "observation")} put away.`, quotes, points: notes };
    }
    const rows = stale.map((each) => [`#${each.id}`, each.updated_at.slice(0, 10), each.type, each.title]);
    const example = { older_than_days: "…", compact_ids: "…", summary_title: "…", summary_content: "…" };
    return {
      title: `${formatCount(total, "observation")} not changed since ${before.slice(0, 10)}.`,
      ...(rows.length > 0 ? { table: { columns: ["id", "changed", "type", "title"], rows } } : {}),
      points: [...(total > stale.length ? [`The oldest ${stale.length} are shown.`] : []), ...notes],
      next: stale.length > 0 ? [{ operation: "memory.compact", input: example }] : [],
    };
  },
});

async function createCompactionSummary(engine: MemoryEngine, input: z.infer<typeof CompactMemoryInput>, count: number) {
  const { summary_title: title, summary_content: content } = input;
  if (title === undefined && content === undefined) return undefined;
  if (title === undefined || content === undefined)
    throw createCompactInputFault("A summary has a title and a content.");
  if (count === 0)
    throw createCompactInputFault("A summary replaces the observations in compact_ids, and none is given.");
  return {
    project: await resolveMemoryProject(engine, input.project === "*" ? undefined : input.project),
    session: input.session_id ?? DEFAULT_MEMORY_SESSION,
    type: COMPACTION_SUMMARY_TYPE,
    title,
    content: rejectLongContent(content),
    scope: input.scope ?? "project",
    namespace: input.namespace ?? "",
  };
}

function createCompactInputFault(why: string): Fault {
  const fix = { operation: "memory.compact", input: { older_than_days: 90 } };
  return new Fault("input.missing", { what: "Nothing was compacted.", why, fix });
}

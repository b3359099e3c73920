import type * as z from "zod";
import type { Page } from "#kernel/model/page.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import type { MemorySession, Observation } from "../model/memory-records.ts";
import { PROMPT_TYPE } from "../model/observation.ts";
import { defineMemoryOperation } from "./engine.ts";
import * as views from "./observation-view.ts";
import type { ObservationView } from "./observation-view.ts";
import { openEnabledMemory, requireObservation, resolveMemoryProjects } from "./ports/memory.ts";
import type { MemoryContextOutput, TimelineOutput } from "./schema.ts";

type MemoryContext = z.infer<typeof MemoryContextOutput>;
type ContextItem =
  | { readonly kind: "sessions"; readonly item: MemorySession }
  | { readonly kind: "prompts" | "observations"; readonly item: ObservationView };

const CONTEXT_LIMIT = 20;
const CONTEXT_SESSIONS = 5;
const CONTEXT_PROMPTS = 10;

export const readMemoryContext = defineMemoryOperation({
  id: "memory.context",
  effect: "read",
  input: async () => (await import("./schema.ts")).MemoryContextInput,
  output: async () => (await import("./schema.ts")).MemoryContextOutput,
  async run(engine, input) {
    const memory = await openEnabledMemory(engine, input.scope);
    const project = await resolveMemoryProjects(engine, input.project);
    const filter = { project, scope: input.scope, namespace: input.namespace };
    const [name, sessions, prompts, observations] = await Promise.all([
      project && memory.projectName(project),
      memory.sessions(project, CONTEXT_SESSIONS),
      memory.recent({ ...filter, type: PROMPT_TYPE }, CONTEXT_PROMPTS),
      memory.recent(filter, input.limit ?? CONTEXT_LIMIT),
    ]);
    const view = (kind: "prompts" | "observations", each: Observation): ContextItem => ({
      kind,
      item: views.createObservationView(each, input.detail_level ?? "standard"),
    });
    const items = [
      ...sessions.map((session): ContextItem => ({ kind: "sessions", item: views.createSessionView(session) })),
      ...observations.map((each) => view("observations", each)),
      ...prompts.map((each) => view("prompts", each)),
    ];
    return fitAnswer(engine, input.max_tokens ?? DEFAULT_ANSWER_TOKENS, {
      items,
      build: (shown, omitted): MemoryContext => ({
        project: name,
        sessions: shown.flatMap((each) => (each.kind === "sessions" ? [each.item] : [])),
        prompts: shown.flatMap((each) => (each.kind === "prompts" ? [each.item] : [])),
        observations: shown.flatMap((each) => (each.kind === "observations" ? [each.item] : [])),
        omitted,
        ...views.createNotes(memory.warnings, shown.length > 0 || omitted === 0),
      }),
      page: formatContextPage,
      shorten: (each, length) => {
        const item = each.kind === "sessions" ? undefined : views.shortenObservationView(each.item, length);
        return item && each.kind !== "sessions" ? { ...each, item } : undefined;
      },
    });
  },
  page: (output) => formatContextPage(output),
});

function formatContextPage({ project, sessions, prompts, observations, omitted, notes = [] }: MemoryContext): Page {
  const where = project === undefined ? "" : ` of ${project}`;
  const isEmpty = sessions.length + prompts.length + observations.length + omitted === 0;
  const counts = [
    formatCount(sessions.length, "session"),
    formatCount(observations.length, "observation"),
    ...(prompts.length > 0 ? [formatCount(prompts.length, "prompt")] : []),
  ];
  return {
    title: isEmpty ? `No observations${where} yet.` : `Observations${where}: ${counts.join(", ")}.`,
    quotes: [
      ...sessions.map((session) => ({ label: `session ${views.formatSessionSummary(session)}`, text: "" })),
      ...observations.map((each) => views.quoteObservation(each)),
      ...prompts.map((each) => ({
        label: [`#${each.id} asked ${each.updated_at.slice(0, 10)}`, ...views.formatProvenance(each.source)].join(", "),
        text: sanitizeText(each.text ?? each.title, 400),
      })),
    ],
    points: [...views.formatOmittedNote(omitted), ...notes],
  };
}

type Timeline = z.infer<typeof TimelineOutput>;
type TimelineItem = { readonly side: "before" | "observation" | "after"; readonly item: ObservationView };

const TIMELINE_REACH = 5;
/** In characters. */
const TIMELINE_SUMMARY_LENGTH = 120;
const MINIMAL_TEXT_LENGTH = 24;

export const readMemoryTimeline = defineMemoryOperation({
  id: "memory.timeline",
  effect: "read",
  input: async () => (await import("./schema.ts")).TimelineInput,
  output: async () => (await import("./schema.ts")).TimelineOutput,
  async run(engine, input) {
    const { before = TIMELINE_REACH, after = TIMELINE_REACH, detail_level = "standard" } = input;
    const memory = await openEnabledMemory(engine);
    const observation = await requireObservation(memory, input.observation_id);
    const around = await memory.around(observation, before, after);
    const { directory: _, ...session } = views.createSessionView(around.session, TIMELINE_SUMMARY_LENGTH);
    const view =
      (side: TimelineItem["side"], detail = detail_level) =>
      (each: Observation): TimelineItem => ({ side, item: views.createObservationView(each, detail) });
    const sides = [around.before.map(view("before")), around.after.map(view("after"))];
    // The nearest first, so that the furthest are dropped.
    const beside = Array.from({ length: Math.max(...sides.map((side) => side.length)) }).flatMap((__, i) =>
      sides.flatMap((side) => side[i] ?? []),
    );
    const centre = view("observation", detail_level === "summary" ? "summary" : "full")(observation);
    const onSide = (items: readonly TimelineItem[], side: TimelineItem["side"]): ObservationView[] =>
      items.filter((each) => each.side === side).map(({ item }) => item);
    const cut = (text: string): string => sanitizeText(text, MINIMAL_TEXT_LENGTH);
    // If not even a part fits, the id and the start of the title do.
    const { id, type, title, project, updated_at } = observation;
    const minimal = { id, type: cut(type), title: cut(title), is_part: true, project, updated_at };
    const { ended_at: _ended, summary: _summary, ...brief } = session;
    return fitAnswer(engine, input.max_tokens ?? DEFAULT_ANSWER_TOKENS, {
      items: [centre, ...beside],
      build: (items, omitted): Timeline => ({
        session: items.length === 0 ? { ...brief, id: cut(brief.id) } : session,
        before: onSide(items, "before").toReversed(),
        observation: onSide(items, "observation")[0] ?? minimal,
        after: onSide(items, "after"),
        omitted,
      }),
      page: formatTimelinePage,
      shorten: ({ side, item }, length) => {
        const part = views.shortenObservationView(item, length);
        return part && { side, item: part };
      },
    });
  },
  page: (output) => formatTimelinePage(output),
});

function formatTimelinePage({ session, before, observation, after, omitted }: Timeline): Page {
  return {
    title: `Around #${observation.id}.`,
    quotes: [
      { label: `session ${views.formatSessionSummary(session)}`, text: "" },
      ...before.map((each) => views.quoteObservation(each, "before: ")),
      views.quoteObservation(observation, "here: "),
      ...after.map((each) => views.quoteObservation(each, "after: ")),
    ],
    points: views.formatOmittedNote(omitted),
  };
}

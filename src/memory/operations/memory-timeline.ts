import type { MemoryEngine } from "./engine.ts";
import type * as z from "zod";
import { type Observation, createUnknownObservationFault } from "../model/observation.ts";
import type { Page } from "#kernel/model/page.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { openEnabledMemory } from "./ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { TimelineOutputSchema, TimelineInputSchema } from "./schema.ts";
import {
  formatOmittedNote,
  quoteObservation,
  formatSessionSummary,
  shortenObservationView,
  type ObservationView,
  createObservationView,
  createSessionView,
} from "./observation-view.ts";

type TimelineOutput = z.infer<typeof TimelineOutputSchema>;
type TimelineSide = "before" | "observation" | "after";
type TimelineItem = { readonly side: TimelineSide; readonly item: ObservationView };

const TIMELINE_REACH = 5;
/** In characters. */
const TIMELINE_SUMMARY_LENGTH = 120;
const MINIMAL_TEXT_LENGTH = 24;

export const readMemoryTimeline = defineOperation<z.infer<typeof TimelineInputSchema>, TimelineOutput, MemoryEngine>({
  id: "memory.timeline",
  effect: "read",
  isUsers: true,
  input: async () => (await import("./schema.ts")).TimelineInputSchema,
  output: async () => (await import("./schema.ts")).TimelineOutputSchema,
  async run(
    engine,
    { observation_id, before = TIMELINE_REACH, after = TIMELINE_REACH, detail_level = "standard", max_tokens },
  ) {
    const memory = await openEnabledMemory(engine);
    const observation = await memory.get(observation_id);
    if (!observation) throw createUnknownObservationFault(observation_id);
    const around = await memory.around(observation, before, after);
    const { directory: __, ...session } = createSessionView(around.session, TIMELINE_SUMMARY_LENGTH);
    const shown =
      (side: TimelineSide) =>
      (each: Observation): TimelineItem => ({ side, item: createObservationView(each, detail_level) });
    const sides = [around.before.map(shown("before")), around.after.map(shown("after"))];
    // The nearest first, so that the furthest are dropped.
    const beside = Array.from({ length: Math.max(...sides.map((side) => side.length)) }).flatMap((_, i) =>
      sides.flatMap((side) => side[i] ?? []),
    );
    const centre: TimelineItem = {
      side: "observation",
      item: createObservationView(observation, detail_level === "summary" ? "summary" : "full"),
    };
    const at = (items: readonly TimelineItem[], side: TimelineSide): ObservationView[] =>
      items.filter((each) => each.side === side).map(({ item }) => item);
    return fitAnswer(engine, max_tokens ?? DEFAULT_ANSWER_TOKENS, {
      items: [centre, ...beside],
      build: (items, omitted): TimelineOutput => ({
        session: items.length === 0 ? createMinimalSession(session) : session,
        before: at(items, "before").toReversed(),
        // If not even a part fits, the id and the start of the title do.
        observation: at(items, "observation")[0] ?? {
          id: observation.id,
          type: sanitizeText(observation.type, MINIMAL_TEXT_LENGTH),
          title: sanitizeText(observation.title, MINIMAL_TEXT_LENGTH),
          is_part: true,
          project: observation.project,
          updated_at: observation.updated_at,
        },
        after: at(items, "after"),
        omitted,
      }),
      page: formatTimelinePage,
      shorten: ({ side, item }, length) => {
        const part = shortenObservationView(item, length);
        return part && { side, item: part };
      },
    });
  },
  page: (output) => formatTimelinePage(output),
});

function createMinimalSession({
  id,
  project,
  started_at,
  observations,
}: TimelineOutput["session"]): TimelineOutput["session"] {
  return { id: sanitizeText(id, MINIMAL_TEXT_LENGTH), project, started_at, observations };
}

function formatTimelinePage({ session, before, observation, after, omitted }: TimelineOutput): Page {
  return {
    title: `Around #${observation.id}.`,
    quotes: [
      { label: `session ${formatSessionSummary(session)}`, text: "" },
      ...before.map((each) => quoteObservation(each, "before: ")),
      quoteObservation(observation, "here: "),
      ...after.map((each) => quoteObservation(each, "after: ")),
    ],
    points: formatOmittedNote(omitted),
  };
}

import type * as z from "zod";
import type { Observation } from "#domain/memory/observation.ts";
import { unknownObservation } from "#domain/memory/refusals.ts";
import type { Page } from "#domain/page.ts";
import { sanitizeText } from "#domain/quote.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "../fit.ts";
import { openEnabledMemory } from "../ports/memory.ts";
import { defineOperation } from "../operation.ts";
import type { Around, Timeline } from "./schema.ts";
import { omittedPoint, quoteView, sessionLine, shortenView, type Shown, view, viewSession } from "./view.ts";

type Output = z.infer<typeof Around>;
type Side = "before" | "observation" | "after";
type Item = { readonly side: Side; readonly item: Shown };

const REACH = 5;
/** In characters. */
const SUMMARY = 120;
const BAREST = 24;

export const timeline = defineOperation<z.infer<typeof Timeline>, Output>({
  id: "memory.timeline",
  effect: "read",
  isUsers: true,
  input: async () => (await import("./schema.ts")).Timeline,
  output: async () => (await import("./schema.ts")).Around,
  async run(engine, { observation_id, before = REACH, after = REACH, detail_level = "standard", max_tokens }) {
    const memory = await openEnabledMemory(engine);
    const observation = await memory.get(observation_id);
    if (!observation) throw unknownObservation(observation_id);
    const around = await memory.around(observation, before, after);
    const { directory: __, ...session } = viewSession(around.session, SUMMARY);
    const shown =
      (side: Side) =>
      (each: Observation): Item => ({ side, item: view(each, detail_level) });
    const sides = [around.before.map(shown("before")), around.after.map(shown("after"))];
    // The nearest first, so that the furthest are dropped.
    const beside = Array.from({ length: Math.max(...sides.map((side) => side.length)) }).flatMap((_, i) =>
      sides.flatMap((side) => side[i] ?? []),
    );
    const centre: Item = {
      side: "observation",
      item: view(observation, detail_level === "summary" ? "summary" : "full"),
    };
    const at = (items: readonly Item[], side: Side): Shown[] =>
      items.filter((each) => each.side === side).map(({ item }) => item);
    return fitAnswer(engine, max_tokens ?? DEFAULT_ANSWER_TOKENS, {
      items: [centre, ...beside],
      build: (items, omitted): Output => ({
        session: items.length === 0 ? barest(session) : session,
        before: at(items, "before").toReversed(),
        // If not even a part fits, the id and the start of the title do.
        observation: at(items, "observation")[0] ?? {
          id: observation.id,
          type: sanitizeText(observation.type, BAREST),
          title: sanitizeText(observation.title, BAREST),
          is_part: true,
          project: observation.project,
          updated_at: observation.updated_at,
        },
        after: at(items, "after"),
        omitted,
      }),
      page,
      shorten: ({ side, item }, length) => {
        const part = shortenView(item, length);
        return part && { side, item: part };
      },
    });
  },
  page: (output) => page(output),
});

function barest({ id, project, started_at, observations }: Output["session"]): Output["session"] {
  return { id: sanitizeText(id, BAREST), project, started_at, observations };
}

function page({ session, before, observation, after, omitted }: Output): Page {
  return {
    title: `Around #${observation.id}.`,
    quotes: [
      { label: `session ${sessionLine(session)}`, text: "" },
      ...before.map((each) => quoteView(each, "before: ")),
      quoteView(observation, "here: "),
      ...after.map((each) => quoteView(each, "after: ")),
    ],
    points: omittedPoint(omitted),
  };
}

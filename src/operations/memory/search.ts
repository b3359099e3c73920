import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { readQuestion, readSince } from "#domain/memory/question.ts";
import { sanitizeText } from "#domain/quote.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "../fit.ts";
import { openEnabledMemory, resolveMemoryProjects } from "../ports/memory.ts";
import { defineOperation } from "../operation.ts";
import { recall } from "./recall.ts";
import type { Found, Search } from "./schema.ts";
import { omittedPoint, quoteView, shortenView, view } from "./view.ts";

type Output = z.infer<typeof Found>;

const LIMIT = 10;
const MOST_REPAIRED = 5;

export const search = defineOperation<z.infer<typeof Search>, Output>({
  id: "memory.search",
  effect: "read",
  isUsers: true,
  input: async () => (await import("./schema.ts")).Search,
  output: async () => (await import("./schema.ts")).Found,
  async run(engine, input) {
    const memory = await openEnabledMemory(engine);
    const now = engine.clock.now();
    const question = readQuestion(input.query, now);
    const project = await resolveMemoryProjects(engine, question.project ?? input.project);
    const filter = {
      project,
      type: question.type ?? input.type,
      scope: input.scope,
      namespace: input.namespace,
      since: question.since ?? (input.since === undefined ? undefined : readSince(input.since, now)),
    };
    const limit = input.limit ?? LIMIT;
    const { observations, repaired } =
      question.terms.length === 0
        ? { observations: await memory.recent(filter, limit), repaired: [] }
        : await recall(memory, question, filter);
    const terms = new Set(question.terms);
    const name = project && (await memory.projectName(project));
    return fitAnswer(engine, input.max_tokens ?? DEFAULT_ANSWER_TOKENS, {
      items: observations.slice(0, limit).map((each) => view(each, input.detail_level ?? "standard", terms)),
      build: (shown, omitted): Output => ({
        observations: [...shown],
        omitted,
        ...(name === undefined ? {} : { project: name }),
        // Without room for a result there is none for this.
        repaired: shown.length === 0 && omitted > 0 ? [] : repaired.slice(0, MOST_REPAIRED),
      }),
      page,
      shorten: shortenView,
    });
  },
  page: (output) => page(output),
});

function page({ observations, omitted, project, repaired }: Output) {
  const where = project === undefined ? "" : ` in ${project}`;
  const total = observations.length + omitted;
  return {
    title: total === 0 ? `Nothing found${where}.` : `Found ${formatCount(total, "observation")}${where}.`,
    quotes: observations.map((each) => quoteView(each)),
    points: [
      ...repaired.map(({ from }) => `Nobody wrote "${sanitizeText(from, 60)}"; a word spelled like it was looked for.`),
      ...omittedPoint(omitted),
      ...(total === 0 && project !== undefined ? ["Other projects: project * looks in all of them."] : []),
    ],
  };
}

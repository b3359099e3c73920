import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { PROMPT } from "#domain/memory/observation.ts";
import type { Page } from "#domain/page.ts";
import { sanitizeText } from "#domain/quote.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "../fit.ts";
import { openEnabledMemory, resolveMemoryProjects } from "../ports/memory.ts";
import { defineOperation } from "../operation.ts";
import type { Context, Contextual } from "./schema.ts";
import {
  omittedPoint,
  provenance,
  quoteView,
  sessionLine,
  shortenView,
  type Shown,
  view,
  viewSession,
} from "./view.ts";

type Output = z.infer<typeof Contextual>;
type Item =
  | { readonly kind: "sessions"; readonly item: Output["sessions"][number] }
  | { readonly kind: "prompts" | "observations"; readonly item: Shown };

const LIMIT = 20;
const SESSIONS = 5;
const PROMPTS = 10;

export const context = defineOperation<z.infer<typeof Context>, Output>({
  id: "memory.context",
  effect: "read",
  isUsers: true,
  input: async () => (await import("./schema.ts")).Context,
  output: async () => (await import("./schema.ts")).Contextual,
  async run(engine, input) {
    const memory = await openEnabledMemory(engine);
    const project = await resolveMemoryProjects(engine, input.project);
    const filter = { project, scope: input.scope, namespace: input.namespace };
    const detail = input.detail_level ?? "standard";
    const [name, sessions, prompts, observations] = await Promise.all([
      project && memory.projectName(project),
      memory.sessions(project, SESSIONS),
      memory.recent({ ...filter, type: PROMPT }, PROMPTS),
      memory.recent(filter, input.limit ?? LIMIT),
    ]);
    const items: Item[] = [
      ...sessions.map((session): Item => ({ kind: "sessions", item: viewSession(session) })),
      ...observations.map((each): Item => ({ kind: "observations", item: view(each, detail) })),
      ...prompts.map((each): Item => ({ kind: "prompts", item: view(each, detail) })),
    ];
    return fitAnswer(engine, input.max_tokens ?? DEFAULT_ANSWER_TOKENS, {
      items,
      build: (shown, omitted): Output => ({
        ...(name === undefined ? {} : { project: name }),
        sessions: shown.flatMap((each) => (each.kind === "sessions" ? [each.item] : [])),
        prompts: shown.flatMap((each) => (each.kind === "prompts" ? [each.item] : [])),
        observations: shown.flatMap((each) => (each.kind === "observations" ? [each.item] : [])),
        omitted,
      }),
      page,
      shorten,
    });
  },
  page: (output) => page(output),
});

function shorten(each: Item, length: number): Item | undefined {
  if (each.kind === "sessions") return undefined;
  const item = shortenView(each.item, length);
  return item && { ...each, item };
}

function page({ project, sessions, prompts, observations, omitted }: Output): Page {
  const where = project === undefined ? "" : ` of ${project}`;
  const isEmpty = sessions.length + prompts.length + observations.length + omitted === 0;
  return {
    title: isEmpty
      ? `Nothing is remembered${where} yet.`
      : `What is remembered${where}: ${parts(sessions, prompts, observations)}.`,
    quotes: [
      ...sessions.map((session) => ({ label: `session ${sessionLine(session)}`, text: "" })),
      ...observations.map((each) => quoteView(each)),
      ...prompts.map((each) => ({
        label: `#${each.id} asked ${each.updated_at.slice(0, 10)}${provenance(each.source)
          .map((from) => `, ${from}`)
          .join("")}`,
        text: sanitizeText(each.text ?? each.title, 400),
      })),
    ],
    points: omittedPoint(omitted),
  };
}

const parts = (sessions: readonly unknown[], prompts: readonly unknown[], observations: readonly unknown[]): string =>
  [
    formatCount(sessions.length, "session"),
    formatCount(observations.length, "observation"),
    ...(prompts.length > 0 ? [formatCount(prompts.length, "prompt")] : []),
  ].join(", ");

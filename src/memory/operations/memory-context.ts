import type { MemoryEngine } from "./engine.ts";
import type * as z from "zod";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { PROMPT_TYPE } from "../model/observation.ts";
import type { Page } from "#kernel/model/page.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { openEnabledMemory, resolveMemoryProjects } from "./ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { MemoryContextInputSchema, MemoryContextOutputSchema } from "./schema.ts";
import {
  formatOmittedNote,
  formatProvenance,
  quoteObservation,
  formatSessionSummary,
  shortenObservationView,
  type ObservationView,
  createObservationView,
  createSessionView,
} from "./observation-view.ts";

type MemoryContextOutput = z.infer<typeof MemoryContextOutputSchema>;
type MemoryContextItem =
  | { readonly kind: "sessions"; readonly item: MemoryContextOutput["sessions"][number] }
  | { readonly kind: "prompts" | "observations"; readonly item: ObservationView };

const CONTEXT_LIMIT = 20;
const CONTEXT_SESSIONS = 5;
const CONTEXT_PROMPTS = 10;

export const readMemoryContext = defineOperation<
  z.infer<typeof MemoryContextInputSchema>,
  MemoryContextOutput,
  MemoryEngine
>({
  id: "memory.context",
  effect: "read",
  isUsers: true,
  input: async () => (await import("./schema.ts")).MemoryContextInputSchema,
  output: async () => (await import("./schema.ts")).MemoryContextOutputSchema,
  async run(engine: MemoryEngine, input) {
    const memory = await openEnabledMemory(engine);
    const project = await resolveMemoryProjects(engine, input.project);
    const filter = { project, scope: input.scope, namespace: input.namespace };
    const detail = input.detail_level ?? "standard";
    const [name, sessions, prompts, observations] = await Promise.all([
      project && memory.projectName(project),
      memory.sessions(project, CONTEXT_SESSIONS),
      memory.recent({ ...filter, type: PROMPT_TYPE }, CONTEXT_PROMPTS),
      memory.recent(filter, input.limit ?? CONTEXT_LIMIT),
    ]);
    const items: MemoryContextItem[] = [
      ...sessions.map((session): MemoryContextItem => ({ kind: "sessions", item: createSessionView(session) })),
      ...observations.map((each): MemoryContextItem => ({
        kind: "observations",
        item: createObservationView(each, detail),
      })),
      ...prompts.map((each): MemoryContextItem => ({ kind: "prompts", item: createObservationView(each, detail) })),
    ];
    return fitAnswer(engine, input.max_tokens ?? DEFAULT_ANSWER_TOKENS, {
      items,
      build: (shown, omitted): MemoryContextOutput => ({
        ...(name === undefined ? {} : { project: name }),
        sessions: shown.flatMap((each) => (each.kind === "sessions" ? [each.item] : [])),
        prompts: shown.flatMap((each) => (each.kind === "prompts" ? [each.item] : [])),
        observations: shown.flatMap((each) => (each.kind === "observations" ? [each.item] : [])),
        omitted,
      }),
      page: formatMemoryContextPage,
      shorten: shortenContextItem,
    });
  },
  page: (output) => formatMemoryContextPage(output),
});

function shortenContextItem(each: MemoryContextItem, length: number): MemoryContextItem | undefined {
  if (each.kind === "sessions") return undefined;
  const item = shortenObservationView(each.item, length);
  return item && { ...each, item };
}

function formatMemoryContextPage({ project, sessions, prompts, observations, omitted }: MemoryContextOutput): Page {
  const where = project === undefined ? "" : ` of ${project}`;
  const isEmpty = sessions.length + prompts.length + observations.length + omitted === 0;
  return {
    title: isEmpty
      ? `Nothing is remembered${where} yet.`
      : `What is remembered${where}: ${formatContextCounts(sessions, prompts, observations)}.`,
    quotes: [
      ...sessions.map((session) => ({ label: `session ${formatSessionSummary(session)}`, text: "" })),
      ...observations.map((each) => quoteObservation(each)),
      ...prompts.map((each) => ({
        label: `#${each.id} asked ${each.updated_at.slice(0, 10)}${formatProvenance(each.source)
          .map((from) => `, ${from}`)
          .join("")}`,
        text: sanitizeText(each.text ?? each.title, 400),
      })),
    ],
    points: formatOmittedNote(omitted),
  };
}

const formatContextCounts = (
  sessions: readonly unknown[],
  prompts: readonly unknown[],
  observations: readonly unknown[],
): string =>
  [
    formatCount(sessions.length, "session"),
    formatCount(observations.length, "observation"),
    ...(prompts.length > 0 ? [formatCount(prompts.length, "prompt")] : []),
  ].join(", ");

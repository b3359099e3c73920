import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { renderPageMarkdown } from "#domain/markdown.ts";
import type { Page } from "#domain/page.ts";
import type { Engine } from "../engine.ts";
import { fitAnswer } from "../fit.ts";
import { type HandoverState, readHandoverState, type BriefPart, createBriefParts } from "./knowing.ts";
import type { WriteHandoverOutputSchema } from "./schema.ts";

export type HandoverOutput = z.infer<typeof WriteHandoverOutputSchema>;

export async function readResumeBrief(engine: Engine, maxTokens: number): Promise<HandoverOutput> {
  return fitHandoverBrief(
    engine,
    await engine.store.read((tree) => readHandoverState(tree, engine)),
    "resume",
    maxTokens,
  );
}

export async function formatResumeBrief(engine: Engine, maxTokens: number): Promise<string> {
  return renderPageMarkdown(formatHandoverPage(await readResumeBrief(engine, maxTokens)), () => "");
}

const classifySessionState = ({ session }: HandoverState): HandoverOutput["state"] =>
  session === undefined ? "none" : session.isDraft ? "draft" : "polished";

export function fitHandoverBrief(
  engine: Engine,
  known: HandoverState,
  mode: "resume" | "asked",
  maxTokens: number,
  questions: readonly string[] = [],
): Promise<HandoverOutput> {
  const branch = engine.branch();
  return fitAnswer<BriefPart, HandoverOutput>(engine, maxTokens, {
    items: createBriefParts(known),
    build: (parts, omitted) => ({
      mode,
      ...(branch === undefined ? {} : { branch: branch.slice(0, 100) }),
      state: classifySessionState(known),
      parts: [...parts],
      omitted,
      questions: [...questions],
      written: [],
      notes: known.notes.slice(0, 2).map((note) => note.slice(0, 200)),
    }),
    page: formatHandoverPage,
    shorten: (part, length) => ({ ...part, text: `${part.text.slice(0, length)}…` }),
  });
}

const HANDOVER_TITLES: Readonly<Record<HandoverOutput["mode"], string>> = {
  asked: "Before a handover: ask the user, and call it again with the answers.",
  resume: "Where the work stands.",
  written: "Handed over.",
};

export function formatHandoverPage({
  mode,
  branch,
  parts,
  omitted,
  questions,
  written,
  decision,
  notes,
}: HandoverOutput): Page {
  return {
    title: mode === "resume" && parts.length === 0 ? "Nobody has left anything to go on by." : HANDOVER_TITLES[mode],
    facts: [
      ...(branch === undefined || mode === "written" ? [] : [["branch", branch] as const]),
      ...(decision === undefined ? [] : [["decision", decision] as const]),
    ],
    quotes: parts.map(({ about, text }) => ({ label: about, text })),
    points: [
      ...questions,
      ...written.map((path) => `${path} written`),
      ...(omitted > 0 ? [`${formatCount(omitted, "part")} left out for max_tokens.`] : []),
      ...notes,
    ],
    ...(mode === "asked" ? { next: [ANSWER_CALL] } : {}),
  };
}

const ANSWER_CALL = { operation: "handover.write", input: { accomplished: "…", next: "…" } };

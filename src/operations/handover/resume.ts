import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { renderPageMarkdown } from "#domain/markdown.ts";
import type { Page } from "#domain/page.ts";
import type { Engine } from "../engine.ts";
import { fitAnswer } from "../fit.ts";
import { type Known, knownIn, type Part, partsOf } from "./knowing.ts";
import type { HandedOver } from "./schema.ts";

export type Output = z.infer<typeof HandedOver>;

export async function resume(engine: Engine, maxTokens: number): Promise<Output> {
  return shown(engine, await engine.store.read((tree) => knownIn(tree, engine)), "resume", maxTokens);
}

export async function resumeBrief(engine: Engine, maxTokens: number): Promise<string> {
  return renderPageMarkdown(pageOf(await resume(engine, maxTokens)), () => "");
}

const stateOf = ({ session }: Known): Output["state"] =>
  session === undefined ? "none" : session.isDraft ? "draft" : "polished";

export function shown(
  engine: Engine,
  known: Known,
  mode: "resume" | "asked",
  maxTokens: number,
  questions: readonly string[] = [],
): Promise<Output> {
  const branch = engine.branch();
  return fitAnswer<Part, Output>(engine, maxTokens, {
    items: partsOf(known),
    build: (parts, omitted) => ({
      mode,
      ...(branch === undefined ? {} : { branch: branch.slice(0, 100) }),
      state: stateOf(known),
      parts: [...parts],
      omitted,
      questions: [...questions],
      written: [],
      notes: known.notes.slice(0, 2).map((note) => note.slice(0, 200)),
    }),
    page: pageOf,
    shorten: (part, length) => ({ ...part, text: `${part.text.slice(0, length)}…` }),
  });
}

const TITLES: Readonly<Record<Output["mode"], string>> = {
  asked: "Before a handover: ask the user, and call it again with the answers.",
  resume: "Where the work stands.",
  written: "Handed over.",
};

export function pageOf({ mode, branch, parts, omitted, questions, written, decision, notes }: Output): Page {
  return {
    title: mode === "resume" && parts.length === 0 ? "Nobody has left anything to go on by." : TITLES[mode],
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
    ...(mode === "asked" ? { next: [ANSWER] } : {}),
  };
}

const ANSWER = { operation: "handover.write", input: { accomplished: "…", next: "…" } };

import type * as z from "zod";
import { formatCount } from "#kernel/model/text-format.ts";
import { renderPageMarkdown, type Page } from "#kernel/model/page.ts";
import type { RoadmapEngine } from "../engine.ts";
import { fitAnswer } from "#kernel/operations/answer-budget.ts";
import type { WriteHandoverOutputSchema } from "./schema.ts";
import { isSessionDecision, type LoggedDecision, parseDecisionLog } from "../../model/handover/decision-log.ts";
import { formatFeatureProgress } from "../../model/handover/accomplished-work.ts";
import { parseSessionDocument, type SessionDocument } from "../../model/handover/session-document.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import { DECISIONS_PATH, HANDOVER_SESSION_PATH } from "#kernel/model/workspace-paths.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { summarizePendingWork } from "../lead/action-view.ts";
import { loadLead } from "../lead/lead-store.ts";
import { loadPendingBuffer } from "../knowledge/knowledge-folder.ts";

export type HandoverOutput = z.infer<typeof WriteHandoverOutputSchema>;

export async function formatResumeBrief(engine: RoadmapEngine, maxTokens: number): Promise<string> {
  return renderPageMarkdown(formatHandoverPage(await readHandoverBrief(engine, "resume", maxTokens)), () => "");
}

export async function readHandoverBrief(
  engine: RoadmapEngine,
  mode: "resume" | "asked",
  maxTokens: number,
  questions: readonly string[] = [],
): Promise<HandoverOutput> {
  const known = await engine.store.read((tree) => readHandoverState(tree, engine));
  const branch = engine.branch();
  const state = known.session === undefined ? "none" : known.session.isDraft ? "draft" : "polished";
  return fitAnswer<BriefPart, HandoverOutput>(engine, maxTokens, {
    items: createBriefParts(known),
    build: (parts, omitted) => ({
      mode,
      ...(branch === undefined ? {} : { branch: branch.slice(0, 100) }),
      state,
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

export function formatHandoverPage(output: HandoverOutput): Page {
  const { mode, branch, parts, omitted, questions, written, decision, notes } = output;
  const answer = { operation: "handover.write", input: { accomplished: "…", next: "…" } };
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
    ...(mode === "asked" ? { next: [answer] } : {}),
  };
}

export interface HandoverState {
  readonly text: string | undefined;
  readonly session: SessionDocument | undefined;
  /** Latest first, without session starts and ends. */
  readonly decisions: readonly LoggedDecision[];
  /** Day of the last handover; empty if there was none. */
  readonly since: string;
  readonly lead: Lead | undefined;
  readonly learned: readonly string[];
  readonly candidates: readonly string[];
  readonly notes: readonly string[];
}

/** Unreadable files are noted and do not block a handover. */
export function readHandoverState(tree: StoreTree, engine: Pick<RoadmapEngine, "checkout">): HandoverState {
  const notes: string[] = [];
  const open = createTolerantTree(tree, (path, why) => void notes.push(`${path} cannot be read: ${why}`));
  const text = open.text(HANDOVER_SESSION_PATH);
  const { tags, candidates } = loadPendingBuffer(tree, engine);
  const all = parseDecisionLog(open.text(DECISIONS_PATH) ?? "").toReversed();
  return {
    text,
    session: text === undefined ? undefined : parseSessionDocument(text),
    decisions: all.filter((each) => !isSessionDecision(each)),
    since: all.find(({ type }) => type === "SESSION_END")?.at.slice(0, 10) ?? "",
    lead: readOptionalLead(tree, engine, notes),
    learned: tags.map(({ tag, feature, role }) => `${tag} (source: ${feature} ${role})`),
    candidates: candidates.map(({ name, features }) => `${name}: detected in ${features.join(", ")}`),
    notes,
  };
}

function readOptionalLead(tree: StoreTree, engine: Pick<RoadmapEngine, "checkout">, notes: string[]): Lead | undefined {
  try {
    const lead = loadLead(tree, engine);
    return lead.features.size === 0 ? undefined : lead;
  } catch (error) {
    notes.push(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

type BriefPart = HandoverOutput["parts"][number];

const MAX_BRIEF_DECISIONS = 8;

function createBriefParts(known: HandoverState): BriefPart[] {
  const { session, lead, decisions, learned, candidates } = known;
  const parts: readonly (readonly [string, string])[] = [
    ["Immediate next action", session?.next ?? ""],
    ["Warnings", session?.warnings ?? ""],
    ["Resume instructions", session?.resume ?? ""],
    ["Steering exceptions", session?.exceptions ?? ""],
    ["Session goal", session?.goal ?? ""],
    ["Active goals", session?.goals ?? ""],
    ["State of the roadmap", lead ? formatRoadmapState(lead) : ""],
    ["Key decisions", [...(session?.continuing ?? []), ...(session?.added ?? [])].join("\n")],
    ["Tone and nuance", session?.tone ?? ""],
    ["Latest decisions", decisions.slice(0, MAX_BRIEF_DECISIONS).map(formatBriefDecision).join("\n")],
    ["Knowledge that waits for the end of its wave", learned.join("\n")],
    ["Skill candidates", candidates.join("\n")],
    ["Accomplished", session?.accomplished.join("\n") ?? ""],
    ["Modified files", session?.files.join("\n") ?? ""],
  ];
  return parts.filter(([, text]) => text.trim() !== "").map(([about, text]) => ({ about, text }));
}

const formatBriefDecision = ({ number, type, summary, reason }: LoggedDecision): string =>
  `D${number} ${type}: ${summary}${reason === "" ? "" : ` (${reason})`}`;

/** From the current records, because a handover page does not contain the progress of features. */
function formatRoadmapState(lead: Lead): string {
  const { due, more, reviews, idle } = summarizePendingWork(lead);
  const byPhase = Map.groupBy(lead.features.values(), ({ phase }) => phase);
  return [
    formatFeatureProgress(lead),
    ...[...byPhase].map(
      ([phase, records]) => `${phase}: ${records.map(({ feature_name }) => feature_name).join(", ")}`,
    ),
    ...(lead.out.size > 0 ? [`${formatCount(lead.out.size, "action")} under way`] : []),
    ...due.slice(0, 3).map(({ about }) => `due: ${about}`),
    ...reviews.map((key) => `due: review ${key}`),
    ...(more > 0 ? [`${more} more due`] : []),
    ...(idle === undefined ? [] : [idle]),
  ].join("\n");
}

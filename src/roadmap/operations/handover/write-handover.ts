import type * as z from "zod";
import { catchFault, Fault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { StorePlan, StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import { TextCleaner } from "#memory/operations/text-cleaner.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import { formatFeatureProgress } from "../../model/handover/accomplished-work.ts";
import { EMPTY_DECISION_FIELDS, isSessionDecision, parseDecisionLog } from "../../model/handover/decision-log.ts";
import type { HandoverAnswers } from "../../model/handover/session-document.ts";
import { applyHandoverAnswers, findHeadingLevel, parseSessionDocument } from "../../model/handover/session-document.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import { findBodyProblem } from "../../model/steering/markdown-section.ts";
import type { RoadmapEngine } from "../engine.ts";
import { loadPendingBuffer } from "../knowledge/knowledge-folder.ts";
import { summarizePendingWork } from "../lead/action-view.ts";
import { loadLead } from "../lead/lead-store.ts";
import { SteeringDraft } from "../steering/steering-draft.ts";
import { describeNextStep } from "./next-step.ts";
import type { WriteHandoverInputSchema, WriteHandoverOutputSchema } from "./schema.ts";

type WriteHandoverInput = z.infer<typeof WriteHandoverInputSchema>;
type HandoverOutput = z.infer<typeof WriteHandoverOutputSchema>;

export const writeHandover = defineOperation({
  id: "handover.write",
  effect: "change",
  input: async () => (await import("./schema.ts")).WriteHandoverInputSchema,
  output: async () => (await import("./schema.ts")).WriteHandoverOutputSchema,
  mayBePlain: true,
  async run(engine: RoadmapEngine, { resume: isResumed = false, max_tokens = DEFAULT_ANSWER_TOKENS, ...said }) {
    const isSaid = Object.values(said).some((answer) => answer !== undefined);
    if (isResumed && isSaid) {
      // The answers would be lost silently.
      throw new Fault("input.invalid", {
        what: "Nothing was handed over.",
        why: "`resume` only shows the state and takes no answers.",
        fix: [{ operation: "handover.write", input: { resume: true } }, { operation: "handover.write" }],
      });
    }
    if (isResumed) return readHandoverBrief(engine, "resume", max_tokens);
    if (!isSaid) return readHandoverBrief(engine, "asked", max_tokens, HANDOVER_QUESTIONS);
    const cleaner = new TextCleaner(engine);
    const answers = readHandoverAnswers(await cleaner.all(said));
    await foldJournalIntoLedger(engine);
    const done = await commitStoreWrite(engine, (tree) => planHandover(engine, tree, answers));
    return { ...done, notes: [...done.notes, ...cleaner.notes()] };
  },
  page: formatHandoverPage,
});

const HANDOVER_QUESTIONS = [
  "What was accomplished? (accomplished, goals)",
  "What comes next, and how does it start? (next, steps)",
  "What was decided, and what needs care? (decisions, warnings)",
  "What is the user's tone, and what nuances matter? (tone, goal)",
  "What departs from steering on purpose, and why? (exceptions)",
] as const;

function readHandoverAnswers({ steps, ...said }: Omit<WriteHandoverInput, "resume" | "max_tokens">): HandoverAnswers {
  const answers = { ...said, ...(steps === undefined ? {} : { resume: steps }) };
  for (const [field, text] of Object.entries(answers)) {
    const problem = text === undefined ? undefined : findBodyProblem(text, findHeadingLevel(field));
    if (problem === undefined) continue;
    throw new Fault("handover.bad-text", {
      what: `The ${field === "resume" ? "steps were" : `${field} was`} not accepted.`,
      why: `As given, ${problem}.`,
      fix: "Send it again without that.",
    });
  }
  return Object.fromEntries(Object.entries(answers).filter(([, text]) => text !== undefined));
}

function planHandover(engine: RoadmapEngine, tree: StoreTree, answers: HandoverAnswers): StorePlan<HandoverOutput> {
  const at = engine.clock.now();
  const known = readHandoverState(tree, engine);
  // Throws for an unreadable file, so that it is not overwritten.
  if (known.text === undefined) tree.text(paths.HANDOVER_SESSION_PATH);
  const worked = { next: known.lead ? describeNextStep(known.lead) : "", branch: engine.branch() ?? "" };
  const notes = [...known.notes];
  // A session with hidden headings starts again. Its old text is archived as usual.
  const text = catchFault(
    () => applyHandoverAnswers(known.text, answers, worked, at, known.since),
    ({ why }) => {
      notes.push(`${paths.HANDOVER_SESSION_PATH} was started again, because it could not be read: ${why}`);
      return applyHandoverAnswers(undefined, answers, worked, at, known.since);
    },
  );
  const kept = known.text === undefined ? undefined : findFreeSessionPath(tree, at.slice(0, 10));
  const draft = new SteeringDraft(tree, at);
  const number = `D${draft.decide({
    ...EMPTY_DECISION_FIELDS,
    type: "SESSION_END",
    summary: "Session ended",
    context: "A handover was requested",
    decision: kept === undefined ? "Handed over" : `Handed over; the draft is kept in ${kept}`,
    source: "handover",
  })}`;
  const steps: StoreStep[] = [
    ...(kept === undefined ? [] : [{ kind: "document", path: kept, text: known.text ?? "" } as const]),
    { kind: "document", path: paths.HANDOVER_SESSION_PATH, text },
    ...draft.steps(),
  ];
  const written = steps.flatMap((step) => (step.kind === "document" ? [step.path] : []));
  const nothing = { parts: [], omitted: 0, questions: [] };
  return {
    steps,
    keeps: draft.keeps(),
    occurrences: [{ kind: "handover.written", subject: number, ...(kept ? { data: { kept } } : {}) }],
    result: { mode: "written", state: "polished", ...nothing, written, decision: number, notes },
  };
}

function findFreeSessionPath(tree: StoreTree, day: string) {
  const taken = new Set(tree.names(paths.HANDOVER_HISTORY_FOLDER));
  for (let n = 1; ; n++) {
    const name = n === 1 ? `${day}.md` : `${day}-${n}.md`;
    if (!taken.has(name)) return paths.joinFolderPath(paths.HANDOVER_HISTORY_FOLDER, name);
  }
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
  asked: "Before a handover, ask the user these questions. Then call it again with the answers.",
  resume: "The state of the work.",
  written: "Handed over.",
};

export function formatHandoverPage(output: HandoverOutput): Page {
  const { mode, branch, parts, omitted, questions, written, decision, notes } = output;
  const answer = { operation: "handover.write", input: { accomplished: "…", next: "…" } };
  return {
    title: mode === "resume" && parts.length === 0 ? "No handover yet." : HANDOVER_TITLES[mode],
    facts: [
      ...(branch === undefined || mode === "written" ? [] : [["branch", branch] as const]),
      ...(decision === undefined ? [] : [["decision", decision] as const]),
    ],
    quotes: parts.map(({ about, text }) => ({
      label: about,
      text,
      namesCalls: about === "Immediate next action" || about === "State of the roadmap",
    })),
    points: [
      ...questions,
      ...written.map((path) => `${path} written`),
      ...(omitted > 0 ? [`${formatCount(omitted, "part")} left out for max_tokens.`] : []),
      ...notes,
    ],
    ...(mode === "asked" ? { next: [answer] } : {}),
  };
}

/** Unreadable files are noted and do not block a handover. */
function readHandoverState(tree: StoreTree, engine: Pick<RoadmapEngine, "checkout" | "digest">) {
  const notes: string[] = [];
  const open = createTolerantTree(tree, (path, why) => void notes.push(`${path} cannot be read: ${why}`));
  const text = open.text(paths.HANDOVER_SESSION_PATH);
  const { tags, candidates } = loadPendingBuffer(tree, engine);
  const all = parseDecisionLog(open.text(paths.DECISIONS_PATH) ?? "").toReversed();
  return {
    text,
    session: text === undefined ? undefined : parseSessionDocument(text),
    /** Latest first, without session starts and ends. */
    decisions: all.filter((each) => !isSessionDecision(each)),
    /** Day of the last handover; empty if there was none. */
    since: all.find(({ type }) => type === "SESSION_END")?.at.slice(0, 10) ?? "",
    lead: readOptionalLead(tree, engine, notes),
    learned: tags.map(({ tag, feature, role }) => `${tag} (source: ${feature} ${role})`),
    candidates: candidates.map(({ name, features }) => `${name}: detected in ${features.join(", ")}`),
    notes,
  };
}

function readOptionalLead(
  tree: StoreTree,
  engine: Pick<RoadmapEngine, "checkout" | "digest">,
  notes: string[],
): Lead | undefined {
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

function createBriefParts(known: ReturnType<typeof readHandoverState>): BriefPart[] {
  const { session, lead, decisions, learned, candidates } = known;
  const latest = decisions.slice(0, MAX_BRIEF_DECISIONS).map(({ number, type, summary, reason }) => {
    return `D${number} ${type}: ${summary}${reason === "" ? "" : ` (${reason})`}`;
  });
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
    ["Latest decisions", latest.join("\n")],
    ["Lessons that wait for the end of their wave", learned.join("\n")],
    ["Skill candidates", candidates.join("\n")],
    ["Accomplished", session?.accomplished.join("\n") ?? ""],
    ["Modified files", session?.files.join("\n") ?? ""],
  ];
  return parts.filter(([, text]) => text.trim() !== "").map(([about, text]) => ({ about, text }));
}

/** From the current records, because a handover page does not contain the progress of features. */
function formatRoadmapState(lead: Lead): string {
  const { due, more, reviews, idle } = summarizePendingWork(lead);
  const byPhase = Map.groupBy(lead.features.values(), ({ phase }) => phase);
  return [
    formatFeatureProgress(lead),
    ...[...byPhase].map(([phase, its]) => `${phase}: ${its.map(({ feature_name }) => feature_name).join(", ")}`),
    ...(lead.out.size > 0 ? [`${formatCount(lead.out.size, "action")} under way`] : []),
    ...due.slice(0, 3).map(({ about }) => `ready: ${about}`),
    ...reviews.map((key) => `ready: review ${key}`),
    ...(more > 0 ? [`${more} more ready`] : []),
    ...(idle === undefined ? [] : [idle]),
  ].join("\n");
}

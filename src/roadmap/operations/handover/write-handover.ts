import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { applyHandoverAnswers, type HandoverAnswers } from "../../model/handover/session-draft.ts";
import { findHeadingLevel } from "../../model/handover/session-document.ts";
import { findBodyProblem } from "../../model/steering/markdown-section.ts";
import {
  joinFolderPath,
  type WorkspacePath,
  HANDOVER_SESSION_PATH,
  HANDOVER_HISTORY_FOLDER,
} from "#kernel/model/workspace-paths.ts";
import { TextCleaner } from "#memory/operations/text-cleaner.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { RoadmapEngine } from "../engine.ts";
import { DEFAULT_ANSWER_TOKENS } from "#kernel/operations/answer-budget.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { LockedStoreTree, StorePlan, StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { SteeringDraft } from "../steering/steering-draft.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import { describeNextStep } from "./next-step.ts";
import {
  type HandoverState,
  readHandoverState,
  type HandoverOutput,
  formatHandoverPage,
  readHandoverBrief,
} from "./handover-brief.ts";
import type { WriteHandoverInputSchema } from "./schema.ts";

type WriteHandoverInput = z.infer<typeof WriteHandoverInputSchema>;

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
        why: "resume only tells, and takes no answers.",
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
  "What was decided, and what has to be minded? (decisions, warnings)",
  "What is the user's tone, and what nuances matter? (tone, goal)",
  "What departs from steering on purpose, and why? (exceptions)",
] as const;

function readHandoverAnswers({ steps, ...said }: Omit<WriteHandoverInput, "resume" | "max_tokens">): HandoverAnswers {
  const answers = { ...said, ...(steps === undefined ? {} : { resume: steps }) };
  for (const [field, text] of Object.entries(answers)) {
    const problem = text === undefined ? undefined : findBodyProblem(text, findHeadingLevel(field));
    if (problem === undefined) continue;
    throw new Fault("handover.bad-text", {
      what: `The ${field === "resume" ? "steps were" : `${field} was`} not taken.`,
      why: `As given, ${problem}.`,
      fix: "Say it again without that.",
    });
  }
  return Object.fromEntries(Object.entries(answers).filter(([, text]) => text !== undefined));
}

function planHandover(
  engine: RoadmapEngine,
  tree: LockedStoreTree,
  answers: HandoverAnswers,
): StorePlan<HandoverOutput> {
  const at = engine.clock.now();
  const known = readHandoverState(tree, engine);
  // Throws for an unreadable file, so that it is not overwritten.
  if (known.text === undefined) tree.text(HANDOVER_SESSION_PATH);
  const next = known.lead ? describeNextStep(known.lead) : "";
  const { text, notes } = polishSessionText(known, answers, { next, branch: engine.branch() ?? "" }, at);
  const kept = known.text === undefined ? undefined : findFreeSessionPath(tree, at.slice(0, 10));
  const draft = new SteeringDraft(tree, at);
  const number = `D${draft.decide({
    type: "SESSION_END",
    summary: "Session ended",
    context: "A handover was asked for",
    decision: kept === undefined ? "Handed over" : `Handed over; what was drafted is kept in ${kept}`,
    reason: "",
    impact: "",
    source: "handover",
  })}`;
  const steps: StoreStep[] = [
    ...(kept === undefined ? [] : [{ kind: "document", path: kept, text: known.text ?? "" } as const]),
    { kind: "document", path: HANDOVER_SESSION_PATH, text },
    ...draft.steps(),
  ];
  return {
    steps,
    keeps: draft.keeps(),
    occurrences: [{ kind: "handover.written", subject: number, ...(kept ? { data: { kept } } : {}) }],
    result: {
      mode: "written",
      state: "polished",
      parts: [],
      omitted: 0,
      questions: [],
      written: steps.flatMap((step) => (step.kind === "document" ? [step.path] : [])),
      decision: number,
      notes: [...known.notes, ...notes],
    },
  };
}

/** A session with hidden headings starts again. Its old text is archived as usual. */
function polishSessionText(
  { text, since }: HandoverState,
  answers: HandoverAnswers,
  worked: Parameters<typeof applyHandoverAnswers>[2],
  at: string,
): { text: string; notes: readonly string[] } {
  try {
    return { text: applyHandoverAnswers(text, answers, worked, at, since), notes: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const note = `${HANDOVER_SESSION_PATH} was begun anew, because nothing could be written into it: ${error.why}`;
    return { text: applyHandoverAnswers(undefined, answers, worked, at, since), notes: [note] };
  }
}

function findFreeSessionPath(tree: StoreTree, day: string): WorkspacePath {
  const taken = new Set(tree.names(HANDOVER_HISTORY_FOLDER));
  for (let n = 1; ; n++) {
    const name = n === 1 ? `${day}.md` : `${day}-${n}.md`;
    if (!taken.has(name)) return joinFolderPath(HANDOVER_HISTORY_FOLDER, name);
  }
}

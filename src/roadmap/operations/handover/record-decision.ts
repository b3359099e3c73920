import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { type DecisionEntry, isSessionDecision } from "../../model/handover/decision-log.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { TextCleaner } from "#memory/operations/text-cleaner.ts";
import type { RoadmapEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StorePlan } from "#store/operations/ports/store.ts";
import { SteeringDraft } from "../steering/steering-draft.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import { commitWithSession } from "./commit-with-session.ts";
import type { RecordDecisionInputSchema, RecordDecisionOutputSchema } from "./schema.ts";

type RecordDecisionInput = z.infer<typeof RecordDecisionInputSchema>;
type RecordDecisionOutput = z.infer<typeof RecordDecisionOutputSchema>;

/** The engine assigns the number. Existing entries never change. */
export const recordDecision = defineOperation<RecordDecisionInput, RecordDecisionOutput, RoadmapEngine>({
  id: "handover.decide",
  effect: "append",
  input: async () => (await import("./schema.ts")).RecordDecisionInputSchema,
  output: async () => (await import("./schema.ts")).RecordDecisionOutputSchema,
  async run(engine: RoadmapEngine, said) {
    rejectIncompleteDecision(said);
    const cleaner = new TextCleaner(engine);
    const decision = createDecisionEntry(await cleaner.all(said));
    await foldJournalIntoLedger(engine);
    const done = await appendDecision(engine, decision);
    return { ...done, notes: cleaner.notes() };
  },
  page: ({ decision, type, summary, written, notes }) => ({
    title: `${decision} is recorded: ${type}.`,
    quotes: [{ label: decision, text: summary }],
    points: [`Told in ${written.join(", ")}.`, ...notes],
  }),
});

const createDecisionEntry = (said: RecordDecisionInput): DecisionEntry => ({
  type: said.type ?? "USER_DECISION",
  summary: said.summary,
  context: said.context ?? "",
  decision: said.decision ?? (isSessionEvent(said) ? "" : said.summary),
  reason: said.reason ?? "",
  impact: said.impact ?? "",
  source: said.source ?? "user instruction",
  ...(said.steering_ref === undefined ? {} : { steeringRef: said.steering_ref }),
});

async function appendDecision(
  engine: RoadmapEngine,
  decision: DecisionEntry,
): Promise<Omit<RecordDecisionOutput, "notes">> {
  return commitWithSession(
    engine,
    (tree): StorePlan<Omit<RecordDecisionOutput, "notes">> => {
      const draft = new SteeringDraft(tree, engine.clock.now());
      const number = `D${draft.decide(decision)}`;
      const steps = draft.steps();
      const { type, summary } = decision;
      return {
        steps,
        keeps: draft.keeps(),
        occurrences: [
          { kind: "handover.decided", subject: number, data: { type, summary: sanitizeText(summary, 500) } },
        ],
        result: {
          decision: number,
          type,
          summary,
          written: steps.flatMap((step) => (step.kind === "document" ? [step.path] : [])),
        },
      };
    },
    () => (isSessionDecision(decision) ? undefined : { accomplished: "", next: "" }),
  );
}

const isSessionEvent = ({ type }: RecordDecisionInput): boolean => type !== undefined && isSessionDecision({ type });

function rejectIncompleteDecision(said: RecordDecisionInput): void {
  const isException = said.type === "STEERING_EXCEPTION";
  if (!isSessionEvent(said) && said.reason === undefined)
    throw createMissingDecisionFault(
      said,
      "Why it was decided was not said, and a decision without a reason is asked for again.",
      {
        reason: "…",
      },
    );
  if (isException && said.steering_ref === undefined)
    throw createMissingDecisionFault(said, "From what line of steering it departs was not said.", {
      steering_ref: "tech.md: …",
    });
  if (!isException && said.steering_ref !== undefined)
    throw createMissingDecisionFault(said, "Only a STEERING_EXCEPTION departs from a line of steering.", {
      type: "STEERING_EXCEPTION",
    });
}

const createMissingDecisionFault = (
  said: RecordDecisionInput,
  why: string,
  more: Readonly<Record<string, string>>,
): Fault =>
  new Fault("input.missing", {
    what: "Nothing was recorded.",
    why,
    fix: { operation: "handover.decide", input: { ...said, ...more } },
  });

import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { TextCleaner } from "#memory/operations/text-cleaner.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import { isSessionDecision } from "../../model/handover/decision-log.ts";
import type { RoadmapEngine } from "../engine.ts";
import { SteeringDraft } from "../steering/steering-draft.ts";
import { commitWithSession } from "./commit-with-session.ts";
import type { RecordDecisionInputSchema } from "./schema.ts";

/** The engine assigns the number. Existing entries never change. */
export const recordDecision = defineOperation({
  id: "handover.decide",
  effect: "append",
  input: async () => (await import("./schema.ts")).RecordDecisionInputSchema,
  output: async () => (await import("./schema.ts")).RecordDecisionOutputSchema,
  async run(engine: RoadmapEngine, said) {
    rejectIncompleteDecision(said);
    const cleaner = new TextCleaner(engine);
    const { steering_ref, ...given } = await cleaner.all(said);
    const { type = "USER_DECISION", summary, context = "", reason = "", impact = "" } = given;
    const { decision: told = isSessionDecision({ type }) ? "" : summary, source = "user instruction" } = given;
    const entry = { type, summary, context, decision: told, reason, impact, source };
    const decision = steering_ref === undefined ? entry : { ...entry, steeringRef: steering_ref };
    await foldJournalIntoLedger(engine);
    return commitWithSession(
      engine,
      (tree) => {
        const draft = new SteeringDraft(tree, engine.clock.now());
        const number = `D${draft.decide(decision)}`;
        const steps = draft.steps();
        const written = steps.flatMap((step) => (step.kind === "document" ? [step.path] : []));
        const data = { type, summary: sanitizeText(summary, 500) };
        return {
          steps,
          keeps: draft.keeps(),
          occurrences: [{ kind: "handover.decided", subject: number, data }],
          result: { decision: number, type, summary, written, notes: cleaner.notes() },
        };
      },
      () => (isSessionDecision(decision) ? undefined : { accomplished: [], next: "" }),
    );
  },
  page: ({ decision, type, summary, written, notes }) => ({
    title: `${decision} is recorded: ${type}.`,
    quotes: [{ label: decision, text: summary }],
    points: [`Written to ${written.join(", ")}.`, ...notes],
  }),
});

function rejectIncompleteDecision(said: z.infer<typeof RecordDecisionInputSchema>): void {
  const { type = "USER_DECISION", reason, steering_ref } = said;
  const reject = (why: string, more: Readonly<Record<string, string>>): never => {
    const fix = { operation: "handover.decide", input: { ...said, ...more } };
    throw new Fault("input.missing", { what: "Nothing was recorded.", why, fix });
  };
  if (!isSessionDecision({ type }) && reason === undefined) reject("The reason is missing.", { reason: "…" });
  if (type === "STEERING_EXCEPTION" && steering_ref === undefined)
    reject("The steering line that it departs from is missing.", { steering_ref: "tech.md: …" });
  if (type !== "STEERING_EXCEPTION" && steering_ref !== undefined)
    reject("Only a STEERING_EXCEPTION departs from a line of steering.", { type: "STEERING_EXCEPTION" });
}

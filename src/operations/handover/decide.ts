import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import { type Decision, isOfSession } from "#domain/handover/decisions.ts";
import { sanitizeText } from "#domain/quote.ts";
import { TextCleaner } from "../clean.ts";
import type { Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import type { StorePlan } from "../ports/store.ts";
import { SteeringDraft } from "../steering/draft.ts";
import { foldJournalIntoLedger } from "../workflow/fold.ts";
import { commitDrafted } from "./drafting.ts";
import type { Decide, Decided } from "./schema.ts";

type Input = z.infer<typeof Decide>;
type Output = z.infer<typeof Decided>;

/** The engine assigns the number. Existing entries never change. */
export const decide = defineOperation<Input, Output>({
  id: "handover.decide",
  effect: "append",
  input: async () => (await import("./schema.ts")).Decide,
  output: async () => (await import("./schema.ts")).Decided,
  async run(engine, said) {
    refuseBare(said);
    const cleaner = new TextCleaner(engine);
    const decision = decisionOf(await cleaner.all(said));
    await foldJournalIntoLedger(engine);
    const done = await append(engine, decision);
    return { ...done, notes: cleaner.notes() };
  },
  page: ({ decision, type, summary, written, notes }) => ({
    title: `${decision} is recorded: ${type}.`,
    quotes: [{ label: decision, text: summary }],
    points: [`Told in ${written.join(", ")}.`, ...notes],
  }),
});

const decisionOf = (said: Input): Decision => ({
  type: said.type ?? "USER_DECISION",
  summary: said.summary,
  context: said.context ?? "",
  decision: said.decision ?? (isLight(said) ? "" : said.summary),
  reason: said.reason ?? "",
  impact: said.impact ?? "",
  source: said.source ?? "user instruction",
  ...(said.steering_ref === undefined ? {} : { steeringRef: said.steering_ref }),
});

async function append(engine: Engine, decision: Decision): Promise<Omit<Output, "notes">> {
  return commitDrafted(
    engine,
    (tree): StorePlan<Omit<Output, "notes">> => {
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
    () => (isOfSession(decision) ? undefined : { accomplished: "", next: "" }),
  );
}

const isLight = ({ type }: Input): boolean => type !== undefined && isOfSession({ type });

function refuseBare(said: Input): void {
  const isException = said.type === "STEERING_EXCEPTION";
  if (!isLight(said) && said.reason === undefined)
    throw missing(said, "Why it was decided was not said, and a decision without a reason is asked for again.", {
      reason: "…",
    });
  if (isException && said.steering_ref === undefined)
    throw missing(said, "From what line of steering it departs was not said.", { steering_ref: "tech.md: …" });
  if (!isException && said.steering_ref !== undefined)
    throw missing(said, "Only a STEERING_EXCEPTION departs from a line of steering.", { type: "STEERING_EXCEPTION" });
}

const missing = (said: Input, why: string, more: Readonly<Record<string, string>>): Fault =>
  new Fault("input.missing", {
    what: "Nothing was recorded.",
    why,
    fix: { operation: "handover.decide", input: { ...said, ...more } },
  });

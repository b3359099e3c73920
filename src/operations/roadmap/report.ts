import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import { mostPressing, type Problem } from "#domain/gate/verdict.ts";
import type { Page } from "#domain/page.ts";
import { plain, quote } from "#domain/quote.ts";
import type { LeadEvent } from "#domain/roadmap/lead/event.ts";
import { dueAction } from "#domain/roadmap/lead/next/due.ts";
import { isOver } from "#domain/roadmap/lead/over.ts";
import type { HandedOut, Lead } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import { feedLead, type Fed, type Outcome } from "./apply.ts";
import { formOf } from "./brief.ts";
import { notesOf } from "./effects.ts";
import { refuseMoved } from "./facts/documents.ts";
import { gather } from "./facts/gather.ts";
import { featureProof } from "./proof.ts";
import { readReport } from "./reading.ts";
import type { Report, Reported } from "./schema.ts";
import { readLead } from "./shelf.ts";
import { dueIn } from "./view.ts";

type Input = z.infer<typeof Report>;
type Output = z.infer<typeof Reported>;

/** Takes what somebody says was done, looks for itself, and applies it once, however often it is said. */
export const report = operation<Input, Output>({
  id: "roadmap.report",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).Report,
  output: async () => (await import("./schema.ts")).Reported,
  async run(engine, input) {
    const lead = await readLead(engine);
    const out = lead.out.get(input.action) ?? unasked(engine, lead, input.action);
    if (!out) return takenBefore(lead, input.action);
    if (input.lost) return lost(engine, input.action);
    const read = readReport(out.action, input);
    if ("problems" in read) return unread(engine, lead, out, read.problems);
    engine.progress.tell(`looking at what was done: ${out.action.id}`);
    const gathered = await gather(engine, lead, out);
    const event: LeadEvent = {
      kind: "reported",
      action: input.action,
      report: read.report,
      facts: gathered.facts,
      ...(input.tokens === undefined ? {} : { tokens: input.tokens }),
    };
    let receipt: string | undefined;
    const outcome = await feedLead(engine, (tree) => {
      refuseMoved(tree, engine, out.action, gathered.facts);
      const after: Fed["after"] = ([applied]) => {
        const proof = applied?.kind === "applied" ? featureProof(tree, engine, out.action, gathered) : undefined;
        receipt = proof?.id;
        return proof ?? {};
      };
      return { events: [event], after };
    });
    return { ...concluded(input.action, outcome), ...(receipt === undefined ? {} : { receipt }) };
  },
  page,
  isRefusal: ({ outcome }) => outcome === "refused" || outcome === "unread",
});

/**
 * What is due may be done unasked; but what a Builder did cannot be told from what others did, unless the files are known
 * as they were before.
 */
function unasked({ clock, session }: Engine, lead: Lead, id: string): HandedOut | undefined {
  const action = dueAction(lead, id);
  if (!action || (action.kind === "spawn" && action.work.of === "build")) return undefined;
  return { action, session, at: clock.now(), base: null, estimate: 0, refusals: 0 };
}

async function lost(engine: Engine, action: string): Promise<Output> {
  const event: LeadEvent = { kind: "lost", action, why: "Somebody said that it is gone." };
  return concluded(action, await feedLead(engine, () => ({ events: [event] })));
}

/** Nobody is at work on it: it was reported before, or it never was due. */
function takenBefore(lead: Lead, action: string): Output {
  if (isOver(lead, action)) return { action, outcome: "repeated", problems: [], notes: [], ...dueIn(lead) };
  const isDue = dueAction(lead, action) !== undefined;
  throw new Fault("roadmap.not-out", {
    what: `Nothing was reported of ${quote(action, 100)}.`,
    why: isDue ? "It is due, but nobody was given it." : "It is not due, and nobody is at work on it.",
    fix: { operation: "roadmap.next" },
  });
}

/** The form of the text is wrong: nothing is changed, and nobody is blamed for what they did. */
async function unread(
  engine: Engine,
  lead: Lead,
  { action }: HandedOut,
  problems: readonly Problem[],
): Promise<Output> {
  const form = action.kind === "spawn" ? await formOf(engine, lead, action) : undefined;
  return {
    action: action.id,
    outcome: "unread",
    problems: mostPressing(problems),
    ...(form === undefined ? {} : { form }),
    notes: [],
    ...dueIn(lead),
  };
}

function concluded(action: string, { applied: [applied], lead }: Outcome): Output {
  if (!applied) throw new RangeError("Nothing was applied.");
  return {
    action,
    outcome: applied.kind,
    problems: applied.kind === "refused" ? mostPressing(applied.problems) : [],
    notes: [...notesOf(applied), ...(applied.kind === "refused" ? leftOf(lead, action) : [])],
    ...dueIn(lead),
  };
}

/** How often it may be reported yet; the third report that is not borne out ends the run. */
const MOST_REFUSALS = 3;

function leftOf({ out }: Lead, action: string): string[] {
  const refusals = out.get(action)?.refusals;
  if (refusals === undefined) return [`${action} is over: it counts as failed.`];
  const left = MOST_REFUSALS - refusals;
  return [
    `Mend it and report again: after ${left} more of that the run counts as failed.`,
    "If others changed what is named here, say that the run is lost: it is due again, from the files as they are.",
  ];
}

function page({ action, outcome, problems, form, notes, receipt, due, more, reviews, idle }: Output): Page {
  const isOpen = outcome === "refused" || outcome === "unread";
  return {
    title: TITLES[outcome](action),
    ...(receipt ? { facts: [["receipt", receipt]] } : {}),
    ...(due.length > 0
      ? {
          table: {
            columns: ["due", "kind", "about"],
            rows: due.map(({ id, kind, role, about }) => [id, role ?? kind, plain(about, 120)]),
          },
        }
      : {}),
    points: [
      ...problems.map(({ problem, line }) => `${line === undefined ? "" : `line ${line}: `}${plain(problem, 500)}`),
      ...notes,
      ...reviews.map((key) => `A review is due: ${key}.`),
      ...(more > 0 ? [`${more} more are due.`] : []),
      ...(idle === undefined ? [] : [plain(idle, 500)]),
    ],
    ...(form ? { quotes: [{ label: "The form to send it in", text: form }] } : {}),
    next: isOpen
      ? [{ operation: "roadmap.report", input: { action, report: "…" } }]
      : idle === undefined
        ? [{ operation: "roadmap.next" }]
        : [],
  };
}

const TITLES: Readonly<Record<Output["outcome"], (action: string) => string>> = {
  applied: (action) => `Taken: ${action}.`,
  repeated: (action) => `${action} was taken before; nothing changed.`,
  refused: (action) => `Not taken: ${action}. The facts do not bear it out.`,
  unread: (action) => `Not read: ${action}. Nothing changed; send it again in the form that its brief asks for.`,
};

import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { type OperationCall, Fault } from "#domain/fault.ts";
import { mostPressing, type Problem } from "#domain/gate/verdict.ts";
import type { Page } from "#domain/page.ts";
import { sanitizeText, quote } from "#domain/quote.ts";
import type { Action } from "#domain/roadmap/lead/action.ts";
import type { Facts, LeadEvent } from "#domain/roadmap/lead/event.ts";
import { decide } from "#domain/roadmap/lead/decide.ts";
import { MOST_REFUSALS } from "#domain/roadmap/lead/changes/counters.ts";
import { dueAction } from "#domain/roadmap/lead/next/due-action.ts";
import { isOver } from "#domain/roadmap/lead/over.ts";
import type { HandedOut, Lead } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import { foldJournalIntoLedger } from "../workflow/fold.ts";
import { feedLead, type Fed, type Outcome } from "./apply.ts";
import { formOf } from "./brief.ts";
import { isBuild } from "./handing.ts";
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

/** Checks the files itself and applies the report once, even if it is sent again. */
export const report = defineOperation<Input, Output>({
  id: "roadmap.report",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).Report,
  output: async () => (await import("./schema.ts")).Reported,
  async run(engine, input) {
    await foldJournalIntoLedger(engine);
    const lead = await readLead(engine);
    const out = lead.out.get(input.action) ?? (input.lost ? undefined : unasked(engine, lead, input.action));
    if (!out) return takenBefore(lead, input.action);
    if (input.lost) return lost(engine, input.action);
    const read = readReport(out.action, input);
    if ("problems" in read) return unread(engine, lead, out, read.problems);
    engine.progress.tell(`looking at what was done: ${out.action.id}`);
    const gathered = await gather(engine, lead, out);
    if (waitsForUser(gathered.facts)) return waiting(lead, out.action, gathered.facts.build?.tests.problems ?? []);
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
    const told = concluded(input.action, outcome);
    // Keeps the snapshot, so the next Builder gets its assignment without a wait.
    if (decide(outcome.lead).actions.some(isBuild)) await engine.snapshots.keepKnown();
    if (receipt !== undefined) return { ...told, receipt };
    return told.outcome === "applied" && out.action.kind === "gate" ? saidNo(told, gathered.facts) : told;
  },
  page,
  isRefusal: ({ outcome }) => outcome === "refused" || outcome === "unread",
});

/**
 * A pending action can be reported without an assignment. A build cannot: without a snapshot, its changes cannot be
 * separated from other changes.
 */
function unasked({ clock, session }: Engine, lead: Lead, id: string): HandedOut | undefined {
  const action = dueAction(lead, id);
  if (!action || (action.kind === "spawn" && action.work.of === "build")) return undefined;
  return { action, session, at: clock.now(), base: null, estimate: 0, refusals: 0 };
}

async function lost(engine: Engine, action: string): Promise<Output> {
  const event: LeadEvent = { kind: "lost", action, why: "Somebody said that it is gone." };
  const told = concluded(action, await feedLead(engine, () => ({ events: [event] })));
  return told.outcome === "applied" ? { ...told, outcome: "lost" } : told;
}

/** A gate that ran without a receipt explains why. The fix is pending. */
const saidNo = (told: Output, { build }: Facts): Output => ({
  ...told,
  problems: mostPressing(build?.tests.problems ?? []),
  notes: ["The gate says no.", ...told.notes],
});

const waitsForUser = ({ build }: Facts): boolean => build?.tests.status === "unknown";

const waiting = (lead: Lead, { id, kind }: Action, problems: readonly Problem[]): Output => ({
  action: id,
  kind,
  outcome: "refused",
  open: true,
  problems: mostPressing(problems),
  notes: ["Nothing counts against whoever did it: report it again once the tests can be run, or are waived."],
  ...dueIn(lead),
});

function takenBefore(lead: Lead, action: string): Output {
  if (isOver(lead, action))
    return { action, outcome: "repeated", open: false, problems: [], notes: [], ...dueIn(lead) };
  const isDue = dueAction(lead, action) !== undefined;
  throw new Fault("roadmap.not-out", {
    what: `Nothing was reported of ${quote(action, 100)}.`,
    why: isDue ? "It is due, but nobody was given it." : "It is not due, and nobody is at work on it.",
    fix: { operation: "roadmap.next" },
  });
}

/** The text has the wrong form. Nothing changes, and the run does not count as rejected. */
async function unread(
  engine: Engine,
  lead: Lead,
  { action }: HandedOut,
  problems: readonly Problem[],
): Promise<Output> {
  const form = action.kind === "spawn" ? await formOf(engine, lead, action) : undefined;
  return {
    action: action.id,
    kind: action.kind,
    outcome: "unread",
    open: true,
    problems: mostPressing(problems),
    ...(form === undefined ? {} : { form }),
    notes: [],
    ...dueIn(lead),
  };
}

function concluded(action: string, { applied: [applied], before, lead }: Outcome): Output {
  if (!applied) throw new RangeError("Nothing was applied.");
  const isRefused = applied.kind === "refused";
  const kind = (before.out.get(action)?.action ?? dueAction(before, action))?.kind;
  return {
    action,
    ...(kind === undefined ? {} : { kind }),
    outcome: applied.kind,
    open: isRefused && (lead.out.has(action) || !before.out.has(action)),
    problems: isRefused ? mostPressing(applied.problems) : [],
    notes: [...notesOf(applied, action), ...(isRefused ? waysOn(before, lead, action) : [])],
    ...dueIn(lead),
  };
}

function waysOn(before: Lead, { out }: Lead, id: string): string[] {
  const known = before.out.get(id);
  if (known?.action.kind !== "spawn") return [];
  const refusals = out.get(id)?.refusals;
  if (refusals === undefined) {
    const isFailed = known.refusals + 1 >= MOST_REFUSALS;
    return [isFailed ? `${id} is over: after ${MOST_REFUSALS} such reports it counts as failed.` : `${id} is over.`];
  }
  const again = `Mend it and report again: after ${MOST_REFUSALS - refusals} more of that the run counts as failed.`;
  return known.action.work.of === "build" ? [again, IF_OTHERS] : [again];
}

const IF_OTHERS =
  "If others changed what is named here, say that the run is lost: it is due again, from the files as they are.";

function page(output: Output): Page {
  const { action, outcome, problems, form, notes, receipt, due, more, reviews, idle } = output;
  return {
    title: TITLES[outcome](action),
    ...(receipt ? { facts: [["receipt", receipt]] } : {}),
    ...(due.length > 0
      ? {
          table: {
            columns: ["due", "kind", "about"],
            rows: due.map((each) => [each.id, each.role ?? each.kind, sanitizeText(each.about, 120)]),
          },
        }
      : {}),
    points: [
      ...problems.map(
        ({ problem, line }) => `${line === undefined ? "" : `line ${line}: `}${sanitizeText(problem, 500)}`,
      ),
      ...notes,
      ...reviews.map((key) => `A review is due: ${key}.`),
      ...(more > 0 ? [`${formatCount(more, "more action")} ${more === 1 ? "is" : "are"} due.`] : []),
      ...(idle === undefined ? [] : [sanitizeText(idle, 500)]),
    ],
    ...(form ? { guide: `The form to send it in:\n\n${form}` } : {}),
    next: nextCalls(output),
  };
}

function nextCalls({ action, kind = "spawn", open, idle }: Output): OperationCall[] {
  if (open) return [{ operation: "roadmap.report", input: { action, ...BLANKS[kind] } }];
  return idle === undefined ? [{ operation: "roadmap.next" }] : [];
}

const BLANKS: Readonly<Record<Action["kind"], Readonly<Record<string, string>>>> = {
  spawn: { report: "…" },
  ask: { answer: "…", said: "…" },
  gate: {},
  commit: {},
};

const TITLES: Readonly<Record<Output["outcome"], (action: string) => string>> = {
  applied: (action) => `Taken: ${action}.`,
  repeated: (action) => `${action} is over already; nothing changed.`,
  refused: (action) => `Not taken: ${action}.`,
  lost: (action) => `${action} is taken for lost.`,
  unread: (action) => `Not read: ${action}. Nothing changed; send it again in the form that its brief asks for.`,
};

import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { type OperationCall, Fault } from "#domain/fault.ts";
import { limitShownProblems, type Problem } from "#domain/gate/verdict.ts";
import type { Page } from "#domain/page.ts";
import { sanitizeText, quote } from "#domain/quote.ts";
import type { LeadAction } from "#domain/roadmap/lead/action.ts";
import type { ReportFacts, LeadEvent } from "#domain/roadmap/lead/event.ts";
import { decideNextActions } from "#domain/roadmap/lead/decide.ts";
import { MAX_REJECTED_REPORTS } from "#domain/roadmap/lead/changes/counters.ts";
import { findPendingAction } from "#domain/roadmap/lead/next/due-action.ts";
import { isActionFinished } from "#domain/roadmap/lead/over.ts";
import type { ActionAssignment, Lead } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import { foldJournalIntoLedger } from "../workflow/fold.ts";
import { commitLeadEvents, type LeadEventInput, type LeadWriteOutcome } from "./apply.ts";
import { extractReportForm } from "./brief.ts";
import { isBuilderAction } from "./handing.ts";
import { formatEffectNotes } from "./effects.ts";
import { assertDesignUnchanged } from "./facts/documents.ts";
import { gatherReportFacts } from "./facts/gather.ts";
import { createGateReceipt } from "./proof.ts";
import { parseSentReport } from "./reading.ts";
import type { ReportActionInputSchema, ReportActionOutputSchema } from "./schema.ts";
import { readLead } from "./shelf.ts";
import { summarizePendingWork } from "./view.ts";

type ReportActionInput = z.infer<typeof ReportActionInputSchema>;
type ReportActionOutput = z.infer<typeof ReportActionOutputSchema>;

/** Checks the files itself and applies the report once, even if it is sent again. */
export const reportAction = defineOperation<ReportActionInput, ReportActionOutput>({
  id: "roadmap.report",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).ReportActionInputSchema,
  output: async () => (await import("./schema.ts")).ReportActionOutputSchema,
  async run(engine, input) {
    await foldJournalIntoLedger(engine);
    const lead = await readLead(engine);
    const out =
      lead.out.get(input.action) ?? (input.lost ? undefined : createImplicitAssignment(engine, lead, input.action));
    if (!out) return createRepeatedOutput(lead, input.action);
    if (input.lost) return reportLostAction(engine, input.action);
    const read = parseSentReport(out.action, input);
    if ("problems" in read) return createUnreadOutput(engine, lead, out, read.problems);
    engine.progress.tell(`looking at what was done: ${out.action.id}`);
    const gathered = await gatherReportFacts(engine, lead, out);
    if (hasUnknownTests(gathered.facts))
      return createWaitingOutput(lead, out.action, gathered.facts.build?.tests.problems ?? []);
    const event: LeadEvent = {
      kind: "reported",
      action: input.action,
      report: read.report,
      facts: gathered.facts,
      ...(input.tokens === undefined ? {} : { tokens: input.tokens }),
    };
    let receipt: string | undefined;
    const outcome = await commitLeadEvents(engine, (tree) => {
      assertDesignUnchanged(tree, engine, out.action, gathered.facts);
      const after: LeadEventInput["after"] = ([applied]) => {
        const proof = applied?.kind === "applied" ? createGateReceipt(tree, engine, out.action, gathered) : undefined;
        receipt = proof?.id;
        return proof ?? {};
      };
      return { events: [event], after };
    });
    const told = createReportOutput(input.action, outcome);
    // Keeps the snapshot, so the next Builder gets its assignment without a wait.
    if (decideNextActions(outcome.lead).actions.some(isBuilderAction)) await engine.snapshots.keepKnown();
    if (receipt !== undefined) return { ...told, receipt };
    return told.outcome === "applied" && out.action.kind === "gate" ? addGateFailure(told, gathered.facts) : told;
  },
  page: formatReportPage,
  isRefusal: ({ outcome }) => outcome === "refused" || outcome === "unread",
});

/**
 * A pending action can be reported without an assignment. A build cannot: without a snapshot, its changes cannot be
 * separated from other changes.
 */
function createImplicitAssignment({ clock, session }: Engine, lead: Lead, id: string): ActionAssignment | undefined {
  const action = findPendingAction(lead, id);
  if (!action || (action.kind === "spawn" && action.work.of === "build")) return undefined;
  return { action, session, at: clock.now(), base: null, estimate: 0, refusals: 0 };
}

async function reportLostAction(engine: Engine, action: string): Promise<ReportActionOutput> {
  const event: LeadEvent = { kind: "lost", action, why: "Somebody said that it is gone." };
  const told = createReportOutput(action, await commitLeadEvents(engine, () => ({ events: [event] })));
  return told.outcome === "applied" ? { ...told, outcome: "lost" } : told;
}

/** A gate that ran without a receipt explains why. The fix is pending. */
const addGateFailure = (told: ReportActionOutput, { build }: ReportFacts): ReportActionOutput => ({
  ...told,
  problems: limitShownProblems(build?.tests.problems ?? []),
  notes: ["The gate says no.", ...told.notes],
});

const hasUnknownTests = ({ build }: ReportFacts): boolean => build?.tests.status === "unknown";

const createWaitingOutput = (
  lead: Lead,
  { id, kind }: LeadAction,
  problems: readonly Problem[],
): ReportActionOutput => ({
  action: id,
  kind,
  outcome: "refused",
  open: true,
  problems: limitShownProblems(problems),
  notes: ["Nothing counts against whoever did it: report it again once the tests can be run, or are waived."],
  ...summarizePendingWork(lead),
});

function createRepeatedOutput(lead: Lead, action: string): ReportActionOutput {
  if (isActionFinished(lead, action))
    return { action, outcome: "repeated", open: false, problems: [], notes: [], ...summarizePendingWork(lead) };
  const isDue = findPendingAction(lead, action) !== undefined;
  throw new Fault("roadmap.not-out", {
    what: `Nothing was reported of ${quote(action, 100)}.`,
    why: isDue ? "It is due, but nobody was given it." : "It is not due, and nobody is at work on it.",
    fix: { operation: "roadmap.next" },
  });
}

/** The text has the wrong form. Nothing changes, and the run does not count as rejected. */
async function createUnreadOutput(
  engine: Engine,
  lead: Lead,
  { action }: ActionAssignment,
  problems: readonly Problem[],
): Promise<ReportActionOutput> {
  const form = action.kind === "spawn" ? await extractReportForm(engine, lead, action) : undefined;
  return {
    action: action.id,
    kind: action.kind,
    outcome: "unread",
    open: true,
    problems: limitShownProblems(problems),
    ...(form === undefined ? {} : { form }),
    notes: [],
    ...summarizePendingWork(lead),
  };
}

function createReportOutput(
  action: string,
  { applied: [applied], before, lead }: LeadWriteOutcome,
): ReportActionOutput {
  if (!applied) throw new RangeError("Nothing was applied.");
  const isRefused = applied.kind === "refused";
  const kind = (before.out.get(action)?.action ?? findPendingAction(before, action))?.kind;
  return {
    action,
    ...(kind === undefined ? {} : { kind }),
    outcome: applied.kind,
    open: isRefused && (lead.out.has(action) || !before.out.has(action)),
    problems: isRefused ? limitShownProblems(applied.problems) : [],
    notes: [...formatEffectNotes(applied, action), ...(isRefused ? formatRejectionAdvice(before, lead, action) : [])],
    ...summarizePendingWork(lead),
  };
}

function formatRejectionAdvice(before: Lead, { out }: Lead, id: string): string[] {
  const known = before.out.get(id);
  if (known?.action.kind !== "spawn") return [];
  const refusals = out.get(id)?.refusals;
  if (refusals === undefined) {
    const isFailed = known.refusals + 1 >= MAX_REJECTED_REPORTS;
    return [
      isFailed ? `${id} is over: after ${MAX_REJECTED_REPORTS} such reports it counts as failed.` : `${id} is over.`,
    ];
  }
  const again = `Mend it and report again: after ${MAX_REJECTED_REPORTS - refusals} more of that the run counts as failed.`;
  return known.action.work.of === "build" ? [again, OTHER_CHANGES_HINT] : [again];
}

const OTHER_CHANGES_HINT =
  "If others changed what is named here, say that the run is lost: it is due again, from the files as they are.";

function formatReportPage(output: ReportActionOutput): Page {
  const { action, outcome, problems, form, notes, receipt, due, more, reviews, idle } = output;
  return {
    title: REPORT_TITLES[outcome](action),
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
    next: listReportCalls(output),
  };
}

function listReportCalls({ action, kind = "spawn", open, idle }: ReportActionOutput): OperationCall[] {
  if (open) return [{ operation: "roadmap.report", input: { action, ...REPORT_PLACEHOLDERS[kind] } }];
  return idle === undefined ? [{ operation: "roadmap.next" }] : [];
}

const REPORT_PLACEHOLDERS: Readonly<Record<LeadAction["kind"], Readonly<Record<string, string>>>> = {
  spawn: { report: "…" },
  ask: { answer: "…", said: "…" },
  gate: {},
  commit: {},
};

const REPORT_TITLES: Readonly<Record<ReportActionOutput["outcome"], (action: string) => string>> = {
  applied: (action) => `Taken: ${action}.`,
  repeated: (action) => `${action} is over already; nothing changed.`,
  refused: (action) => `Not taken: ${action}.`,
  lost: (action) => `${action} is taken for lost.`,
  unread: (action) => `Not read: ${action}. Nothing changed; send it again in the form that its brief asks for.`,
};

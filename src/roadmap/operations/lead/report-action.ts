import type * as z from "zod";
import { formatCount, sanitizeText, quote } from "#kernel/model/text-format.ts";
import { type OperationCall, Fault } from "#kernel/model/fault.ts";
import { limitShownProblems, type Problem } from "#kernel/model/verdict.ts";
import type { Page } from "#kernel/model/page.ts";
import type { LeadAction, ActionAssignment, Lead, SpawnAction } from "../../model/lead/lead-state.ts";
import type { ReportFacts, LeadEvent, AgentReport } from "../../model/lead/lead-events.ts";
import { MAX_REJECTED_REPORTS } from "../../model/lead/feature-counters.ts";
import { isActionFinished } from "../../model/lead/action-ids.ts";
import type { RoadmapEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import { commitLeadEvents, type LeadEventInput, type LeadWriteOutcome } from "./apply-events.ts";
import { extractReportForm, formatEffectNotes, summarizePendingWork } from "./action-view.ts";
import { assertDesignUnchanged, gatherReportFacts, type GatheredFacts } from "./report-facts.ts";
import type { ReportActionInputSchema, ReportActionOutputSchema } from "./schema.ts";
import { readLead } from "./lead-store.ts";
import { parseCompletionReport } from "../../model/agent/completion-report.ts";
import { getReceiptFile, FEATURE_GATE, planReceiptWrite } from "#checking/operations/gate/receipt-files.ts";
import type { LedgerEntry, StoreOccurrence, StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { findPendingAction } from "../../model/lead/lead-decision.ts";

type ReportActionInput = z.infer<typeof ReportActionInputSchema>;
type ReportActionOutput = z.infer<typeof ReportActionOutputSchema>;

/** Checks the files itself and applies the report once, even if it is sent again. */
export const reportAction = defineOperation<ReportActionInput, ReportActionOutput, RoadmapEngine>({
  id: "roadmap.report",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).ReportActionInputSchema,
  output: async () => (await import("./schema.ts")).ReportActionOutputSchema,
  async run(engine: RoadmapEngine, input) {
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
function createImplicitAssignment(
  { clock, session }: RoadmapEngine,
  lead: Lead,
  id: string,
): ActionAssignment | undefined {
  const action = findPendingAction(lead, id);
  if (!action || (action.kind === "spawn" && action.work.of === "build")) return undefined;
  return { action, session, at: clock.now(), base: null, estimate: 0, refusals: 0 };
}

async function reportLostAction(engine: RoadmapEngine, action: string): Promise<ReportActionOutput> {
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
  engine: RoadmapEngine,
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

export interface SentReport {
  readonly report?: string | undefined;
  readonly answer?: string | undefined;
  readonly said?: string | undefined;
  readonly declined?: boolean | undefined;
}

export type SentReportResult = { readonly report: AgentReport } | { readonly problems: readonly Problem[] };

/** Parses the sent fields as the action requires. Reports problems by line and guesses nothing. */
export function parseSentReport(action: LeadAction, sent: SentReport): SentReportResult {
  switch (action.kind) {
    case "spawn":
      if (sent.report === undefined)
        throw createWrongReportFault(action, "The text that the agent ended with is missing.", { report: "…" });
      return parseAgentReport(action, sent.report);
    case "gate":
      return { report: { kind: "gate" } };
    case "ask":
      if (sent.answer === undefined)
        throw createWrongReportFault(action, `The user's answer is missing: ${action.choices.join(" or ")}.`, {
          answer: "…",
        });
      return { report: { kind: "answer", choice: sent.answer.trim(), said: sent.said ?? sent.answer } };
    case "commit":
      return { report: { kind: "commit", declined: sent.declined ?? false } };
  }
}

function parseAgentReport({ role, work }: SpawnAction, text: string): SentReportResult {
  const read =
    work.of === "review" ? parseCompletionReport(role, text) : parseCompletionReport(role, text, work.feature);
  return "problems" in read ? read : { report: read };
}

function createWrongReportFault({ id }: LeadAction, why: string, input: Readonly<Record<string, string>>): Fault {
  return new Fault("roadmap.wrong-report", {
    what: `Nothing was reported of ${quote(id, 100)}.`,
    why,
    fix: { operation: "roadmap.report", input: { action: id, ...input } },
  });
}

interface GateReceiptPlan {
  readonly id: string;
  readonly steps: readonly StoreStep[];
  readonly keeps: readonly LedgerEntry[];
  readonly occurrences: readonly StoreOccurrence[];
}

export function createGateReceipt(
  tree: StoreTree,
  engine: Pick<RoadmapEngine, "digest" | "checkout" | "machine" | "version">,
  action: LeadAction,
  { facts, tested, criteria = [] }: GatheredFacts,
): GateReceiptPlan | undefined {
  const status = facts.build?.tests.status;
  if (action.kind !== "gate" || !tested || (status !== "passed" && status !== "waived")) return undefined;
  const { receipts, problems } = tested;
  const waived = { check: "tests", status: "waived", reason: problems[0]?.problem ?? "" } as const;
  const { receipt, step, keeping } = planReceiptWrite(tree, engine, getReceiptFile(action.feature), {
    gate: FEATURE_GATE,
    workflow: action.feature,
    stage: "implementation",
    passed: true,
    checks: tested.status === "waived" ? [waived] : receipts,
    ...(tested.tree ? { tree: tested.tree } : {}),
    ...(tested.base ? { base: tested.base } : {}),
    ...(tested.rules ? { trust: tested.rules } : {}),
    spec_ids: [action.feature],
    criteria,
    environment: { tenon: engine.version, node: engine.machine.node, platform: engine.machine.platform },
    at: facts.at,
  });
  return {
    id: receipt.id,
    steps: [step],
    keeps: [keeping],
    occurrences: [{ kind: "receipt.written", subject: action.feature, data: { receipt: receipt.id } }],
  };
}

import type * as z from "zod";
import { Fault, type OperationCall } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { quote, sanitizeText } from "#kernel/model/text-format.ts";
import { limitShownProblems, type Problem } from "#kernel/model/verdict.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { FEATURE_GATE, getReceiptFile, planReceiptWrite } from "#checking/operations/gate/receipt-files.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import { parseCompletionReport } from "../../model/agent/completion-report.ts";
import { isActionFinished } from "../../model/lead/action-ids.ts";
import { MAX_REJECTED_REPORTS } from "../../model/lead/feature-counters.ts";
import { findPendingAction } from "../../model/lead/lead-decision.ts";
import type { AgentReport, LeadEvent } from "../../model/lead/lead-events.ts";
import { type ActionAssignment, isBuildAction, type Lead, type LeadAction } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import {
  extractReportForm,
  formatEffectNotes,
  formatMoreDue,
  REPORT_PLACEHOLDERS,
  summarizePendingWork,
} from "./action-view.ts";
import { readLead } from "./lead-store.ts";
import { assertDesignUnchanged, type GatheredFacts, gatherReportFacts } from "./report-facts.ts";
import type { ReportActionInputSchema, ReportActionOutputSchema } from "./schema.ts";
import { commitLeadEvents, type LeadWriteOutcome } from "./write-lead.ts";

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
    const { action } = out;
    const report = parseSentReport(action, input);
    if ("problems" in report) {
      // The text has the wrong form. Nothing changes, and the run does not count as rejected.
      const form = action.kind === "spawn" ? { form: await extractReportForm(engine, lead, action) } : {};
      return { ...createOpenOutput(lead, action, "unread", report.problems), ...form };
    }
    engine.progress.tell(`looking at what was done: ${action.id}`);
    const gathered = await gatherReportFacts(engine, lead, out);
    const tests = gathered.facts.build?.tests;
    if (tests?.status === "unknown") {
      const notes = [
        "Nothing counts against whoever did it: report it again once the tests can be run, or are waived.",
      ];
      return { ...createOpenOutput(lead, action, "refused", tests.problems), notes };
    }
    const { outcome, receipt } = await commitReport(engine, action, gathered, report, input.tokens);
    const output = createReportOutput(input.action, outcome);
    if (receipt !== undefined) return { ...output, receipt };
    if (output.outcome !== "applied" || action.kind !== "gate") return output;
    // A gate that ran without a receipt explains why. The fix is pending.
    const problems = limitShownProblems(tests?.problems ?? []);
    return { ...output, problems, notes: ["The gate says no.", ...output.notes] };
  },
  page: formatReportPage,
  isRefusal: ({ outcome }) => outcome === "refused" || outcome === "unread",
});

async function commitReport(
  engine: RoadmapEngine,
  action: LeadAction,
  gathered: GatheredFacts,
  report: AgentReport,
  tokens: number | undefined,
): Promise<{ readonly outcome: LeadWriteOutcome; readonly receipt: string | undefined }> {
  const event: LeadEvent = {
    kind: "reported",
    action: action.id,
    report,
    facts: gathered.facts,
    ...(tokens === undefined ? {} : { tokens }),
  };
  let receipt: string | undefined;
  const outcome = await commitLeadEvents(engine, (tree) => {
    assertDesignUnchanged(tree, engine, action, gathered.facts);
    return {
      events: [event],
      after: ([applied]) => {
        const proof = applied?.kind === "applied" ? createGateReceipt(tree, engine, action, gathered) : undefined;
        receipt = proof?.id;
        return proof?.plan ?? {};
      },
    };
  });
  return { outcome, receipt };
}

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
  if (!action || isBuildAction(action)) return undefined;
  return { action, session, at: clock.now(), base: null, estimate: 0, refusals: 0 };
}

async function reportLostAction(engine: RoadmapEngine, action: string): Promise<ReportActionOutput> {
  const event: LeadEvent = { kind: "lost", action, why: "Somebody said that it is gone." };
  const output = createReportOutput(action, await commitLeadEvents(engine, () => ({ events: [event] })));
  return output.outcome === "applied" ? { ...output, outcome: "lost" } : output;
}

const createOpenOutput = (
  lead: Lead,
  { id, kind }: LeadAction,
  outcome: "refused" | "unread",
  problems: readonly Problem[],
): ReportActionOutput => ({
  action: id,
  kind,
  outcome,
  open: true,
  problems: limitShownProblems(problems),
  notes: [],
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
    return [`${id} is over${isFailed ? `: after ${MAX_REJECTED_REPORTS} such reports it counts as failed` : ""}.`];
  }
  const again = `Mend it and report again: after ${MAX_REJECTED_REPORTS - refusals} more of that the run counts as failed.`;
  return isBuildAction(known.action) ? [again, OTHER_CHANGES_HINT] : [again];
}

const OTHER_CHANGES_HINT =
  "If others changed what is named here, say that the run is lost: it is due again, from the files as they are.";

function formatReportPage(output: ReportActionOutput): Page {
  const { action, outcome, problems, form, notes, receipt, due, more, reviews, idle } = output;
  const rows = due.map(({ id, role, kind, about }) => [id, role ?? kind, sanitizeText(about, 120)]);
  return {
    title: REPORT_TITLES[outcome](action),
    ...(receipt ? { facts: [["receipt", receipt]] } : {}),
    ...(rows.length > 0 ? { table: { columns: ["due", "kind", "about"], rows } } : {}),
    points: [
      ...problems.map(
        ({ problem, line }) => `${line === undefined ? "" : `line ${line}: `}${sanitizeText(problem, 500)}`,
      ),
      ...notes,
      ...reviews.map((key) => `A review is due: ${key}.`),
      ...formatMoreDue(more),
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

const REPORT_TITLES: Readonly<Record<ReportActionOutput["outcome"], (action: string) => string>> = {
  applied: (action) => `Taken: ${action}.`,
  repeated: (action) => `${action} is over already; nothing changed.`,
  refused: (action) => `Not taken: ${action}.`,
  lost: (action) => `${action} is taken for lost.`,
  unread: (action) => `Not read: ${action}. Nothing changed; send it again in the form that its brief asks for.`,
};

/** Parses the sent fields as the action requires. Reports problems by line and guesses nothing. */
function parseSentReport(
  action: LeadAction,
  { report, answer, said, declined = false }: ReportActionInput,
): AgentReport | { readonly problems: readonly Problem[] } {
  switch (action.kind) {
    case "spawn": {
      const why = "The text that the agent ended with is missing.";
      if (report === undefined) throw createWrongReportFault(action, why, { report: "…" });
      const { role, work } = action;
      return parseCompletionReport(role, report, work.of === "review" ? undefined : work.feature);
    }
    case "gate":
      return { kind: "gate" };
    case "ask": {
      const why = `The user's answer is missing: ${action.choices.join(" or ")}.`;
      if (answer === undefined) throw createWrongReportFault(action, why, { answer: "…" });
      return { kind: "answer", choice: answer.trim(), said: said ?? answer };
    }
    case "commit":
      return { kind: "commit", declined };
  }
}

const createWrongReportFault = ({ id }: LeadAction, why: string, input: Readonly<Record<string, string>>): Fault =>
  new Fault("roadmap.wrong-report", {
    what: `Nothing was reported of ${quote(id, 100)}.`,
    why,
    fix: { operation: "roadmap.report", input: { action: id, ...input } },
  });

function createGateReceipt(
  tree: StoreTree,
  engine: Pick<RoadmapEngine, "digest" | "checkout" | "machine" | "version">,
  action: LeadAction,
  { facts, tested, criteria = [] }: GatheredFacts,
): { readonly id: string; readonly plan: Pick<StorePlan<void>, "steps" | "keeps" | "occurrences"> } | undefined {
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
  const written = { kind: "receipt.written", subject: action.feature, data: { receipt: receipt.id } };
  return { id: receipt.id, plan: { steps: [step], keeps: [keeping], occurrences: [written] } };
}

import type * as z from "zod";
import { FEATURE_GATE, planReceiptWrite } from "#checking/operations/gate/receipt-files.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { Page } from "#kernel/model/page.ts";
import { formatCount, formatShortList, quote, sanitizeText } from "#kernel/model/text-format.ts";
import { limitShownProblems, type Problem } from "#kernel/model/verdict.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import {
  type AskedApproval,
  formatQuestionPoints,
  suggestQuestionSteps,
  viewOpenQuestion,
} from "#planning/operations/approval/ask-approval.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { parseCompletionReport } from "../../model/agent/completion-report.ts";
import { matchAnswerChoice } from "../../model/lead/answer-choice.ts";
import { findPendingAction } from "../../model/lead/lead-decision.ts";
import { MAX_REJECTED_REPORTS } from "../../model/lead/lead-draft.ts";
import type {
  AgentReport,
  CommitAction,
  Lead,
  LeadAction,
  LeadEvent,
  QuestionAction,
} from "../../model/lead/lead-state.ts";
import { isBuildAction } from "../../model/lead/lead-state.ts";
import { isActionFinished } from "../../model/lead/lead-view.ts";
import { composeActionBrief } from "../agent/role-brief.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { ReportActionInputSchema, ReportActionOutputSchema } from "../management/schema.ts";
import { REPORT_PLACEHOLDERS, summarizePendingWork } from "./action-view.ts";
import type { RejectedReport } from "../../model/review/report-form.ts";
import { normalizeCategoryName } from "../../model/review/review-verdict.ts";
import { waiveStoredFinding } from "../../model/review/stored-review.ts";
import { formatEffectNote } from "./effect-notes.ts";
import { findBranchProblem } from "./commit-branch.ts";
import { listScopeFeatures, readLead, readStoredBatch } from "./lead-store.ts";
import { keepReportDraft, readReportDraft } from "./report-draft.ts";
import { planReviewedTexts } from "./review-delta.ts";
import { assertDesignUnchanged, type GatheredFacts, gatherReportFacts } from "./report-facts.ts";
import { askUser, describeAnswer, planUserAnswer } from "./user-question.ts";
import { commitLeadEvents, type LeadWriteOutcome } from "./write-lead.ts";

type ReportActionInput = z.infer<typeof ReportActionInputSchema>;
type ReportActionOutput = z.infer<typeof ReportActionOutputSchema>;

/** Checks the files itself and applies the report once, even if it is sent again. */
export const reportAction = defineOperation<ReportActionInput, ReportActionOutput, RoadmapEngine>({
  id: "roadmap.report",
  effect: "change",
  isLong: true,
  input: async () => (await import("../management/schema.ts")).ReportActionInputSchema,
  output: async () => (await import("../management/schema.ts")).ReportActionOutputSchema,
  async run(engine: RoadmapEngine, input) {
    await foldJournalIntoLedger(engine);
    const lead = await readLead(engine);
    const known = lead.out.get(input.action);
    const action = known?.action ?? (input.lost ? undefined : findPendingAction(lead, input.action));
    // A pending action can be reported without an assignment. A build cannot: without a snapshot, its changes cannot be
    // separated from other changes.
    if (!action || (!known && isBuildAction(action))) return createRepeatedOutput(lead, input.action);
    if (input.lost) {
      const event: LeadEvent = { kind: "lost", action: action.id, why: "It was reported as lost." };
      const output = createReportOutput(action.id, await commitLeadEvents(engine, () => ({ events: [event] })));
      return output.outcome === "applied" ? { ...output, outcome: "lost" } : output;
    }
    const { session } = engine;
    const out = known ?? { action, session, at: engine.clock.now(), base: null, estimate: 0, refusals: 0 };
    const asked = action.kind === "ask" ? await askUser(engine, action, input.answer) : undefined;
    if (asked && action.kind === "ask" && isProofMissing(engine, action, asked, input.answer)) {
      const needed = createOpenOutput(lead, action, "refused", [{ problem: asked.why ?? "" }]);
      return { ...needed, user_question: viewOpenQuestion(asked) };
    }
    const { confirm: token } = input;
    const sent = token === undefined ? input : { ...input, report: await readReportDraft(engine, action.id, token) };
    const report = parseSentReport(action, sent, asked);
    if ("problems" in report) {
      // The text has the wrong form. Nothing changes, and the run does not count as rejected.
      const unread = createOpenOutput(lead, action, "unread", report.problems);
      if (action.kind !== "spawn") return unread;
      if (report.corrected !== undefined) {
        const confirm = await keepReportDraft(engine, action.id, report.corrected);
        return { ...unread, form: report.corrected.trim(), confirm };
      }
      const { text } = await composeActionBrief(engine, lead, action);
      const [, form = text] = /^## Report\n+([\s\S]*?)(?=\n## |$(?![\s\S]))/m.exec(text) ?? [];
      return { ...unread, form: form.trim() };
    }
    const misplaced = action.kind === "commit" && !input.declined ? await findBranchProblem(engine, action) : undefined;
    if (misplaced !== undefined) return createOpenOutput(lead, action, "refused", [{ problem: misplaced }]);
    engine.progress.tell(`checking the work of ${action.id}`);
    const gathered = await gatherReportFacts(engine, lead, out);
    const { build, wave } = gathered.facts;
    const tests = build?.tests ?? wave?.tests;
    if (tests?.status === "unknown") {
      const note = "This does not count against the agent. Report again once the tests can run, or are waived.";
      return { ...createOpenOutput(lead, action, "refused", tests.problems), notes: [note] };
    }
    const { facts } = gathered;
    const tokens = input.tokens === undefined ? {} : { tokens: input.tokens };
    const event: LeadEvent = { kind: "reported", action: action.id, report, facts, ...tokens };
    let receipt: string | undefined;
    const reviewed = await planReviewedContent(engine, lead, action, report);
    const outcome = await commitLeadEvents(engine, (tree) => {
      assertDesignUnchanged(tree, engine, action, facts);
      return {
        events: [event, ...listRejectedFindings(tree, lead, action, report)],
        after: ([applied]) => {
          if (applied?.kind !== "applied") return {};
          if (asked?.answer) return planUserAnswer(tree, asked);
          if (reviewed) return { keeps: [reviewed] };
          const proof = createGateReceipt(tree, engine, action, gathered);
          receipt = proof?.id;
          return proof?.plan ?? {};
        },
      };
    });
    const accepted = createReportOutput(input.action, outcome);
    const output = { ...accepted, notes: [...accepted.notes, ...formatOutsideNote(build?.outside ?? [])] };
    if (receipt !== undefined) return { ...output, receipt };
    if (output.outcome !== "applied") return output;
    if (action.kind === "commit" && !input.declined)
      return { ...output, notes: [...output.notes, ...(await commitRecords(engine, action))] };
    if (action.kind !== "gate" && (action.kind !== "wave-gate" || tests?.status !== "failed")) return output;
    // A gate that ran without a receipt explains why. The fix is pending.
    const problems = limitShownProblems(tests?.problems ?? []);
    return { ...output, problems, notes: ["The gate did not pass.", ...output.notes] };
  },
  page: formatReportPage,
  asks: ({ user_question: question }) => question,
  isRefusal: ({ outcome }) => outcome === "refused" || outcome === "unread",
});

/** An audit ends a review: the next one reads what changed since. */
async function planReviewedContent(engine: RoadmapEngine, lead: Lead, action: LeadAction, { kind }: AgentReport) {
  const key = kind === "audit" && action.kind === "spawn" && action.work.of === "review" ? action.work.review : "";
  const review = lead.reviews.get(key);
  return review && (await planReviewedTexts(engine, review, listScopeFeatures(lead, review.scope)));
}

const showActionKind = (kind: LeadAction["kind"]) => (kind === "wave-gate" ? "gate" : kind);

/** Records, reviews and knowledge that this report wrote belong to the commit that it reports. */
async function commitRecords({ snapshots }: RoadmapEngine, { wave, features }: CommitAction): Promise<string[]> {
  const message = wave === null ? `Record ${features.join(", ")}` : `Record wave ${wave}`;
  const done = await snapshots.commitOwnFiles(message);
  if (done === undefined) return [];
  return "hash" in done
    ? [`Committed the records of this step: ${done.hash.slice(0, 12)} ${message}.`]
    : [`The records of this step are not committed: ${done.why} Run: git add sdd && git commit -m "${message}" -- sdd`];
}

function createOpenOutput(
  lead: Lead,
  { id, kind }: LeadAction,
  outcome: "refused" | "unread",
  all: readonly Problem[],
): ReportActionOutput {
  const problems = limitShownProblems(all);
  return {
    action: id,
    kind: showActionKind(kind),
    outcome,
    open: true,
    problems,
    notes: [],
    ...summarizePendingWork(lead),
  };
}

function createRepeatedOutput(lead: Lead, action: string): ReportActionOutput {
  if (isActionFinished(lead, action))
    return { action, outcome: "repeated", open: false, problems: [], notes: [], ...summarizePendingWork(lead) };
  const isDue = findPendingAction(lead, action) !== undefined;
  throw new Fault("roadmap.not-out", {
    what: `The report of ${quote(action, 100)} was not accepted.`,
    why: isDue ? "It is ready, but not assigned to an agent." : "It is not ready, and no agent works on it.",
    fix: { operation: "roadmap.next" },
  });
}

function createReportOutput(action: string, outcome: LeadWriteOutcome): ReportActionOutput {
  const {
    applied: [applied],
    before,
    lead,
  } = outcome;
  if (!applied) throw new RangeError("Nothing was applied.");
  const isRefused = applied.kind === "refused";
  const effects = applied.kind === "repeated" ? [] : applied.effects;
  // The end of the reported action itself is no news.
  const shown = effects.filter((effect) => effect.kind !== "dismissed" || effect.action !== action);
  const kind = (before.out.get(action)?.action ?? findPendingAction(before, action))?.kind;
  return {
    action,
    ...(kind === undefined ? {} : { kind: showActionKind(kind) }),
    outcome: applied.kind,
    open: isRefused && (lead.out.has(action) || !before.out.has(action)),
    problems: isRefused ? limitShownProblems(applied.problems) : [],
    notes: [...shown.flatMap(formatEffectNote), ...(isRefused ? formatRejectionAdvice(before, lead, action) : [])],
    ...summarizePendingWork(lead),
  };
}

function formatRejectionAdvice(before: Lead, { out }: Lead, id: string): string[] {
  const known = before.out.get(id);
  if (known?.action.kind !== "spawn") return [];
  const refusals = out.get(id)?.refusals;
  if (refusals === undefined) {
    const isFailed = known.refusals + 1 >= MAX_REJECTED_REPORTS;
    return [`${id} is over${isFailed ? `: it failed after ${MAX_REJECTED_REPORTS} rejected reports` : ""}.`];
  }
  const again = `Fix it and report again. After ${formatCount(MAX_REJECTED_REPORTS - refusals, "more rejected report")} the run fails.`;
  const others =
    "If another session changed these files, report the action as `lost`. Tenon will offer it again for the current files.";
  return isBuildAction(known.action) ? [again, others] : [again];
}

function formatReportPage(output: ReportActionOutput): Page {
  const { action, kind = "spawn", outcome, open, problems, form, notes, receipt, due, more, reviews, idle } = output;
  const { confirm } = output;
  const again = { operation: "roadmap.report", input: { action, ...REPORT_PLACEHOLDERS[kind] } };
  const confirmed = confirm === undefined ? [] : [{ operation: "roadmap.report", input: { action, confirm } }];
  const { user_question: question } = output;
  if (question)
    return {
      title: `${action} waits for the user's answer.`,
      points: [...problems.map(({ problem }) => problem), ...formatQuestionPoints(question), ...notes],
      next: suggestQuestionSteps(question, { operation: "roadmap.report", input: { action } }),
    };
  return {
    title: REPORT_TITLES[outcome](action),
    ...(receipt ? { facts: [["receipt", receipt]] } : {}),
    points: [
      ...problems.map(
        ({ problem, line }) => `${line === undefined ? "" : `line ${line}: `}${sanitizeText(problem, 500)}`,
      ),
      ...notes,
      ...(kind === "spawn" ? [] : formatReadyNote(due.length + more + reviews.length)),
      ...(idle === undefined ? [] : [sanitizeText(idle, 500)]),
    ],
    ...(form
      ? {
          guide: `${confirm ? "Tenon understood this. Confirm it, or send what differs" : "The form to send it in"}:\n\n${form}`,
        }
      : {}),
    next: open ? [...confirmed, again] : kind === "spawn" || idle !== undefined ? [] : [{ operation: "roadmap.next" }],
  };
}

const formatReadyNote = (count: number): string[] => (count === 0 ? [] : [`${formatCount(count, "action")} ready.`]);

const REPORT_TITLES: Readonly<Record<ReportActionOutput["outcome"], (action: string) => string>> = {
  applied: (action) => `Accepted: ${action}.`,
  repeated: (action) => `${action} is over already; nothing changed.`,
  refused: (action) => `Rejected: ${action}.`,
  lost: (action) => `${action} is marked as lost.`,
  unread: (action) => `Not read: ${action}. Nothing changed; send it again in the form that its brief asks for.`,
};

/** Parses the sent fields as the action requires. Reports problems by line and guesses nothing. */
function parseSentReport(
  action: LeadAction,
  { report, answer, said, declined = false }: ReportActionInput,
  asked: AskedApproval | undefined,
): AgentReport | RejectedReport {
  switch (action.kind) {
    case "spawn": {
      const why = "The text that the agent ended with is missing.";
      if (report === undefined) throw createWrongReportFault(action, why, { report: "…" });
      const { role, work } = action;
      if (work.of === "review") return parseCompletionReport(role, report, undefined, { views: work.views });
      return parseCompletionReport(role, report, work.feature, { work });
    }
    case "gate":
    case "wave-gate":
      return { kind: "gate" };
    case "ask": {
      // A number may be in either text.
      const words =
        said !== undefined && answer !== undefined && /\d/.test(answer) ? `${said} ${answer}` : (said ?? answer);
      const own = asked && describeAnswer(asked, words);
      if (own) return { kind: "answer", ...own };
      const why = `The user's answer is missing: ${action.choices.join(" or ")}.`;
      if (answer === undefined) throw createWrongReportFault(action, why, { answer: "…" });
      return { kind: "answer", choice: answer.trim(), said: words ?? answer };
    }
    case "commit":
      return { kind: "commit", declined };
  }
}

/** Files that changed meanwhile and belong to no group: the user's, as far as Tenon knows. */
const formatOutsideNote = (paths: readonly string[]): string[] =>
  paths.length === 0
    ? []
    : [
        `Changed meanwhile outside of the group, so not charged and not committed: ${formatShortList(paths, 5)}. Leave them alone.`,
      ];

/** The user rejected a change of structure, so the findings that want it are waived: no brief asks for them again. */
function listRejectedFindings(tree: StoreTree, lead: Lead, action: LeadAction, report: AgentReport): LeadEvent[] {
  if (action.kind !== "ask" || action.question !== "structure" || report.kind !== "answer") return [];
  const record = lead.features.get(action.subject as FeatureName);
  const batch = record?.reviews.design?.batch;
  const isRejected = matchAnswerChoice(action.choices, report.choice) === "reject";
  let review =
    isRejected && record && batch !== undefined
      ? readStoredBatch(tree, { of: "feature", feature: record.feature_name }, batch)
      : undefined;
  const source = report.source === undefined ? {} : { source: report.source };
  const events: LeadEvent[] = [];
  for (const { id, category, waived } of review?.findings ?? []) {
    if (!review || waived !== undefined || normalizeCategoryName(category) !== "spec-structure") continue;
    review = waiveStoredFinding(review, id, `The user rejects it: ${sanitizeText(report.said, 300)}`);
    events.push({ kind: "waived", review, finding: id, ...source });
  }
  return events;
}

/** An answer that is not a choice is rejected as such. A client that can ask needs no answer of the agent. */
const isProofMissing = (
  { origin }: RoadmapEngine,
  { choices }: QuestionAction,
  { answer }: AskedApproval,
  said: string | undefined,
): boolean =>
  answer === undefined && (said === undefined ? origin.canElicit : matchAnswerChoice(choices, said) !== undefined);

const createWrongReportFault = ({ id }: LeadAction, why: string, input: Readonly<Record<string, string>>): Fault =>
  new Fault("roadmap.wrong-report", {
    what: `The report of ${quote(id, 100)} was not accepted.`,
    why,
    fix: { operation: "roadmap.report", input: { action: id, ...input } },
  });

function createGateReceipt(tree: StoreTree, engine: RoadmapEngine, action: LeadAction, gathered: GatheredFacts) {
  const { facts, tested, criteria = [], files } = gathered;
  const status = facts.build?.tests.status;
  if (action.kind !== "gate" || !tested || (status !== "passed" && status !== "waived")) return undefined;
  const { receipts, problems } = tested;
  const waived = { check: "tests", status: "waived", reason: problems[0]?.problem ?? "" } as const;
  const { receipt, step, keeping } = planReceiptWrite(tree, engine, {
    gate: FEATURE_GATE,
    workflow: action.feature,
    stage: "implementation",
    passed: true,
    checks: tested.status === "waived" ? [waived] : receipts,
    ...(tested.tree ? { tree: tested.tree } : {}),
    ...(tested.base ? { base: tested.base } : {}),
    ...(tested.rules ? { trust: tested.rules } : {}),
    ...(files ? { work: { files } } : {}),
    spec_ids: [action.feature],
    criteria,
    environment: { tenon: engine.version, node: engine.machine.node, platform: engine.machine.platform },
    at: facts.at,
  });
  const written = { kind: "receipt.written", subject: action.feature, data: { receipt: receipt.id } };
  return { id: receipt.id, plan: { steps: [step], keeps: [keeping], occurrences: [written] } };
}

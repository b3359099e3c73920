import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { formatCount, quote, sanitizeText } from "#kernel/model/text-format.ts";
import { isWorkflowId } from "#kernel/model/workflow-id.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import {
  type ApprovalAnswer,
  type ApprovalQuestion,
  isYesNoQuestion,
} from "#planning/model/approval/approval-proof.ts";
import type { Approval } from "#planning/model/approval/approval-record.ts";
import { listStageApprovals } from "#planning/model/workflow/workflow-record.ts";
import { loadUnprovedAnswers, planAnswers } from "#planning/operations/approval/approval-log-files.ts";
import { planAnswer } from "#planning/operations/approval/record-answer.ts";
import { requirePerson } from "#planning/operations/approval/require-person.ts";
import type { AnswerQuestionInput, AnswerQuestionOutput } from "#planning/operations/approval/schema.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import { APPROVAL_SPACE, listOpenQuestions, WORKFLOW_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import { listUnprovedApprovals } from "../../model/gate/receipt-approvals.ts";
import { readReceiptChain } from "../../model/gate/receipt-chain.ts";
import type { CheckingEngine } from "../engine.ts";
import { getReceiptFile, planReceiptWrite } from "../gate/receipt-files.ts";

type AnswerInput = z.infer<typeof AnswerQuestionInput>;
type AnswerOutput = z.infer<typeof AnswerQuestionOutput>;

/** Only a person at a terminal may answer: it has no tool, and it rejects every sign of an agent. */
export const answerQuestion = defineOperation<AnswerInput, AnswerOutput, CheckingEngine>({
  id: "approval.answer",
  effect: "change",
  mayBePlain: true,
  input: async () => (await import("#planning/operations/approval/schema.ts")).AnswerQuestionInput,
  output: async () => (await import("#planning/operations/approval/schema.ts")).AnswerQuestionOutput,
  async run(engine, input) {
    await foldJournalIntoLedger(engine);
    const { id, list = false } = input;
    if (id === undefined || list) return { confirmed: [], open: await viewOpenQuestions(engine) };
    await requirePerson(engine, { what: `${quote(id, 100)} was not answered.`, command: `tenon approve ${id}` });
    const done = await commitStoreWrite(engine, (tree) => {
      const question = tree.kept(APPROVAL_SPACE).get(id);
      if (question) return planTypedAnswer(engine, question, input);
      return planAnswerConfirmation(engine, tree, id, input) ?? planConfirmation(engine, tree, id, input);
    });
    return { ...done, open: await viewOpenQuestions(engine) };
  },
  page: formatAnswerPage,
});

async function viewOpenQuestions(engine: CheckingEngine): Promise<AnswerOutput["open"]> {
  const questions = await engine.store.read(listOpenQuestions);
  return questions.map(({ id, question, path, choices, at }) => ({
    id,
    question,
    ...(path === undefined ? {} : { path }),
    choices: [...choices],
    asked_at: at,
  }));
}

type Answered = Omit<AnswerOutput, "open">;

function planTypedAnswer(engine: CheckingEngine, question: ApprovalQuestion, input: AnswerInput): StorePlan<Answered> {
  const choice = resolveChoice(question, input);
  const reason = input.reason?.trim();
  const answer: ApprovalAnswer = {
    choice,
    proof: "typed",
    by: engine.origin.user,
    at: engine.clock.now(),
    client: engine.origin.name,
    ...(reason ? { reason, quote: sanitizeText(reason, 120) } : {}),
  };
  const { id, stage, choices } = question;
  const answered = { id, stage, choice, is_yes: choice === choices[0] };
  return { steps: [], ...planAnswer(question, answer), result: { answered, confirmed: [] } };
}

function resolveChoice({ id, choices }: ApprovalQuestion, { answer, reject = false }: AnswerInput): string {
  const [yes = "", no = ""] = choices;
  if (answer === undefined && isYesNoQuestion(choices)) return reject ? no : yes;
  const said = reject ? (choices.find((choice) => choice === "reject") ?? "") : (answer ?? "").trim().toLowerCase();
  if (choices.includes(said)) return said;
  throw new Fault("approval.no-choice", {
    what: `${quote(id, 100)} was not answered.`,
    why: `Choose ${choices.join(" or ")}.`,
    fix: choices.map((choice) => ({ operation: "approval.answer", input: { id, answer: choice } })),
  });
}

function planAnswerConfirmation(
  engine: CheckingEngine,
  tree: StoreTree,
  id: string,
  { reject = false }: AnswerInput,
): StorePlan<Answered> | undefined {
  const unproved = loadUnprovedAnswers(tree).filter((answer) => answer.id === id);
  if (unproved.length === 0 || reject) return undefined;
  const { user: by, name: client } = engine.origin;
  const at = engine.clock.now();
  const logs = Map.groupBy(unproved, ({ subject }) => subject);
  return {
    steps: [...logs].flatMap(([subject, answers]) => {
      const confirmed = answers.map(({ id: asked, area, stage, text, question, choice }) => {
        return { id: asked, area, stage, text, question, choice, by, at, client, proof: "typed" as const };
      });
      return planAnswers(tree, subject, confirmed).steps;
    }),
    occurrences: [{ kind: "approval.confirmed", subject: id, data: { by } }],
    result: { confirmed: unproved.map(({ stage }) => stage) },
  };
}

function planConfirmation(
  engine: CheckingEngine,
  tree: StoreTree,
  id: string,
  { reject = false }: AnswerInput,
): StorePlan<Answered> {
  const chain = isWorkflowId(id)
    ? readReceiptChain(tree.text(getReceiptFile(tree, id)) ?? "", engine.digest, id)
    : undefined;
  const unproved = chain ? listUnprovedApprovals(chain) : [];
  const last = chain?.receipts.findLast(({ receipt }) => receipt.passed)?.receipt;
  if (!isWorkflowId(id) || !last || unproved.length === 0 || reject) throw createNothingOpenFault(tree, id);
  const at = engine.clock.now();
  const approvals = unproved.map(({ stage, text }): Approval => {
    return { stage, by: engine.origin.user, at, text, proof: "typed", client: engine.origin.name };
  });
  const { step, keeping, receipt } = planReceiptWrite(tree, engine, {
    ...last,
    workflow: id,
    gate: CONFIRMATION_GATE,
    checks: [{ check: "approval", status: "passed" }],
    criteria: [],
    approvals,
    at,
  });
  const record = tree.kept(WORKFLOW_SPACE).get(id);
  const isConfirmed = (one: Approval): boolean =>
    approvals.some(({ stage, text }) => stage === one.stage && text === one.text);
  const kept = record && {
    ...record,
    approvals: [...listStageApprovals(record).filter((each) => !isConfirmed(each)), ...approvals],
  };
  return {
    steps: [step],
    keeps: [keeping, ...(kept ? [{ space: WORKFLOW_SPACE.name, key: id, value: kept }] : [])],
    occurrences: [{ kind: "receipt.written", subject: id, data: { receipt: receipt.id, gate: CONFIRMATION_GATE } }],
    result: { confirmed: unproved.map(({ stage }) => stage) },
  };
}

/** The receipt of a person who confirms earlier approvals. No stage has this gate. */
const CONFIRMATION_GATE = "approval";

function createNothingOpenFault(tree: StoreTree, id: string): Fault {
  const open = listOpenQuestions(tree).map((each) => each.id);
  return new Fault("approval.nothing-open", {
    what: `${quote(id, 100)} does not need an approval.`,
    why: open.length === 0 ? "Nothing does." : `These do: ${open.join(", ")}.`,
    fix: { operation: "approval.answer", input: { list: true } },
  });
}

function formatAnswerPage({ answered, confirmed, open }: AnswerOutput): Page {
  const rows = open.map(({ id, question, path = "", choices }) => [
    id,
    sanitizeText(question, 200),
    path,
    isYesNoQuestion(choices) ? "" : choices.join(", "),
  ]);
  const waiting =
    open.length === 0 ? "Nothing needs your approval." : `${formatCount(open.length, "question")} for you.`;
  const title = answered
    ? `${answered.id}: ${answered.is_yes ? "approved" : answered.choice === "reject" ? "rejected" : answered.choice}. The agent can continue.`
    : confirmed.length > 0
      ? `Confirmed: your approval of ${confirmed.join(", ")}.`
      : waiting;
  const suggest = open.slice(0, 3).map(({ id, choices }) => ({
    operation: "approval.answer",
    input: { id, ...(isYesNoQuestion(choices) ? {} : { answer: choices[0] ?? "" }) },
  }));
  return {
    title,
    ...(rows.length > 0 ? { table: { columns: ["id", "question", "read", "choices"], rows } } : {}),
    next: suggest,
  };
}

import { Fault } from "#kernel/model/fault.ts";
import { createRecordShape } from "#kernel/model/record-schema.ts";
import {
  APPROVALS_FOLDER,
  getApprovalLogPath,
  joinFolderPath,
  type WorkspacePath,
} from "#kernel/model/workspace-paths.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import {
  ApprovalLog,
  createRecordedAnswer,
  isApprovalSubject,
  listUnprovedAnswers,
  type RecordedAnswer,
} from "../../model/approval/approval-log.ts";
import type { AskedApproval } from "./ask-approval.ts";
import { planQuestionEnd } from "./ask-approval.ts";

export const APPROVAL_LOG_SHAPE = createRecordShape(1, ApprovalLog);

type AnswerPlan = Required<Pick<StorePlan<void>, "steps" | "keeps" | "occurrences">>;

type AnsweredQuestion = Pick<AskedApproval, "question" | "answer">;

/** Records the user's answer with its proof and ends its question. Add it to the write that acts on the answer. */
export const planRecordedAnswer = (tree: StoreTree, subject: string, asked: AnsweredQuestion): AnswerPlan =>
  planRecordedAnswers(tree, subject, [asked]);

export function planRecordedAnswers(tree: StoreTree, subject: string, all: readonly AnsweredQuestion[]): AnswerPlan {
  const recorded = all.map(({ question, answer }) => {
    if (!answer) throw new RangeError("The user has not answered.");
    return createRecordedAnswer(question, answer);
  });
  return {
    ...planAnswers(tree, subject, recorded),
    keeps: all.flatMap(({ question }) => planQuestionEnd(tree, question.id)),
    occurrences: recorded.map(({ id, stage, choice, by, proof }) => {
      return { kind: "approval.recorded", subject: id, data: { stage, choice, by, proof } };
    }),
  };
}

export function planAnswers(
  tree: StoreTree,
  subject: string,
  answers: readonly RecordedAnswer[],
): Pick<AnswerPlan, "steps"> {
  const path = getApprovalLogPath(subject);
  const before = tree.record(path, APPROVAL_LOG_SHAPE);
  const record: ApprovalLog = {
    subject,
    answers: [...(before?.answers ?? []), ...answers],
    schema: 1,
    rev: (before?.rev ?? 0) + 1,
  };
  return { steps: [{ kind: "record", path, record, shape: APPROVAL_LOG_SHAPE }] };
}

/** Unreadable logs and unexpected files in their folder are listed as damaged. */
export function loadApprovalLogs(tree: StoreTree) {
  const found: (ApprovalLog & { readonly path: WorkspacePath })[] = [];
  const damaged: { readonly path: WorkspacePath; readonly why: string }[] = [];
  for (const name of tree.names(APPROVALS_FOLDER).filter((each) => !each.startsWith("."))) {
    const path = joinFolderPath(APPROVALS_FOLDER, name);
    const subject = parseApprovalLogName(name);
    if (subject === undefined) {
      damaged.push({ path, why: "Its name is not an approval file's: fix-login.json." });
      continue;
    }
    try {
      const log = tree.record(getApprovalLogPath(subject), APPROVAL_LOG_SHAPE);
      if (log) found.push({ ...log, path });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      damaged.push({ path, why: error.why });
    }
  }
  return { found, damaged };
}

export function parseApprovalLogName(name: string): string | undefined {
  const stem = name.slice(0, -".json".length);
  return name.endsWith(".json") && isApprovalSubject(stem) ? stem : undefined;
}

export const loadUnprovedAnswers = (tree: StoreTree) =>
  loadApprovalLogs(tree).found.flatMap(({ path, subject, answers }) =>
    listUnprovedAnswers(answers).map((answer) => ({ ...answer, path, subject })),
  );

export const readRecordedAnswers = (tree: StoreTree, subject: string): readonly RecordedAnswer[] =>
  tree.record(getApprovalLogPath(subject), APPROVAL_LOG_SHAPE)?.answers ?? [];

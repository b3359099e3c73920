import type * as z from "zod";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { LockedStoreTree, StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import { isYes } from "../../model/approval/approval-proof.ts";
import type { Approval } from "../../model/approval/approval-record.ts";
import type { PlanningEngine } from "../engine.ts";
import { planRecordedAnswer, readRecordedAnswers } from "./approval-log-files.ts";
import {
  type ApprovalRequest,
  askApproval,
  type AskedApproval,
  describeMissingApproval,
  keepOpenQuestion,
  viewOpenQuestion,
} from "./ask-approval.ts";
import type { OpenQuestionOutput } from "./schema.ts";
import { foldJournalIntoLedger } from "../workflow/fold-journal.ts";

export interface ApprovalNeed {
  /** The file in `sdd/approvals` that records the answer. */
  readonly subject: string;
  /** `your answers`, for sentences such as "Approval needed: …". */
  readonly what: string;
  readonly request: ApprovalRequest;
}

/** What a plan knows of the approval that it asked for. */
export interface ApprovalState {
  readonly approval?: Approval | undefined;
  /** Why there is none. The plan lists it among its problems and writes nothing. */
  readonly problem?: string | undefined;
}

type NeedyPlan<T> = StorePlan<T> & { readonly needs?: ApprovalNeed | undefined };

/**
 * Commits a plan that may need the user's approval. The plan is decided first, so the user is asked only once nothing
 * else is missing. The answer is recorded in the same write. An approval of the same text counts again.
 */
export async function commitApproved<T>(
  engine: PlanningEngine,
  decide: (tree: StoreTree, state: ApprovalState) => NeedyPlan<T>,
): Promise<{ readonly result: T; readonly question?: z.infer<typeof OpenQuestionOutput> | undefined }> {
  let asked: AskedApproval | undefined;
  for (;;) {
    const current = asked;
    const done = await commitStoreWrite(engine, (tree) => planApproved(tree, decide, current));
    if ("result" in done) return done;
    // The user may have answered in the chat.
    await foldJournalIntoLedger(engine);
    asked = await askApproval(engine, done.needs.request, { session: engine.session, given: {} });
    const problem = describeMissingApproval(done.needs.what, asked);
    if (problem === undefined) continue;
    await keepOpenQuestion(engine, asked);
    const { result } = await engine.store.read((tree) => decide(tree, { problem }));
    return { result, question: viewOpenQuestion(asked) };
  }
}

type Outcome<T> = { readonly result: T } | { readonly needs: ApprovalNeed };

function planApproved<T>(
  tree: LockedStoreTree,
  decide: (tree: StoreTree, state: ApprovalState) => NeedyPlan<T>,
  asked: AskedApproval | undefined,
): StorePlan<Outcome<T>> {
  const { needs } = decide(tree, {});
  const isAsked = needs !== undefined && asked?.approval !== undefined && isSameText(asked.question, needs.request);
  const known = needs && (isAsked ? asked.approval : findRecordedApproval(tree, needs));
  if (needs && !known) return { steps: [], occurrences: [], result: { needs } };
  const { needs: _, result, ...plan } = decide(tree, { approval: known });
  if (!isAsked) return { ...plan, result: { result } };
  const recorded = planRecordedAnswer(tree, needs.subject, asked);
  return {
    ...plan,
    steps: [...plan.steps, ...recorded.steps],
    keeps: [...(plan.keeps ?? []), ...recorded.keeps],
    occurrences: [...plan.occurrences, ...recorded.occurrences],
    result: { result },
  };
}

const isSameText = (one: Pick<ApprovalRequest, "id" | "text">, other: Pick<ApprovalRequest, "id" | "text">): boolean =>
  one.id === other.id && one.text === other.text;

const findRecordedApproval = (tree: StoreTree, { subject, request }: ApprovalNeed): Approval | undefined =>
  readRecordedAnswers(tree, subject).findLast(
    (answer) => isSameText(answer, request) && isYes({ choices: request.choices ?? ["approve"] }, answer),
  );

import type * as z from "zod";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { LockedStoreTree, StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import { isYes } from "../../model/approval/approval-proof.ts";
import type { Approval } from "../../model/approval/approval-record.ts";
import type { PlanningEngine } from "../engine.ts";
import { planRecordedAnswers, readRecordedAnswers } from "./approval-log-files.ts";
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
  readonly subject: string;
  /** `your answers`, for sentences such as "Approval needed: …". */
  readonly what: string;
  readonly request: ApprovalRequest;
}

export interface ApprovalState {
  readonly approval?: Approval | undefined;
  /** Why there is none. The plan lists it among its problems and writes nothing. */
  readonly problem?: string | undefined;
}

type NeedyPlan<T> = StorePlan<T> & { readonly needs?: ApprovalNeed | readonly ApprovalNeed[] | undefined };

/** Decides the plan first, so that the user is asked only when nothing else is missing. One write records both. */
export async function commitApproved<T>(
  engine: PlanningEngine,
  decide: (tree: StoreTree, state: ApprovalState) => NeedyPlan<T>,
): Promise<{ readonly result: T; readonly question?: z.infer<typeof OpenQuestionOutput> | undefined }> {
  const answered: AskedApproval[] = [];
  for (;;) {
    const done = await commitStoreWrite(engine, (tree) => planApproved(tree, decide, answered));
    if ("result" in done) return done;
    // The user may have answered in the chat.
    await foldJournalIntoLedger(engine);
    const asked = await askApproval(engine, done.needs.request, { session: engine.session, given: {} });
    const problem = describeMissingApproval(done.needs.what, asked);
    if (problem === undefined) {
      answered.push(asked);
      continue;
    }
    await keepOpenQuestion(engine, asked);
    const { result } = await engine.store.read((tree) => decide(tree, { problem }));
    return { result, question: viewOpenQuestion(asked) };
  }
}

type Outcome<T> = { readonly result: T } | { readonly needs: ApprovalNeed };

/** Asks for one approval at a time. An answer that is only in the log counts again, and is not recorded again. */
function planApproved<T>(
  tree: LockedStoreTree,
  decide: (tree: StoreTree, state: ApprovalState) => NeedyPlan<T>,
  answered: readonly AskedApproval[],
): StorePlan<Outcome<T>> {
  const found = [decide(tree, {}).needs ?? []].flat().map((need) => {
    const asked = answered.find(({ approval, question }) => approval && isSameText(question, need.request));
    return { need, asked, approval: asked?.approval ?? findRecordedApproval(tree, need) };
  });
  const missing = found.find(({ approval }) => approval === undefined);
  if (missing) return { steps: [], occurrences: [], result: { needs: missing.need } };
  const { needs: _, result, ...plan } = decide(tree, { approval: found[0]?.approval });
  const answers = Map.groupBy(
    found.filter(({ asked }) => asked !== undefined),
    ({ need }) => need.subject,
  );
  const recorded = [...answers].map(([subject, all]) =>
    planRecordedAnswers(
      tree,
      subject,
      all.flatMap(({ asked }) => asked ?? []),
    ),
  );
  return {
    ...plan,
    steps: [...plan.steps, ...recorded.flatMap(({ steps }) => steps)],
    keeps: [...(plan.keeps ?? []), ...recorded.flatMap(({ keeps }) => keeps)],
    occurrences: [...plan.occurrences, ...recorded.flatMap(({ occurrences }) => occurrences)],
    result: { result },
  };
}

const isSameText = (one: Pick<ApprovalRequest, "id" | "text">, other: Pick<ApprovalRequest, "id" | "text">): boolean =>
  one.id === other.id && one.text === other.text;

const findRecordedApproval = (tree: StoreTree, { subject, request }: ApprovalNeed): Approval | undefined =>
  readRecordedAnswers(tree, subject).findLast(
    (answer) => isSameText(answer, request) && isYes({ choices: request.choices ?? ["approve"] }, answer),
  );

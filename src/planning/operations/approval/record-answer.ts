import { sanitizeText } from "#kernel/model/text-format.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { StorePlan } from "#store/operations/ports/store.ts";
import { type ApprovalAnswer, type ApprovalQuestion, MAX_QUOTE } from "../../model/approval/approval-proof.ts";
import type { PlanningEngine } from "../engine.ts";
import { APPROVAL_SPACE, noteMember } from "../workflow/ledger-spaces.ts";

/** Stores the user's answer with its question, until the call that asked uses it. */
export const planAnswer = (
  question: ApprovalQuestion,
  answer: ApprovalAnswer,
): Required<Pick<StorePlan<unknown>, "keeps" | "occurrences">> => ({
  keeps: [{ space: APPROVAL_SPACE.name, key: question.id, value: { ...question, answer } }],
  occurrences: [
    {
      kind: "approval.answered",
      subject: question.id,
      data: {
        stage: question.stage,
        choice: answer.choice,
        by: answer.by,
        proof: answer.proof,
        ...(answer.member ? { member: answer.member } : {}),
        ...(answer.reason ? { reason: answer.reason } : {}),
      },
    },
  ],
});

export interface ElicitedAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly choice?: string | undefined;
  readonly reason?: string | undefined;
}

/** Declining and closing the form are a no. Returns false if the text of the question has changed. */
export async function recordElicitedAnswer(
  engine: PlanningEngine,
  key: string,
  { action, choice, reason = "" }: ElicitedAnswer,
): Promise<boolean> {
  const { text: why } = await engine.secrets.mask(reason);
  const at = engine.clock.now();
  return commitStoreWrite(engine, (tree) => {
    const question = [...tree.kept(APPROVAL_SPACE).values()].find((each) => each.key === key);
    if (!question) return { steps: [], occurrences: [], result: false };
    const isChosen = action === "accept" && question.choices.includes(choice ?? "");
    const closed = action === "cancel" ? "The user closed the question without an answer." : "The user declined.";
    const answer: ApprovalAnswer = {
      choice: isChosen ? (choice ?? "") : NO_ANSWER,
      proof: "elicited",
      by: engine.origin.user,
      at,
      ...noteMember(engine),
      client: sanitizeText(engine.origin.name, 100),
      ...(action === "accept" && why.trim() !== "" ? { quote: sanitizeText(why, MAX_QUOTE) } : {}),
      ...(isChosen && choice === question.choices[0] ? {} : { reason: sanitizeText(why, 500) || closed }),
    };
    return { steps: [], ...planAnswer(question, answer), result: true };
  });
}

/** A no to a question that has no choice for it. */
const NO_ANSWER = "none";

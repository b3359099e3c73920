import { sanitizeText } from "#kernel/model/text-format.ts";
import { formatApprover } from "#planning/model/approval/approval-proof.ts";
import { planRecordedAnswer } from "#planning/operations/approval/approval-log-files.ts";
import {
  type ApprovalRequest,
  askApproval,
  type AskedApproval,
  keepOpenQuestion,
  planOpenQuestion,
} from "#planning/operations/approval/ask-approval.ts";
import type { LedgerEntry, StoreTree } from "#store/operations/ports/store.ts";
import type { LeadAction, QuestionAction } from "../../model/lead/lead-state.ts";
import { matchAnswerChoice } from "../../model/lead/answer-choice.ts";
import type { RoadmapEngine } from "../engine.ts";

const createRequest = ({ digest }: Pick<RoadmapEngine, "digest">, action: QuestionAction): ApprovalRequest => {
  const { id, question, subject, choices, detail } = action;
  return {
    id,
    area: "roadmap",
    stage: question,
    question: `${sanitizeText(detail, 1_500)} Choose ${choices.join(" or ")}.`,
    choices,
    text: digest(JSON.stringify([id, question, subject, choices, detail])),
    mustChoose: true,
  };
};

/** Opens the questions among assigned actions, so that the user's answer in a terminal or in the chat counts. */
export const planOpenQuestions = (
  engine: RoadmapEngine,
  tree: StoreTree,
  actions: readonly LeadAction[],
  session: string,
): LedgerEntry[] =>
  actions.flatMap((action) =>
    action.kind === "ask" ? planOpenQuestion(engine, tree, createRequest(engine, action), session) : [],
  );

/** The user's answer, or the open question. `said` is the answer that the call passes on. */
export async function askUser(
  engine: RoadmapEngine,
  action: QuestionAction,
  said: string | undefined,
): Promise<AskedApproval> {
  const choice = said === undefined ? undefined : matchAnswerChoice(action.choices, said);
  const given = choice === undefined ? undefined : { choice };
  const asked = await askApproval(engine, createRequest(engine, action), { session: engine.session, given });
  await keepOpenQuestion(engine, asked);
  return asked;
}

/** The words and the source that the decision log shows. */
export function describeAnswer({ answer }: AskedApproval, said: string | undefined) {
  if (!answer) return undefined;
  const own = answer.proof === "relayed" ? undefined : (answer.quote ?? answer.reason);
  return { choice: answer.choice, said: own ?? said ?? answer.choice, source: formatApprover(answer) };
}

/** One file for each feature and wave, for reviews of everything and for the run. */
export const planUserAnswer = (tree: StoreTree, asked: AskedApproval) =>
  planRecordedAnswer(tree, asked.question.id.split("/", 1)[0] ?? "", asked);

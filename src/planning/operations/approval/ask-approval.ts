import type * as z from "zod";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { Page } from "#kernel/model/page.ts";
import type { SuggestedFix } from "#kernel/model/fault.ts";
import type { UserQuestion } from "#kernel/operations/operation.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { LedgerEntry, StoreOccurrence, StoreTree } from "#store/operations/ports/store.ts";
import type { Approval } from "../../model/approval/approval-record.ts";
import * as approvalProof from "../../model/approval/approval-proof.ts";
import { listHookedSessions } from "../../model/approval/user-message.ts";
import type { PlanningEngine } from "../engine.ts";
import type { OpenQuestionOutput } from "./schema.ts";
import { APPROVAL_SPACE, noteMember, SESSION_SPACE } from "../workflow/ledger-spaces.ts";

/** What the user shall approve. `text` is the hash of it. */
export type ApprovalRequest = Pick<approvalProof.ApprovalQuestion, "id" | "area" | "stage" | "question" | "text"> & {
  readonly path?: string | undefined;
  readonly choices?: readonly string[];
  /** No choice means no, so a form that the user closed leaves the question open. */
  readonly mustChoose?: boolean;
};

/** The state of a question after one call. The caller keeps it in the same write as its own records. */
export interface AskedApproval {
  readonly question: approvalProof.ApprovalQuestion;
  readonly abilities: approvalProof.ProofAbilities;
  readonly answer?: approvalProof.ApprovalAnswer;
  readonly approval?: Approval;
  /** Why no answer counts yet. */
  readonly why?: string;
}

/** Every gate, change, project and roadmap asks here. `given` is the answer that the call passes on. */
export async function askApproval(
  engine: PlanningEngine,
  request: ApprovalRequest,
  {
    session,
    given,
  }: {
    readonly session: string;
    /** Without a name it is the account's. */
    readonly given?: { readonly by?: string; readonly choice?: string } | undefined;
  },
): Promise<AskedApproval> {
  const { approvals: setting } = await engine.settings.load();
  const { known, sessions } = await engine.store.read((tree) => ({
    known: tree.kept(APPROVAL_SPACE).get(request.id),
    sessions: tree.kept(SESSION_SPACE),
  }));
  const at = engine.clock.now();
  const isAsked = isSameQuestion(known, request);
  const isClosed = isAsked && request.mustChoose && known.answer && !known.choices.includes(known.answer.choice);
  const isSame = isAsked && !isClosed;
  const question = isSame ? known : createQuestion(engine, request, session, at);
  const isTyped = given !== undefined && (await engine.origin.findAgentSign()) === undefined;
  const abilities = {
    canElicit: engine.origin.canElicit,
    isHooked: isSessionHooked(session, listHookedSessions(sessions.values(), at)),
    isTyped,
  };
  const said = given && {
    choice: given.choice ?? question.choices[0] ?? "",
    by: sanitizeText((given.by ?? engine.origin.user).trim(), 200),
    at,
    client: engine.origin.name,
    ...noteMember(engine),
  };
  const verdict = approvalProof.judgeApproval(isSame ? question : undefined, said, setting, abilities);
  if (verdict.status === "needed")
    return { question, abilities, why: isClosed ? (known.answer?.reason ?? verdict.why) : verdict.why };
  const { quote } = verdict.answer;
  const answer = quote ? { ...verdict.answer, quote: (await engine.secrets.mask(quote)).text } : verdict.answer;
  return {
    question,
    abilities,
    answer,
    ...(approvalProof.isYes(question, answer) ? { approval: approvalProof.createApproval(request, answer) } : {}),
  };
}

const isSameQuestion = (
  known: approvalProof.ApprovalQuestion | undefined,
  { stage, text }: Pick<ApprovalRequest, "stage" | "text">,
): known is approvalProof.ApprovalQuestion => known?.stage === stage && known.text === text;

/** Opens a question before an answer is passed on. An open question about the same text stays. */
export function planOpenQuestion(
  engine: Pick<PlanningEngine, "digest" | "clock">,
  tree: StoreTree,
  request: ApprovalRequest,
  session: string,
): LedgerEntry[] {
  if (isSameQuestion(tree.kept(APPROVAL_SPACE).get(request.id), request)) return [];
  return planQuestion(tree, createQuestion(engine, request, session, engine.clock.now()));
}

function createQuestion(
  { digest }: Pick<PlanningEngine, "digest">,
  { id, area, stage, question, text, path, choices = approvalProof.YES_OR_NO }: ApprovalRequest,
  session: string,
  at: string,
): approvalProof.ApprovalQuestion {
  const key = digest(JSON.stringify([id, stage, text, session, at])).slice(0, 16);
  const asked = { id, area, stage, question, text, choices, key, session, at };
  return path === undefined ? asked : { ...asked, path };
}

/** A caller whose name the hooks do not know may be the only session that they know. */
const isSessionHooked = (session: string, hooked: readonly string[]): boolean =>
  hooked.includes(session) || hooked.length === 1;

/** The question as an answer shows it; undefined once the user has answered. */
export const viewOpenQuestion = (asked: AskedApproval | undefined): z.infer<typeof OpenQuestionOutput> | undefined => {
  if (!asked || asked.answer) return undefined;
  const { id, key, stage, question, path, choices } = asked.question;
  return { id, key, stage, question, path, choices: [...choices], heard_here: asked.abilities.isHooked };
};

/** How an agent gets the answer. The call that asked comes after it. */
export function formatQuestionPoints({
  question,
  path,
  choices,
  heard_here: isHeard,
}: z.infer<typeof OpenQuestionOutput>): string[] {
  const read = path === undefined ? "" : ` (${path})`;
  const spoken = isHeard ? ` Their ${approvalProof.listSpokenChoices(choices).join(" or ")} in this chat counts.` : "";
  return [`Ask the user: ${question}${read}${spoken}`];
}

/** The answer of a call that waits for the user. `input` repeats the call. */
export const formatQuestionPage = (
  question: z.infer<typeof OpenQuestionOutput>,
  operation: string,
  input: Readonly<Record<string, unknown>>,
): Page => ({
  title: `${question.id} waits for the user's answer.`,
  points: formatQuestionPoints(question),
  next: suggestQuestionSteps(question, { operation, input }),
});

export const suggestQuestionSteps = ({ id, choices }: UserQuestion, again: SuggestedFix): SuggestedFix[] => [
  {
    operation: "approval.answer",
    input: { id, ...(approvalProof.isYesNoQuestion(choices) ? {} : { answer: choices.join("|") }) },
  },
  again,
];

export function describeMissingApproval(what: string, asked: AskedApproval): string | undefined {
  if (asked.approval) return undefined;
  if (asked.answer) return approvalProof.formatRejection(what, asked.answer);
  return `Approval needed: ${what}. ${asked.why ?? ""}`.trim();
}

/** Keeps an open question. An answer that came meanwhile stays. */
export function planQuestion(tree: StoreTree, question: approvalProof.ApprovalQuestion): LedgerEntry[] {
  if (tree.kept(APPROVAL_SPACE).get(question.id)?.key === question.key) return [];
  return [{ space: APPROVAL_SPACE.name, key: question.id, value: question }];
}

/** Keeps the question of a call that writes nothing else. */
export const keepOpenQuestion = (engine: PlanningEngine, { question, answer }: AskedApproval): Promise<void> =>
  commitStoreWrite(engine, (tree) => {
    const keeps = answer ? [] : planQuestion(tree, question);
    return { steps: [], occurrences: keeps.map(createAskedOccurrence), keeps, result: undefined };
  });

export const createAskedOccurrence = ({ key }: LedgerEntry): StoreOccurrence => ({
  kind: "approval.asked",
  subject: key,
});

/** Ends a question whose answer is recorded, or whose work has ended. */
export const planQuestionEnd = (tree: StoreTree, id: string): LedgerEntry[] =>
  tree.kept(APPROVAL_SPACE).has(id) ? [{ space: APPROVAL_SPACE.name, key: id }] : [];

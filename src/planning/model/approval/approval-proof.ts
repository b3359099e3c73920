import { sanitizeText } from "#kernel/model/text-format.ts";
import type { Config } from "#kernel/model/workspace-config.ts";
import type { Approval } from "./approval-record.ts";

/** Strongest first: shown by the client, typed in a terminal, seen by a prompt hook, or only the agent's word. */
export const APPROVAL_PROOFS = ["elicited", "typed", "witnessed", "relayed"] as const;
type ApprovalProof = (typeof APPROVAL_PROOFS)[number];

/** Characters of the user's message that are kept. */
export const MAX_QUOTE = 120;

export interface ApprovalQuestion {
  /** What the user types after `tenon approve`: AUTH-001, fix-login, user-login/escalation/1. */
  readonly id: string;
  readonly area: "workflow" | "change" | "project" | "roadmap" | "record";
  readonly stage: string;
  /** One sentence in plain words. */
  readonly question: string;
  /** The file to read before answering. */
  readonly path?: string;
  /** The first one approves. */
  readonly choices: readonly string[];
  /** SHA-256 of the text to approve. */
  readonly text: string;
  /** Unique for this question about this text, so that no answer counts twice. */
  readonly key: string;
  readonly session: string;
  readonly at: string;
  readonly answer?: ApprovalAnswer;
  /** The user's last message since, if it was neither a yes nor a no. */
  readonly heard?: { readonly at: string; readonly quote: string };
}

export interface ApprovalAnswer {
  readonly choice: string;
  readonly proof: ApprovalProof;
  readonly by: string;
  readonly at: string;
  readonly client?: string;
  readonly quote?: string;
  readonly reason?: string;
  /** In a team: the user of the database. */
  readonly member?: string;
}

export const YES_OR_NO = ["approve", "reject"] as const;

export interface ProofAbilities {
  readonly canElicit: boolean;
  readonly isHooked: boolean;
  readonly isTyped: boolean;
}

type ApprovalSetting = Config["approvals"];

export type ApprovalVerdict =
  | { readonly status: "answered"; readonly answer: ApprovalAnswer }
  | { readonly status: "needed"; readonly why: string };

/** `given` is an agent's word unless a person typed the call. A direct answer of the user always wins over it. */
export function judgeApproval(
  question: ApprovalQuestion | undefined,
  given: Omit<ApprovalAnswer, "proof"> | undefined,
  setting: ApprovalSetting,
  { canElicit, isHooked, isTyped }: ProofAbilities,
): ApprovalVerdict {
  if (given && isTyped) return { status: "answered", answer: { ...given, proof: "typed" } };
  if (question?.answer) return { status: "answered", answer: question.answer };
  if (!given) return { status: "needed", why: "The user has not answered yet." };
  const heard = question?.heard;
  const relayed = { ...given, proof: "relayed" as const, ...(heard ? { quote: heard.quote } : {}) };
  if (setting === "relayed") return { status: "answered", answer: relayed };
  if (setting === "proven") return { status: "needed", why: "The settings of this project ask for a proven answer." };
  if (canElicit) return { status: "needed", why: "This client can ask the user directly." };
  if (isHooked && !question) return { status: "needed", why: "The question was not open yet." };
  if (isHooked && !heard) return { status: "needed", why: "The user has not written since the question." };
  return { status: "answered", answer: relayed };
}

export const isYes = ({ choices }: Pick<ApprovalQuestion, "choices">, { choice }: ApprovalAnswer): boolean =>
  choice === choices[0];

export const isProven = ({ proof }: Pick<Approval, "proof">): boolean => proof !== "relayed";

export function createApproval(
  { stage, text }: Pick<Approval, "stage" | "text">,
  { by, at, proof, client, quote, member }: ApprovalAnswer,
): Approval {
  const known = { ...(client ? { client } : {}), ...(quote ? { quote } : {}), ...(member ? { member } : {}) };
  return { stage, by, at, text, proof, ...known };
}

/** `Ann, typed in a terminal` or `Ann, database user ada (unproved: the agent reported it)`. */
export function formatApprover({ by, proof, client, quote, member }: Omit<Approval, "stage" | "text" | "at">): string {
  const name = `${sanitizeText(by, 60)}${member ? `, database user ${sanitizeText(member, 60)}` : ""}`;
  if (proof === "typed") return `${name}, typed in a terminal`;
  if (proof === "elicited") return `${name}, answered in ${client ? sanitizeText(client, 60) : "the client"}`;
  const said = quote ? `"${sanitizeText(quote, 60)}"` : "";
  if (proof === "witnessed") return `${name}, who wrote ${said}`;
  return `${name} (unproved: the agent reported it)`;
}

export function formatRejection(what: string, { by, reason }: ApprovalAnswer): string {
  const why = reason ? `: ${sanitizeText(reason, 300)}` : "";
  return `${sanitizeText(by, 60)} did not approve ${what}${why}`.replace(/[.]?$/, ".");
}

export const isYesNoQuestion = (choices: readonly string[]): boolean => choices.join() === YES_OR_NO.join();

export const listSpokenChoices = (choices: readonly string[]): readonly string[] =>
  isYesNoQuestion(choices) ? ["yes", "no"] : choices;

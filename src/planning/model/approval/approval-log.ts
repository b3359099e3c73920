import * as z from "zod/mini";
import { boundedText, filledText, type Immutable } from "#kernel/model/record-schema.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import {
  type ApprovalAnswer,
  type ApprovalQuestion,
  createApproval,
  formatApprover,
  isProven,
} from "./approval-proof.ts";
import { Approval } from "./approval-record.ts";

/** The user's answer to a question of a change, a project or a roadmap. Receipts store the answers of gates. */
const RecordedAnswer = z.object({
  ...Approval.shape,
  /** What the user types after `tenon approve`. */
  id: filledText(300),
  area: z.enum(["change", "project", "roadmap", "record"]),
  question: boundedText(2_000),
  choice: filledText(40),
});
export type RecordedAnswer = Immutable<z.infer<typeof RecordedAnswer>>;

/** `fix-login`, `user-login`, `wave-1`, `project`: one file each, so that two branches rarely change the same one. */
export const isApprovalSubject = (name: string): boolean => /^[a-z0-9][a-z0-9-]{0,119}$/.test(name);

export const ApprovalLog = z.object({
  subject: z.string().check(z.refine(isApprovalSubject)),
  answers: z.array(RecordedAnswer),
  schema: z.literal(1),
  rev: z.int(),
});
export type ApprovalLog = Immutable<z.infer<typeof ApprovalLog>>;

export function createRecordedAnswer(question: ApprovalQuestion, answer: ApprovalAnswer): RecordedAnswer {
  const { id, area, question: asked } = question;
  if (area === "workflow") throw new RangeError("Receipts store the approvals of workflows.");
  return { id, area, question: asked.slice(0, 2_000), choice: answer.choice, ...createApproval(question, answer) };
}

/** Answers that rest on an agent's word, each once, without those that the user confirmed later. */
export function listUnprovedAnswers(answers: readonly RecordedAnswer[]): RecordedAnswer[] {
  const createKey = ({ id, stage, text }: RecordedAnswer): string => JSON.stringify([id, stage, text]);
  const proven = new Set(answers.filter(isProven).map(createKey));
  const unproved = answers.filter((each) => !isProven(each) && !proven.has(createKey(each)));
  return [...new Map(unproved.map((each) => [createKey(each), each])).values()];
}

export const formatUnprovedAnswer = ({
  id,
  stage,
  choice,
  by,
}: Pick<RecordedAnswer, "id" | "stage" | "choice" | "by">): string =>
  `${sanitizeText(id, 100)}: the answer "${choice}" to ${sanitizeText(stage, 60)} by ${sanitizeText(by, 60)} is unproved: an agent reported it.`;

/** `clarify: approved by Ann (unproved: the agent reported it)`. */
export const formatRecordedAnswer = (
  answer: Pick<RecordedAnswer, "stage" | "choice" | "by" | "proof" | "client" | "quote">,
): string => `${answer.stage}: ${answer.choice} by ${formatApprover(answer)}`;

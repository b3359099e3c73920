import type { FeatureRecord, Proposal, ReviewRef } from "../../../feature/record.ts";
import { sanitizeText } from "../../../quote.ts";
import type { Ask } from "../action.ts";
import { decided } from "../changes/decision.ts";
import { proposalsOf } from "../next/done.ts";
import type { Draft } from "../draft.ts";
import { proposalId, waveOfHead } from "../ids.ts";
import type { Scope } from "../state.ts";
import { APPLIED, refuse, type Taken } from "../taken.ts";
import { waitingIn } from "../next/wave.ts";

export function answerProposal(draft: Draft, { subject, id }: Ask, choice: string, said: string): Taken {
  const found = take(draft, subject, id);
  if (!found) return refuse(`No line waits under ${id}.`);
  const { line, scope } = found;
  const answer = choice === "approve" ? "approved" : choice === "reject" ? "rejected" : "excepted";
  draft.effect({ kind: "proposal-answered", scope, batch: line.batch, line: line.line, answer });
  if (answer === "approved") draft.effect({ kind: "steering", file: line.file, text: line.text });
  decided(draft, {
    type: TYPE[answer],
    summary: `${sanitizeText(line.file, 60)}: ${sanitizeText(line.text, 100)}`,
    context: `Review ${line.batch} of ${subject} proposed it.`,
    decision: DECISION[answer](line.text),
    said,
    impact: line.file,
    ...(answer === "excepted" ? { steeringRef: `${line.file}: ${sanitizeText(line.text, 200)}` } : {}),
  });
  return APPLIED;
}

const TYPE = { approved: "STEERING_UPDATE", rejected: "USER_DECISION", excepted: "STEERING_EXCEPTION" } as const;

const DECISION = {
  approved: (text: string) => text,
  rejected: (text: string) => `Rejected: ${text}`,
  excepted: (text: string) => `Not here: ${text}`,
};

/** Removes the line from the record that holds it. */
function take(draft: Draft, head: string, id: string): { readonly line: Proposal; readonly scope: Scope } | undefined {
  const isMeant = (line: Proposal): boolean => proposalId(head, line) === id;
  const record = draft.feature(head as FeatureRecord["feature_name"]);
  if (record) {
    const line = proposalsOf(record).find(isMeant);
    if (!line) return undefined;
    const { design, implementation } = record.reviews;
    draft.keep({
      ...record,
      reviews: { design: without(design, line), implementation: without(implementation, line) },
    });
    return { line, scope: { of: "feature", feature: record.feature_name } };
  }
  const number = waveOfHead(head);
  const wave = number === undefined ? undefined : draft.wave(number);
  if (wave) {
    const line = waitingIn(wave).find(isMeant);
    if (!line) return undefined;
    draft.keepWave({
      ...wave,
      cross_check: without(wave.cross_check, line),
      dead_code: without(wave.dead_code, line),
    });
    return { line, scope: { of: "wave", wave: wave.wave } };
  }
  const line = draft.run.proposals?.find(isMeant);
  if (!line) return undefined;
  draft.changeRun({ proposals: (draft.run.proposals ?? []).filter((other) => other !== line) });
  return { line, scope: { of: "all" } };
}

function without(review: ReviewRef | null, line: Proposal): ReviewRef | null {
  if (!review?.waiting?.includes(line)) return review;
  const waiting = review.waiting.filter((other) => other !== line);
  const { waiting: _, ...rest } = review;
  const answered = { ...rest, proposals: waiting.length };
  return waiting.length > 0 ? { ...answered, waiting } : answered;
}

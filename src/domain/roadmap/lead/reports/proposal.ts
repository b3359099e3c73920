import type { FeatureRecord, SteeringProposal, ReviewReference } from "../../../feature/record.ts";
import { sanitizeText } from "../../../quote.ts";
import type { QuestionAction } from "../action.ts";
import { recordUserDecision } from "../changes/decision.ts";
import { listFeatureProposals } from "../next/done.ts";
import type { LeadDraft } from "../draft.ts";
import { createProposalId, parseWaveHead } from "../ids.ts";
import type { ReviewScope } from "../state.ts";
import { EVENT_APPLIED, rejectLeadEvent, type EventOutcome } from "../taken.ts";
import { listWaveProposals } from "../next/wave.ts";

export function applyProposalAnswer(
  draft: LeadDraft,
  { subject, id }: QuestionAction,
  choice: string,
  said: string,
): EventOutcome {
  const found = takePendingProposal(draft, subject, id);
  if (!found) return rejectLeadEvent(`No line waits under ${id}.`);
  const { line, scope } = found;
  const answer = choice === "approve" ? "approved" : choice === "reject" ? "rejected" : "excepted";
  draft.effect({ kind: "proposal-answered", scope, batch: line.batch, line: line.line, answer });
  if (answer === "approved") draft.effect({ kind: "steering", file: line.file, text: line.text });
  recordUserDecision(draft, {
    type: PROPOSAL_DECISION_TYPES[answer],
    summary: `${sanitizeText(line.file, 60)}: ${sanitizeText(line.text, 100)}`,
    context: `Review ${line.batch} of ${subject} proposed it.`,
    decision: PROPOSAL_DECISIONS[answer](line.text),
    said,
    impact: line.file,
    ...(answer === "excepted" ? { steeringRef: `${line.file}: ${sanitizeText(line.text, 200)}` } : {}),
  });
  return EVENT_APPLIED;
}

const PROPOSAL_DECISION_TYPES = {
  approved: "STEERING_UPDATE",
  rejected: "USER_DECISION",
  excepted: "STEERING_EXCEPTION",
} as const;

const PROPOSAL_DECISIONS = {
  approved: (text: string) => text,
  rejected: (text: string) => `Rejected: ${text}`,
  excepted: (text: string) => `Not here: ${text}`,
};

/** Removes the line from the record that holds it. */
function takePendingProposal(
  draft: LeadDraft,
  head: string,
  id: string,
): { readonly line: SteeringProposal; readonly scope: ReviewScope } | undefined {
  const isMeant = (line: SteeringProposal): boolean => createProposalId(head, line) === id;
  const record = draft.feature(head as FeatureRecord["feature_name"]);
  if (record) {
    const line = listFeatureProposals(record).find(isMeant);
    if (!line) return undefined;
    const { design, implementation } = record.reviews;
    draft.keep({
      ...record,
      reviews: { design: dropProposal(design, line), implementation: dropProposal(implementation, line) },
    });
    return { line, scope: { of: "feature", feature: record.feature_name } };
  }
  const number = parseWaveHead(head);
  const wave = number === undefined ? undefined : draft.wave(number);
  if (wave) {
    const line = listWaveProposals(wave).find(isMeant);
    if (!line) return undefined;
    draft.keepWave({
      ...wave,
      cross_check: dropProposal(wave.cross_check, line),
      dead_code: dropProposal(wave.dead_code, line),
    });
    return { line, scope: { of: "wave", wave: wave.wave } };
  }
  const line = draft.run.proposals?.find(isMeant);
  if (!line) return undefined;
  draft.changeRun({ proposals: (draft.run.proposals ?? []).filter((other) => other !== line) });
  return { line, scope: { of: "all" } };
}

function dropProposal(review: ReviewReference | null, line: SteeringProposal): ReviewReference | null {
  if (!review?.waiting?.includes(line)) return review;
  const waiting = review.waiting.filter((other) => other !== line);
  const { waiting: _, ...rest } = review;
  const answered = { ...rest, proposals: waiting.length };
  return waiting.length > 0 ? { ...answered, waiting } : answered;
}

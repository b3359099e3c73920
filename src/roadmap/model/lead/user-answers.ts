import { findClosestWord, quote, sanitizeText } from "#kernel/model/text-format.ts";
import type { FeatureRecord, ReviewReference, SteeringProposal } from "../feature/feature-record.ts";
import { APPROVED_LINE_PREFIX } from "../handover/decision-log.ts";
import {
  refreshDesignBasis,
  reopenTaskGroups,
  reopenWaveGates,
  skipBlockedFeature,
  unblockForFix,
} from "./feature-rework.ts";
import { matchAnswerChoice } from "./answer-choice.ts";
import { listAffordableWork } from "./lead-decision.ts";
import type { LeadDraft, UserDecision } from "./lead-draft.ts";
import { addCount, countFeatureRun, recordUserDecision, stopRoadmapRun } from "./lead-draft.ts";
import type { EventOutcome, QuestionAction, QuestionKind, ReportOf, ReviewScope } from "./lead-state.ts";
import { EVENT_APPLIED, rejectEvent } from "./lead-state.ts";
import * as leadView from "./lead-view.ts";
import { getNextGateStep } from "./review-verdict.ts";

interface UserAnswer {
  readonly ask: QuestionAction;
  readonly choice: string;
  readonly said: string;
  /** Records the user's decision. By default it is about the question's subject. */
  readonly record: (decision: Pick<UserDecision, "summary" | "decision"> & Partial<UserDecision>) => void;
}

export function applyUserAnswer(draft: LeadDraft, ask: QuestionAction, { report }: ReportOf<"answer">): EventOutcome {
  const choice = matchAnswerChoice(ask.choices, report.choice);
  if (choice !== undefined) {
    const said = report.said.trim();
    const { source } = report;
    const record: UserAnswer["record"] = (decision) =>
      recordUserDecision(draft, { context: ask.detail, impact: ask.subject, said, source, ...decision });
    return ANSWER_HANDLERS[ask.question](draft, { ask, choice, said, record });
  }
  const near = findClosestWord(report.choice.trim().toLowerCase(), ask.choices);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return rejectEvent(
    `${quote(report.choice, 40)} does not say which answer to ${ask.id} is meant. Ask the user: ${ask.choices.join(" or ")}?${hint}`,
  );
}

const ANSWER_HANDLERS: Readonly<Record<QuestionKind, (draft: LeadDraft, answer: UserAnswer) => EventOutcome>> = {
  escalation: applyEscalationAnswer,
  structure: applyStructureAnswer,
  "review-passed": applyGateAnswer,
  "wave-passed": applyGateAnswer,
  "wave-failed": applyWaveFailedAnswer,
  steering: applyProposalAnswer,
  "follow-up": applyFollowUpAnswer,
  cap: applyCapAnswer,
  edit: (_, { ask }) => rejectEvent(`Accept the edit with: tenon roadmap accept ${ask.subject} --reason "…"`),
};

const findQuestionFeature = (draft: LeadDraft, { subject }: QuestionAction): FeatureRecord | undefined =>
  draft.feature(subject as FeatureRecord["feature_name"]);

function applyEscalationAnswer(draft: LeadDraft, { ask, choice, record }: UserAnswer): EventOutcome {
  const feature = findQuestionFeature(draft, ask);
  if (!feature) return rejectEvent(`There is no feature ${ask.subject}.`);
  const { feature_name: name, blocked_info } = feature;
  record({
    type: "ESCALATION_RESOLVED",
    summary: `${name}: ${choice}`,
    context: blocked_info?.detail ?? "",
    decision: ESCALATION_DECISIONS[choice] ?? choice,
    impact: choice === "abort" ? "the whole run" : `${name} and what builds on it`,
  });
  if (choice === "fix") unblockForFix(draft, feature);
  if (choice === "skip") skipBlockedFeature(draft, feature);
  if (choice === "abort") {
    draft.keep(countFeatureRun(feature, "escalation"));
    stopRoadmapRun(draft, `The user aborted after ${name} failed.`);
  }
  return EVENT_APPLIED;
}

const ESCALATION_DECISIONS: Readonly<Record<string, string>> = {
  fix: "It is fixed, with all retries available again.",
  skip: "It is skipped. Features that depend on it continue without it.",
  abort: "The run is stopped, and everything stays as it is.",
};

function applyStructureAnswer(draft: LeadDraft, { ask, choice, said, record }: UserAnswer): EventOutcome {
  const feature = findQuestionFeature(draft, ask);
  if (!feature?.fix) return rejectEvent(`Nothing of ${ask.subject} needs a fix.`);
  const { isStructural: _, ...fix } = feature.fix;
  const isApproved = choice === "approve";
  const told = `The user rejects a change of structure: ${said || "no reason given"}. Fix the rest without it.`;
  const detail = isApproved ? fix.detail : sanitizeText(`${told} ${fix.detail}`, 1_000);
  draft.keep(countFeatureRun({ ...feature, fix: { ...fix, detail } }, "structure"));
  record({
    type: isApproved ? "DIRECTION_CHANGE" : "USER_DECISION",
    summary: `The structure of ${ask.subject} ${isApproved ? "changes" : "stays"}`,
    decision: isApproved ? "The Architect changes the structure of the work." : "The structure stays as it is.",
  });
  return EVENT_APPLIED;
}

function applyFollowUpAnswer(draft: LeadDraft, { ask, choice, record }: UserAnswer): EventOutcome {
  const known = findQuestionFeature(draft, ask);
  if (!known) return rejectEvent(`There is no feature ${ask.subject}.`);
  const feature = countFeatureRun(refreshDesignBasis(draft, known), "follow-up");
  const { feature_name: name, implementation, reviews } = feature;
  const review = reviews.implementation;
  draft.keep(feature);
  if (choice === "re-review" && review)
    draft.keep({ ...feature, reviews: { ...reviews, implementation: { ...review, of: "void" } } });
  if (choice === "re-implement") {
    const groups = implementation.groups.map(({ id }) => id);
    draft.keep(reopenTaskGroups(feature, { source: "revise", batch: null, detail: ask.detail, groups }));
    reopenWaveGates(draft, feature);
  }
  record({ summary: `${name}: ${choice}`, decision: FOLLOW_UP_DECISIONS[choice] ?? choice });
  return EVENT_APPLIED;
}

const FOLLOW_UP_DECISIONS: Readonly<Record<string, string>> = {
  "re-review": "It is reviewed again.",
  "re-implement": "It is built again.",
  skip: "It stays as it is.",
};

/** Resuming a stopped run counts as approval, so the question is not repeated. */
function applyGateAnswer(draft: LeadDraft, { ask, choice, record }: UserAnswer): EventOutcome {
  draft.changeRun({ agreed: [...draft.run.agreed, ask.id] });
  if (choice !== "stop") return EVENT_APPLIED;
  record({ summary: `Stopped at ${ask.id}`, decision: "The run is stopped.", impact: "the whole run" });
  stopRoadmapRun(draft, `The user stopped at ${ask.id}.`);
  return EVENT_APPLIED;
}

function applyWaveFailedAnswer(draft: LeadDraft, { ask, choice, record }: UserAnswer): EventOutcome {
  const wave = leadView.parseWaveHead(ask.subject) ?? 0;
  const gate = draft.waves.get(wave) ?? leadView.createWaveRecord(wave);
  const which: leadView.WaveReview = gate.step === "dead-code" ? "dead-code" : "cross-check";
  const runs = addCount(gate.runs, "failed");
  const isOn = choice === "proceed";
  record({
    type: "ESCALATION_RESOLVED",
    summary: `Wave ${wave}: ${choice} after ${which}`,
    decision: isOn ? "The wave continues with these findings." : "The wave is aborted.",
    impact: `wave ${wave}`,
  });
  const proceeded = isOn ? [...gate.proceeded, which] : gate.proceeded;
  draft.waves.set(wave, { ...gate, runs, step: isOn ? getNextGateStep(which) : "aborted", proceeded });
  if (!isOn) stopRoadmapRun(draft, `The user aborted wave ${wave}.`);
  return EVENT_APPLIED;
}

function applyCapAnswer(draft: LeadDraft, { choice, said, record }: UserAnswer): EventOutcome {
  // A lower cap would lead to the same question at once.
  const enough = draft.run.spent + Math.max(1, listAffordableWork(draft.base).least);
  const cap = choice === "raise" ? parseTokenAmount(said) : null;
  if (cap === undefined || (cap !== null && cap < enough))
    return rejectEvent(`Give the total of tokens that the run may cost, at least ${enough}: raise, ${2 * enough}.`);
  record({
    summary: cap === null ? "The run stops at its cap" : `The run may cost ${cap} tokens`,
    decision: cap === null ? "The run is stopped." : "The run continues.",
    impact: "the whole run",
  });
  draft.changeRun({ cap: cap ?? draft.run.cap, capAnswers: (draft.run.capAnswers ?? 0) + 1 });
  if (cap === null) stopRoadmapRun(draft, "The run reached its cap.");
  return EVENT_APPLIED;
}

/** `500000`, `500,000`, `500k` or `2M tokens`. */
function parseTokenAmount(said: string): number | undefined {
  const found = /(\d[\d,_. ]*)\s*([km])?/i.exec(said);
  if (!found) return undefined;
  const digits = (found[1] ?? "").trim();
  const factor = { k: 1_000, m: 1_000_000 }[(found[2] ?? "").toLowerCase()] ?? 1;
  const value = factor === 1 ? Number(digits.replace(/\D/g, "")) : Number(digits.replace(/[,_ ]/g, "")) * factor;
  return Number.isSafeInteger(Math.round(value)) ? Math.round(value) : undefined;
}

function applyProposalAnswer(draft: LeadDraft, { ask: { subject, id }, choice, record }: UserAnswer): EventOutcome {
  const found = takePendingProposal(draft, subject, id);
  if (!found) return rejectEvent(`No line waits under ${id}.`);
  const { batch, line, file, text } = found.proposal;
  const answer = choice === "approve" ? "approved" : choice === "reject" ? "rejected" : "excepted";
  draft.effects.push({ kind: "proposal-answered", scope: found.scope, batch, line, answer });
  if (answer === "approved") draft.effects.push({ kind: "steering", file, text });
  record({
    type: PROPOSAL_DECISIONS[answer].type,
    summary: `${PROPOSAL_DECISIONS[answer].summary}${sanitizeText(file, 60)}: ${sanitizeText(text, 100)}`,
    context: `Review ${batch} of ${subject} proposed it.`,
    decision: `${PROPOSAL_DECISIONS[answer].prefix}${text}`,
    impact: file,
    ...(answer === "excepted" ? { steeringRef: `${file}: ${sanitizeText(text, 200)}` } : {}),
  });
  return EVENT_APPLIED;
}

const PROPOSAL_DECISIONS = {
  approved: { type: "STEERING_UPDATE", prefix: "", summary: APPROVED_LINE_PREFIX },
  rejected: { type: "USER_DECISION", prefix: "Rejected: ", summary: "Rejected for " },
  excepted: { type: "STEERING_EXCEPTION", prefix: "Not here: ", summary: "Exception from " },
} as const;

/** Removes the line from the record that holds it. */
function takePendingProposal(
  draft: LeadDraft,
  head: string,
  id: string,
): { readonly proposal: SteeringProposal; readonly scope: ReviewScope } | undefined {
  const isMeant = (line: SteeringProposal): boolean => leadView.createProposalId(head, line) === id;
  const record = draft.feature(head as FeatureRecord["feature_name"]);
  const wave = draft.waves.get(leadView.parseWaveHead(head) ?? 0);
  if (record) {
    const proposal = leadView.listFeatureProposals(record).find(isMeant);
    const { design, implementation } = record.reviews;
    const reviews = { design: dropProposal(design, proposal), implementation: dropProposal(implementation, proposal) };
    draft.keep({ ...record, reviews });
    return proposal && { proposal, scope: { of: "feature", feature: record.feature_name } };
  }
  if (wave) {
    const proposal = leadView.listWaveProposals(wave).find(isMeant);
    const cross_check = dropProposal(wave.cross_check, proposal);
    draft.waves.set(wave.wave, { ...wave, cross_check, dead_code: dropProposal(wave.dead_code, proposal) });
    return proposal && { proposal, scope: { of: "wave", wave: wave.wave } };
  }
  const { proposals = [] } = draft.run;
  const proposal = proposals.find(isMeant);
  if (proposal) draft.changeRun({ proposals: proposals.filter((other) => other !== proposal) });
  return proposal && { proposal, scope: { of: "all" } };
}

function dropProposal(review: ReviewReference | null, line: SteeringProposal | undefined): ReviewReference | null {
  if (!line || !review?.waiting?.includes(line)) return review;
  const waiting = review.waiting.filter((other) => other !== line);
  const { waiting: _, ...rest } = review;
  const answered = { ...rest, proposals: waiting.length };
  return waiting.length > 0 ? { ...answered, waiting } : answered;
}

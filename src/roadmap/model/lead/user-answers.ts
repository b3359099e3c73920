import { findClosestWord, quote, sanitizeText } from "#kernel/model/text-format.ts";
import type { FeatureRecord, ReviewReference, SteeringProposal } from "../feature/feature-record.ts";
import { createProposalId, parseWaveHead } from "./action-ids.ts";
import { addCount, countFeatureRun } from "./feature-counters.ts";
import {
  refreshDesignBasis,
  reopenTaskGroups,
  reopenWaveGates,
  skipBlockedFeature,
  unblockForFix,
} from "./feature-rework.ts";
import { listAffordableWork } from "./lead-decision.ts";
import { type LeadDraft, recordUserDecision, stopRoadmapRun } from "./lead-draft.ts";
import { EVENT_APPLIED, type EventOutcome, rejectEvent, type ReportOf } from "./lead-events.ts";
import type { QuestionAction, QuestionKind, ReviewScope } from "./lead-state.ts";
import { createWaveRecord, listFeatureProposals, listWaveProposals, type WaveReview } from "./lead-view.ts";
import { getNextGateStep } from "./review-verdict.ts";

interface UserAnswer {
  readonly ask: QuestionAction;
  readonly choice: string;
  readonly said: string;
}

export function applyUserAnswer(draft: LeadDraft, ask: QuestionAction, { report }: ReportOf<"answer">): EventOutcome {
  const choice = report.choice.trim().toLowerCase();
  if (ask.choices.includes(choice))
    return ANSWER_HANDLERS[ask.question](draft, { ask, choice, said: report.said.trim() });
  const near = findClosestWord(choice, ask.choices);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return rejectEvent(`${quote(report.choice, 40)} is no answer to ${ask.id}. Say ${ask.choices.join(" or ")}.${hint}`);
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
};

const findQuestionFeature = (draft: LeadDraft, { subject }: QuestionAction): FeatureRecord | undefined =>
  draft.feature(subject as FeatureRecord["feature_name"]);

function applyEscalationAnswer(draft: LeadDraft, { ask, choice, said }: UserAnswer): EventOutcome {
  const record = findQuestionFeature(draft, ask);
  if (!record) return rejectEvent(`There is no feature ${ask.subject}.`);
  const { feature_name: name, blocked_info } = record;
  recordUserDecision(draft, {
    type: "ESCALATION_RESOLVED",
    summary: `${name}: ${choice}`,
    context: blocked_info?.detail ?? "",
    decision: ESCALATION_DECISIONS[choice] ?? choice,
    said,
    impact: choice === "abort" ? "the whole run" : `${name} and what builds on it`,
  });
  if (choice === "fix") unblockForFix(draft, record);
  if (choice === "skip") skipBlockedFeature(draft, record);
  if (choice === "abort") {
    draft.keep(countFeatureRun(record, "escalation"));
    stopRoadmapRun(draft, `The user aborted after ${name} failed.`);
  }
  return EVENT_APPLIED;
}

const ESCALATION_DECISIONS: Readonly<Record<string, string>> = {
  fix: "It is mended, with all retries anew.",
  skip: "It is let go; whoever builds on it does without.",
  abort: "The run is stopped, and everything stays as it is.",
};

function applyStructureAnswer(draft: LeadDraft, { ask, choice, said }: UserAnswer): EventOutcome {
  const record = findQuestionFeature(draft, ask);
  if (!record?.fix) return rejectEvent(`Nothing of ${ask.subject} is to be mended.`);
  const { isStructural: _, ...fix } = record.fix;
  const isApproved = choice === "approve";
  const told = `The user rejects a change of structure: ${said || "no reason given"}. Mend the rest without it.`;
  const detail = isApproved ? fix.detail : sanitizeText(`${told} ${fix.detail}`, 1_000);
  draft.keep(countFeatureRun({ ...record, fix: { ...fix, detail } }, "structure"));
  recordUserDecision(draft, {
    type: isApproved ? "DIRECTION_CHANGE" : "USER_DECISION",
    summary: `The structure of ${ask.subject} ${isApproved ? "changes" : "stays"}`,
    context: ask.detail,
    decision: isApproved ? "The Architect changes how the work is cut." : "The work stays cut as it is.",
    said,
    impact: ask.subject,
  });
  return EVENT_APPLIED;
}

function applyFollowUpAnswer(draft: LeadDraft, { ask, choice, said }: UserAnswer): EventOutcome {
  const known = findQuestionFeature(draft, ask);
  if (!known) return rejectEvent(`There is no feature ${ask.subject}.`);
  const record = countFeatureRun(refreshDesignBasis(draft, known), "follow-up");
  const { feature_name: name, implementation, reviews } = record;
  const review = reviews.implementation;
  draft.keep(record);
  if (choice === "re-review" && review)
    draft.keep({ ...record, reviews: { ...reviews, implementation: { ...review, of: "void" } } });
  if (choice === "re-implement") {
    const groups = implementation.groups.map(({ id }) => id);
    draft.keep(reopenTaskGroups(record, { source: "revise", batch: null, detail: ask.detail, groups }));
    reopenWaveGates(draft, record);
  }
  recordUserDecision(draft, {
    type: "USER_DECISION",
    summary: `${name}: ${choice}`,
    context: ask.detail,
    decision: FOLLOW_UP_DECISIONS[choice] ?? choice,
    said,
    impact: name,
  });
  return EVENT_APPLIED;
}

const FOLLOW_UP_DECISIONS: Readonly<Record<string, string>> = {
  "re-review": "It is reviewed again.",
  "re-implement": "It is built again.",
  skip: "It stays as it is.",
};

/** Resuming a stopped run counts as approval, so the question is not repeated. */
function applyGateAnswer(draft: LeadDraft, { ask, choice, said }: UserAnswer): EventOutcome {
  draft.changeRun({ agreed: [...draft.run.agreed, ask.id] });
  if (choice !== "stop") return EVENT_APPLIED;
  recordUserDecision(draft, {
    type: "USER_DECISION",
    summary: `Stopped at ${ask.id}`,
    context: ask.detail,
    decision: "The run is stopped.",
    said,
    impact: "the whole run",
  });
  stopRoadmapRun(draft, `The user stopped at ${ask.id}.`);
  return EVENT_APPLIED;
}

function applyWaveFailedAnswer(draft: LeadDraft, { ask, choice, said }: UserAnswer): EventOutcome {
  const wave = parseWaveHead(ask.subject) ?? 0;
  const record = draft.waves.get(wave) ?? createWaveRecord(wave);
  const which: WaveReview = record.step === "dead-code" ? "dead-code" : "cross-check";
  const runs = addCount(record.runs, "failed");
  const isOn = choice === "proceed";
  recordUserDecision(draft, {
    type: "ESCALATION_RESOLVED",
    summary: `Wave ${wave}: ${choice} after ${which}`,
    context: ask.detail,
    decision: isOn ? "The wave goes on with what was found." : "The wave is aborted.",
    said,
    impact: `wave ${wave}`,
  });
  const proceeded = isOn ? [...record.proceeded, which] : record.proceeded;
  draft.waves.set(wave, { ...record, runs, step: isOn ? getNextGateStep(which) : "aborted", proceeded });
  if (!isOn) stopRoadmapRun(draft, `The user aborted wave ${wave}.`);
  return EVENT_APPLIED;
}

function applyCapAnswer(draft: LeadDraft, { ask, choice, said }: UserAnswer): EventOutcome {
  // A lower cap would lead to the same question at once.
  const enough = draft.run.spent + Math.max(1, listAffordableWork(draft.base).withheld.least);
  const cap = choice === "raise" ? parseTokenAmount(said) : null;
  if (cap === undefined || (cap !== null && cap < enough))
    return rejectEvent(`Say how many tokens the run may cost in all, at least ${enough}: raise, ${2 * enough}.`);
  recordUserDecision(draft, {
    type: "USER_DECISION",
    summary: cap === null ? "The run stops at its cap" : `The run may cost ${cap} tokens`,
    context: ask.detail,
    decision: cap === null ? "The run is stopped." : "The run goes on.",
    said,
    impact: "the whole run",
  });
  draft.changeRun({ cap: cap ?? draft.run.cap, capAnswers: (draft.run.capAnswers ?? 0) + 1 });
  if (cap === null) stopRoadmapRun(draft, "The run has cost what it may.");
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

function applyProposalAnswer(draft: LeadDraft, { ask: { subject, id }, choice, said }: UserAnswer): EventOutcome {
  const found = takePendingProposal(draft, subject, id);
  if (!found) return rejectEvent(`No line waits under ${id}.`);
  const { line, scope } = found;
  const answer = choice === "approve" ? "approved" : choice === "reject" ? "rejected" : "excepted";
  draft.effect({ kind: "proposal-answered", scope, batch: line.batch, line: line.line, answer });
  if (answer === "approved") draft.effect({ kind: "steering", file: line.file, text: line.text });
  recordUserDecision(draft, {
    type: PROPOSAL_DECISIONS[answer].type,
    summary: `${sanitizeText(line.file, 60)}: ${sanitizeText(line.text, 100)}`,
    context: `Review ${line.batch} of ${subject} proposed it.`,
    decision: `${PROPOSAL_DECISIONS[answer].prefix}${line.text}`,
    said,
    impact: line.file,
    ...(answer === "excepted" ? { steeringRef: `${line.file}: ${sanitizeText(line.text, 200)}` } : {}),
  });
  return EVENT_APPLIED;
}

const PROPOSAL_DECISIONS = {
  approved: { type: "STEERING_UPDATE", prefix: "" },
  rejected: { type: "USER_DECISION", prefix: "Rejected: " },
  excepted: { type: "STEERING_EXCEPTION", prefix: "Not here: " },
} as const;

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
    const { design, implementation } = record.reviews;
    const reviews = { design: dropProposal(design, line), implementation: dropProposal(implementation, line) };
    draft.keep({ ...record, reviews });
    return line && { line, scope: { of: "feature", feature: record.feature_name } };
  }
  const wave = draft.waves.get(parseWaveHead(head) ?? 0);
  if (wave) {
    const line = listWaveProposals(wave).find(isMeant);
    const cross_check = dropProposal(wave.cross_check, line);
    draft.waves.set(wave.wave, { ...wave, cross_check, dead_code: dropProposal(wave.dead_code, line) });
    return line && { line, scope: { of: "wave", wave: wave.wave } };
  }
  const { proposals = [] } = draft.run;
  const line = proposals.find(isMeant);
  if (line) draft.changeRun({ proposals: proposals.filter((other) => other !== line) });
  return line && { line, scope: { of: "all" } };
}

function dropProposal(review: ReviewReference | null, line: SteeringProposal | undefined): ReviewReference | null {
  if (!line || !review?.waiting?.includes(line)) return review;
  const waiting = review.waiting.filter((other) => other !== line);
  const { waiting: _, ...rest } = review;
  const answered = { ...rest, proposals: waiting.length };
  return waiting.length > 0 ? { ...answered, waiting } : answered;
}

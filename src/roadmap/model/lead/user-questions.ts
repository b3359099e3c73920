import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord, SteeringProposal, WaveRecord } from "../feature/feature-record.ts";
import { collectDownstreamFeatures } from "../dependency-graph.ts";
import type { QuestionAction, Lead } from "./lead-state.ts";
import {
  createCapQuestionId,
  createReviewPassedId,
  createProposalId,
  createRunId,
  createWaveFailedId,
  formatWaveHead,
  createWavePassedId,
} from "./action-ids.ts";
import { getActiveDependents, type LeadView } from "./lead-view.ts";
import { getGateTries, type WaveReview } from "./wave-progress.ts";

const QUESTION_CHOICES = {
  escalation: ["fix", "skip", "abort"],
  "review-passed": ["continue", "stop"],
  "wave-passed": ["continue", "stop"],
  "wave-failed": ["proceed", "abort"],
  steering: ["approve", "reject", "except"],
  structure: ["approve", "reject"],
  "follow-up": ["re-review", "re-implement", "skip"],
  cap: ["raise", "stop"],
} as const satisfies Record<QuestionAction["question"], readonly string[]>;

const MAX_QUESTION_DETAIL = 600;

function createQuestion<Q extends QuestionAction["question"]>(
  question: Q,
  id: string,
  subject: string,
  detail: string,
): QuestionAction {
  return {
    id,
    kind: "ask",
    question,
    subject,
    choices: QUESTION_CHOICES[question],
    detail: sanitizeText(detail, MAX_QUESTION_DETAIL),
  };
}

export const userQuestions = {
  escalation(view: LeadView, record: FeatureRecord): QuestionAction {
    const { feature_name: name, blocked_info } = record;
    const waiting = collectDownstreamFeatures(getActiveDependents(view.lead.features), [name]).length;
    const others = waiting === 0 ? "" : ` ${formatCount(waiting, "feature")} that build on it wait.`;
    return createQuestion(
      "escalation",
      createRunId(record, "escalation"),
      name,
      `${name} failed: ${blocked_info?.detail ?? ""}${others}`,
    );
  },

  structure(record: FeatureRecord): QuestionAction {
    const detail = `The review of ${record.feature_name} wants the work cut otherwise: ${record.fix?.detail ?? ""}`;
    return createQuestion("structure", createRunId(record, "structure"), record.feature_name, detail);
  },

  followUp(record: FeatureRecord, on: readonly FeatureName[]): QuestionAction {
    const { feature_name: name } = record;
    const detail = `${name} is built on ${on.join(" and ")}, designed anew since. Review ${name} again, build it again, or leave it.`;
    return createQuestion("follow-up", createRunId(record, "follow-up"), name, detail);
  },

  reviewPassed(record: FeatureRecord, of: "design" | "implementation"): QuestionAction {
    const { feature_name: name, reviews } = record;
    const review = reviews[of];
    const detail = `The ${of} of ${name} passed review ${review?.batch ?? ""} with ${review?.verdict ?? ""}.`;
    return createQuestion("review-passed", createReviewPassedId(name, review?.batch ?? ""), name, detail);
  },

  wavePassed(wave: number, next: number): QuestionAction {
    return createQuestion(
      "wave-passed",
      createWavePassedId(wave),
      formatWaveHead(wave),
      `Wave ${wave} is done. Wave ${next} is next.`,
    );
  },

  waveFailed(record: WaveRecord, review: WaveReview): QuestionAction {
    const { wave } = record;
    const tries = formatCount(getGateTries(record, review), "time");
    const next = review === "cross-check" ? "the dead-code review" : "the commit";
    const detail = `The ${review} review of wave ${wave} said no ${tries}. Proceed to ${next} all the same, or abort.`;
    return createQuestion("wave-failed", createWaveFailedId(wave, record), formatWaveHead(wave), detail);
  },

  proposal: ({ feature_name: name }: FeatureRecord, line: SteeringProposal): QuestionAction =>
    createProposalQuestion(name, line),
  waveProposal: (wave: number, line: SteeringProposal): QuestionAction =>
    createProposalQuestion(formatWaveHead(wave), line),
  generalProposal: (line: SteeringProposal): QuestionAction => createProposalQuestion("all", line),

  cap(lead: Lead, { ids, least }: { readonly ids: readonly string[]; readonly least: number }): QuestionAction {
    const { cap, spent } = lead.run;
    const told = (tokens: number): string => tokens.toLocaleString("en");
    const left = `${formatCount(ids.length, "action")} ${ids.length === 1 ? "waits" : "wait"}`;
    const detail = `The run has cost ${told(spent)} of ${told(cap ?? spent)} tokens. ${left}, the cheapest for ${told(least)}. Raise to how many, or stop.`;
    return createQuestion("cap", createCapQuestionId(lead), "run", detail);
  },
};

const createProposalQuestion = (head: string, line: SteeringProposal): QuestionAction =>
  createQuestion(
    "steering",
    createProposalId(head, line),
    head,
    `Review ${line.batch} proposes for ${line.file}: ${line.text}`,
  );

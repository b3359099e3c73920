import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { collectDownstreamFeatures } from "../dependency-graph.ts";
import type { FeatureRecord, SteeringProposal, WaveRecord } from "../feature/feature-record.ts";
import {
  createCapQuestionId,
  createProposalId,
  createReviewPassedId,
  createRunId,
  createWavePassedId,
  formatWaveHead,
} from "./action-ids.ts";
import type { Lead, QuestionAction, QuestionKind } from "./lead-state.ts";
import { getActiveDependents, getGateField, type LeadView, type WaveReview } from "./lead-view.ts";

const QUESTION_CHOICES: Readonly<Record<QuestionKind, readonly string[]>> = {
  escalation: ["fix", "skip", "abort"],
  "review-passed": ["continue", "stop"],
  "wave-passed": ["continue", "stop"],
  "wave-failed": ["proceed", "abort"],
  steering: ["approve", "reject", "except"],
  structure: ["approve", "reject"],
  "follow-up": ["re-review", "re-implement", "skip"],
  cap: ["raise", "stop"],
};

const MAX_QUESTION_DETAIL = 600;

const createQuestion = (question: QuestionKind, id: string, subject: string, detail: string): QuestionAction => ({
  id,
  kind: "ask",
  question,
  subject,
  choices: QUESTION_CHOICES[question],
  detail: sanitizeText(detail, MAX_QUESTION_DETAIL),
});

export const userQuestions = {
  escalation({ lead }: LeadView, record: FeatureRecord): QuestionAction {
    const { feature_name: name, blocked_info } = record;
    const waiting = collectDownstreamFeatures(getActiveDependents(lead.features), [name]).length;
    const others = waiting === 0 ? "" : ` ${formatCount(waiting, "feature")} that build on it wait.`;
    const detail = `${name} failed: ${blocked_info?.detail ?? ""}${others}`;
    return createQuestion("escalation", createRunId(record, "escalation"), name, detail);
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

  reviewPassed({ feature_name: name, reviews }: FeatureRecord, of: "design" | "implementation"): QuestionAction {
    const { batch = "", verdict = "" } = reviews[of] ?? {};
    const detail = `The ${of} of ${name} passed review ${batch} with ${verdict}.`;
    return createQuestion("review-passed", createReviewPassedId(name, batch), name, detail);
  },

  wavePassed(wave: number, next: number): QuestionAction {
    const detail = `Wave ${wave} is done. Wave ${next} is next.`;
    return createQuestion("wave-passed", createWavePassedId(wave), formatWaveHead(wave), detail);
  },

  waveFailed({ wave, tries, runs }: WaveRecord, review: WaveReview): QuestionAction {
    const times = formatCount(tries[getGateField(review)], "time");
    const next = review === "cross-check" ? "the dead-code review" : "the commit";
    const detail = `The ${review} review of wave ${wave} said no ${times}. Proceed to ${next} all the same, or abort.`;
    const head = formatWaveHead(wave);
    return createQuestion("wave-failed", `${head}/wave-failed/${(runs["failed"] ?? 0) + 1}`, head, detail);
  },

  /** `head` is a feature, `wave-2` or `all`. */
  proposal(head: string, line: SteeringProposal): QuestionAction {
    const detail = `Review ${line.batch} proposes for ${line.file}: ${line.text}`;
    return createQuestion("steering", createProposalId(head, line), head, detail);
  },

  cap(lead: Lead, { ids, least }: { readonly ids: readonly string[]; readonly least: number }): QuestionAction {
    const { cap, spent } = lead.run;
    const left = `${formatCount(ids.length, "action")} ${ids.length === 1 ? "waits" : "wait"}`;
    const detail = `The run has cost ${formatTokens(spent)} of ${formatTokens(cap ?? spent)} tokens. ${left}, the cheapest for ${formatTokens(least)}. Raise to how many, or stop.`;
    return createQuestion("cap", createCapQuestionId(lead), "run", detail);
  },
};

export const formatTokens = (tokens: number): string => tokens.toLocaleString("en");

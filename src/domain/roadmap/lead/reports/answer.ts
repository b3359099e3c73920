import type { FeatureRecord } from "../../../feature/record.ts";
import { findClosestWord } from "../../../closest.ts";
import { sanitizeText, quote } from "../../../quote.ts";
import type { Ask, Question } from "../action.ts";
import { skip, unblockToFix } from "../changes/blocking.ts";
import { withRun } from "../changes/counters.ts";
import { decided } from "../changes/decision.ts";
import { reopenWave, withBasisNow, withGroupsWoken } from "../changes/mending.ts";
import type { Draft } from "../draft.ts";
import { waveOfHead } from "../ids.ts";
import { dueNow } from "../next/cap.ts";
import { stopRun } from "../changes/stopping.ts";
import { APPLIED, refuse, type Reported, type Taken } from "../taken.ts";
import { newWave, type WaveReview } from "../next/wave.ts";
import { answerProposal } from "./proposal.ts";
import { afterReview } from "./wave-verdict.ts";

interface Answer {
  readonly ask: Ask;
  readonly choice: string;
  readonly said: string;
}

export function takeAnswer(draft: Draft, ask: Ask, { report }: Reported<"answer">): Taken {
  const choice = report.choice.trim().toLowerCase();
  if (!ask.choices.includes(choice)) {
    const near = findClosestWord(choice, ask.choices);
    const hint = near === undefined ? "" : ` Did you mean ${near}?`;
    return refuse(`${quote(report.choice, 40)} is no answer to ${ask.id}. Say ${ask.choices.join(" or ")}.${hint}`);
  }
  return BY_QUESTION[ask.question](draft, { ask, choice, said: report.said.trim() });
}

const BY_QUESTION: Readonly<Record<Question, (draft: Draft, answer: Answer) => Taken>> = {
  escalation: answerEscalation,
  structure: answerStructure,
  "review-passed": answerGate,
  "wave-passed": answerGate,
  "wave-failed": answerWaveFailed,
  steering: (draft, { ask, choice, said }) => answerProposal(draft, ask, choice, said),
  "follow-up": answerFollowUp,
  cap: answerCap,
};

function featureIn(draft: Draft, { subject }: Ask): FeatureRecord | undefined {
  return draft.feature(subject as FeatureRecord["feature_name"]);
}

function answerEscalation(draft: Draft, { ask, choice, said }: Answer): Taken {
  const record = featureIn(draft, ask);
  if (!record) return refuse(`There is no feature ${ask.subject}.`);
  const { feature_name: name, blocked_info } = record;
  decided(draft, {
    type: "ESCALATION_RESOLVED",
    summary: `${name}: ${choice}`,
    context: blocked_info?.detail ?? "",
    decision: ESCALATED[choice] ?? choice,
    said,
    impact: choice === "abort" ? "the whole run" : `${name} and what builds on it`,
  });
  if (choice === "fix") unblockToFix(draft, name);
  if (choice === "skip") skip(draft, name);
  if (choice === "abort") {
    draft.keep(withRun(record, "escalation"));
    stopRun(draft, `The user aborted after ${name} failed.`);
  }
  return APPLIED;
}

const ESCALATED: Readonly<Record<string, string>> = {
  fix: "It is mended, with all retries anew.",
  skip: "It is let go; whoever builds on it does without.",
  abort: "The run is stopped, and everything stays as it is.",
};

function answerStructure(draft: Draft, { ask, choice, said }: Answer): Taken {
  const record = featureIn(draft, ask);
  if (!record?.fix) return refuse(`Nothing of ${ask.subject} is to be mended.`);
  const { isStructural: _, ...fix } = record.fix;
  const isApproved = choice === "approve";
  const told = `The user rejects a change of structure: ${said || "no reason given"}. Mend the rest without it.`;
  const detail = isApproved ? fix.detail : sanitizeText(`${told} ${fix.detail}`, 1_000);
  draft.keep(withRun({ ...record, fix: { ...fix, detail } }, "structure"));
  decided(draft, {
    type: isApproved ? "DIRECTION_CHANGE" : "USER_DECISION",
    summary: `The structure of ${ask.subject} ${isApproved ? "changes" : "stays"}`,
    context: ask.detail,
    decision: isApproved ? "The Architect changes how the work is cut." : "The work stays cut as it is.",
    said,
    impact: ask.subject,
  });
  return APPLIED;
}

function answerFollowUp(draft: Draft, { ask, choice, said }: Answer): Taken {
  const known = featureIn(draft, ask);
  if (!known) return refuse(`There is no feature ${ask.subject}.`);
  const record = withRun(withBasisNow(draft, known), "follow-up");
  const { feature_name: name, implementation, reviews } = record;
  const review = reviews.implementation;
  draft.keep(record);
  if (choice === "re-review" && review) {
    draft.keep({ ...record, reviews: { ...reviews, implementation: { ...review, of: "void" } } });
  }
  if (choice === "re-implement") {
    const groups = implementation.groups.map(({ id }) => id);
    draft.keep(withGroupsWoken(record, { source: "revise", batch: null, detail: ask.detail, groups }));
    reopenWave(draft, record);
  }
  decided(draft, {
    type: "USER_DECISION",
    summary: `${name}: ${choice}`,
    context: ask.detail,
    decision: FOLLOWED_UP[choice] ?? choice,
    said,
    impact: name,
  });
  return APPLIED;
}

const FOLLOWED_UP: Readonly<Record<string, string>> = {
  "re-review": "It is reviewed again.",
  "re-implement": "It is built again.",
  skip: "It stays as it is.",
};

/** Resuming a stopped run counts as approval, so the question is not repeated. */
function answerGate(draft: Draft, { ask, choice, said }: Answer): Taken {
  draft.changeRun({ agreed: [...draft.run.agreed, ask.id] });
  if (choice !== "stop") return APPLIED;
  decided(draft, {
    type: "USER_DECISION",
    summary: `Stopped at ${ask.id}`,
    context: ask.detail,
    decision: "The run is stopped.",
    said,
    impact: "the whole run",
  });
  stopRun(draft, `The user stopped at ${ask.id}.`);
  return APPLIED;
}

function answerWaveFailed(draft: Draft, { ask, choice, said }: Answer): Taken {
  const wave = waveOfHead(ask.subject) ?? 0;
  const record = draft.wave(wave) ?? newWave(wave);
  const which: WaveReview = record.step === "dead-code" ? "dead-code" : "cross-check";
  const runs = { ...record.runs, failed: (record.runs["failed"] ?? 0) + 1 };
  const isOn = choice === "proceed";
  decided(draft, {
    type: "ESCALATION_RESOLVED",
    summary: `Wave ${wave}: ${choice} after ${which}`,
    context: ask.detail,
    decision: isOn ? "The wave goes on with what was found." : "The wave is aborted.",
    said,
    impact: `wave ${wave}`,
  });
  draft.keepWave(
    isOn
      ? { ...record, runs, step: afterReview(which), proceeded: [...record.proceeded, which] }
      : { ...record, runs, step: "aborted" },
  );
  if (!isOn) stopRun(draft, `The user aborted wave ${wave}.`);
  return APPLIED;
}

function answerCap(draft: Draft, { ask, choice, said }: Answer): Taken {
  // A lower cap would lead to the same question at once.
  const enough = draft.run.spent + Math.max(1, dueNow(draft.base).withheld.least);
  const cap = choice === "raise" ? numberIn(said) : null;
  if (cap === undefined || (cap !== null && cap < enough)) {
    return refuse(`Say how many tokens the run may cost in all, at least ${enough}: raise, ${2 * enough}.`);
  }
  decided(draft, {
    type: "USER_DECISION",
    summary: cap === null ? "The run stops at its cap" : `The run may cost ${cap} tokens`,
    context: ask.detail,
    decision: cap === null ? "The run is stopped." : "The run goes on.",
    said,
    impact: "the whole run",
  });
  draft.changeRun({ cap: cap ?? draft.run.cap, capAnswers: (draft.run.capAnswers ?? 0) + 1 });
  if (cap === null) stopRun(draft, "The run has cost what it may.");
  return APPLIED;
}

/** `500000`, `500,000`, `500k` or `2M tokens`. */
function numberIn(said: string): number | undefined {
  const found = /(\d[\d,_. ]*)\s*([km])?/i.exec(said);
  if (!found) return undefined;
  const digits = (found[1] ?? "").trim();
  const factor = { k: 1_000, m: 1_000_000 }[(found[2] ?? "").toLowerCase()] ?? 1;
  const value = factor === 1 ? Number(digits.replace(/\D/g, "")) : Number(digits.replace(/[,_ ]/g, "")) * factor;
  return Number.isSafeInteger(Math.round(value)) ? Math.round(value) : undefined;
}

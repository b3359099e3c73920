import { formatCount } from "../../../count.ts";
import type { FeatureName } from "../../../feature/name.ts";
import type { FeatureRecord, Proposal } from "../../../feature/record.ts";
import { sanitizeText } from "../../../quote.ts";
import { downstreamIn } from "../../graph.ts";
import type { Ask } from "../action.ts";
import { capId, passedId, proposalId, runId, waveFailedId, waveHead, wavePassedId } from "../ids.ts";
import type { Lead, WaveRecord } from "../state.ts";
import { dependentsOf, type View } from "../view.ts";
import { triesOf, type WaveReview } from "./wave.ts";

const CHOICES = {
  escalation: ["fix", "skip", "abort"],
  "review-passed": ["continue", "stop"],
  "wave-passed": ["continue", "stop"],
  "wave-failed": ["proceed", "abort"],
  steering: ["approve", "reject", "except"],
  structure: ["approve", "reject"],
  "follow-up": ["re-review", "re-implement", "skip"],
  cap: ["raise", "stop"],
} as const satisfies Record<Ask["question"], readonly string[]>;

const LONGEST = 600;

function asking<Q extends Ask["question"]>(question: Q, id: string, subject: string, detail: string): Ask {
  return { id, kind: "ask", question, subject, choices: CHOICES[question], detail: sanitizeText(detail, LONGEST) };
}

export const ask = {
  escalation(view: View, record: FeatureRecord): Ask {
    const { feature_name: name, blocked_info } = record;
    const waiting = downstreamIn(dependentsOf(view.lead.features), [name]).length;
    const others = waiting === 0 ? "" : ` ${formatCount(waiting, "feature")} that build on it wait.`;
    return asking(
      "escalation",
      runId(record, "escalation"),
      name,
      `${name} failed: ${blocked_info?.detail ?? ""}${others}`,
    );
  },

  structure(record: FeatureRecord): Ask {
    const detail = `The review of ${record.feature_name} wants the work cut otherwise: ${record.fix?.detail ?? ""}`;
    return asking("structure", runId(record, "structure"), record.feature_name, detail);
  },

  followUp(record: FeatureRecord, on: readonly FeatureName[]): Ask {
    const { feature_name: name } = record;
    const detail = `${name} is built on ${on.join(" and ")}, designed anew since. Review ${name} again, build it again, or leave it.`;
    return asking("follow-up", runId(record, "follow-up"), name, detail);
  },

  reviewPassed(record: FeatureRecord, of: "design" | "implementation"): Ask {
    const { feature_name: name, reviews } = record;
    const review = reviews[of];
    const detail = `The ${of} of ${name} passed review ${review?.batch ?? ""} with ${review?.verdict ?? ""}.`;
    return asking("review-passed", passedId(name, review?.batch ?? ""), name, detail);
  },

  wavePassed(wave: number, next: number): Ask {
    return asking("wave-passed", wavePassedId(wave), waveHead(wave), `Wave ${wave} is done. Wave ${next} is next.`);
  },

  waveFailed(record: WaveRecord, review: WaveReview): Ask {
    const { wave } = record;
    const tries = formatCount(triesOf(record, review), "time");
    const next = review === "cross-check" ? "the dead-code review" : "the commit";
    const detail = `The ${review} review of wave ${wave} said no ${tries}. Proceed to ${next} all the same, or abort.`;
    return asking("wave-failed", waveFailedId(wave, record), waveHead(wave), detail);
  },

  proposal: ({ feature_name: name }: FeatureRecord, line: Proposal): Ask => proposed(name, line),
  waveProposal: (wave: number, line: Proposal): Ask => proposed(waveHead(wave), line),
  generalProposal: (line: Proposal): Ask => proposed("all", line),

  cap(lead: Lead, { ids, least }: { readonly ids: readonly string[]; readonly least: number }): Ask {
    const { cap, spent } = lead.run;
    const told = (tokens: number): string => tokens.toLocaleString("en");
    const left = `${formatCount(ids.length, "action")} ${ids.length === 1 ? "waits" : "wait"}`;
    const detail = `The run has cost ${told(spent)} of ${told(cap ?? spent)} tokens. ${left}, the cheapest for ${told(least)}. Raise to how many, or stop.`;
    return asking("cap", capId(lead), "run", detail);
  },
};

const proposed = (head: string, line: Proposal): Ask =>
  asking("steering", proposalId(head, line), head, `Review ${line.batch} proposes for ${line.file}: ${line.text}`);

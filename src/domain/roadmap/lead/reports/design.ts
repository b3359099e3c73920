import type { FeatureRecord } from "../../../feature/record.ts";
import { applyAcceptedDesign } from "../../../feature/versions.ts";
import type { AgentWork } from "../action.ts";
import { BLOCKED_COUNTER, clearLostRuns, resetPartitionTried, countFeatureRun } from "../changes/counters.ts";
import type { LeadDraft } from "../draft.ts";
import { endReachedGoal } from "../changes/goal.ts";
import { voidDependentDesigns } from "../changes/mending.ts";
import { EVENT_APPLIED, rejectLeadEvent, type ReportWithFacts, type EventOutcome } from "../taken.ts";
import { listActiveDependencies } from "../view.ts";

/** Accepts a design without problems. A fix must change the design. */
export function applyDesignReport(
  draft: LeadDraft,
  { feature, isFix }: Extract<AgentWork, { of: "design" }>,
  { report, facts }: ReportWithFacts<"architect">,
): EventOutcome {
  const record = draft.feature(feature);
  const { design } = facts;
  if (!record) return rejectLeadEvent(`There is no feature ${feature}.`);
  if (!design) return rejectLeadEvent(`Nobody looked at the design of ${feature}. Write design.md and report again.`);
  if (design.problems.length > 0) return rejectLeadEvent(...design.problems);
  if (isFix && design.hash === record.design?.hash) {
    return rejectLeadEvent(`design.md of ${feature} is unchanged. Mend what the review found, then report again.`);
  }
  const accepted = { hash: design.hash, files: design.files, basis: collectDesignBasis(draft, record) };
  const next = applyAcceptedDesign(record, accepted, facts.at);
  const implementation = { ...next.implementation, tasks_hash: null, groups: [], hash: null, excluded: [] };
  const accepting = resetPartitionTried(clearLostRuns({ ...next, implementation }, "architect", BLOCKED_COUNTER));
  draft.keep(countFeatureRun(accepting, "architect"));
  if (design.hash !== record.design?.hash) voidDependentDesigns(draft, feature, design.hash);
  if (report.tags.length > 0) draft.effect({ kind: "tags", feature, role: "architect", tags: report.tags });
  endReachedGoal(draft, feature);
  return EVENT_APPLIED;
}

function collectDesignBasis(draft: LeadDraft, record: FeatureRecord): Record<string, string> {
  return Object.fromEntries(
    listActiveDependencies(record).flatMap((name) => {
      const hash = draft.feature(name)?.design?.hash;
      return hash === undefined ? [] : [[name, hash]];
    }),
  );
}

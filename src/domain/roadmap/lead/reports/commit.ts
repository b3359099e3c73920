import type { FeatureRecord } from "../../../feature/record.ts";
import type { CommitAction } from "../action.ts";
import { countFeatureRun, resetTotalCounter } from "../changes/counters.ts";
import type { LeadDraft } from "../draft.ts";
import { dropFeatureGoal } from "../changes/goal.ts";
import { createWaveCommitId } from "../ids.ts";
import { EVENT_APPLIED, rejectLeadEvent, type ReportWithFacts, type EventOutcome } from "../taken.ts";
import { createWaveRecord } from "../next/wave.ts";

/** A declined commit finishes the work too. */
export function applyCommitReport(
  draft: LeadDraft,
  action: CommitAction,
  { report, facts }: ReportWithFacts<"commit">,
): EventOutcome {
  if (!report.declined) {
    if (!facts.commit)
      return rejectLeadEvent(`No commit was found. Commit with the message given, or decline ${action.id}.`);
    if (!facts.commit.isClean) {
      return rejectLeadEvent(
        `Commit ${facts.commit.hash} leaves files of the work out. Commit them too, or decline ${action.id}.`,
      );
    }
  }
  const wave = action.wave === null ? undefined : (draft.wave(action.wave) ?? createWaveRecord(action.wave));
  if (wave && action.id === createWaveCommitId(wave.wave, wave)) {
    const runs = { ...wave.runs, commit: (wave.runs["commit"] ?? 0) + 1 };
    draft.keepWave({ ...wave, step: "done", runs });
    for (const name of action.features) {
      const record = draft.feature(name);
      if (record && record.phase !== "blocked") draft.keep(clearRemovedFiles(resetTotalCounter(record)));
    }
    draft.effect({ kind: "wave-finished", wave: wave.wave });
    return EVENT_APPLIED;
  }
  for (const name of action.features) {
    const record = draft.feature(name);
    if (record) draft.keep(clearRemovedFiles(countFeatureRun(resetTotalCounter(record), "commit")));
    dropFeatureGoal(draft, name);
  }
  return EVENT_APPLIED;
}

/** The commit contains the removals, or the user declined it. */
function clearRemovedFiles(record: FeatureRecord): FeatureRecord {
  const { files_removed, ...implementation } = record.implementation;
  return files_removed === undefined ? record : { ...record, implementation };
}

import type { FeatureRecord } from "../../../feature/record.ts";
import type { Commit } from "../action.ts";
import { withRun, withTotalReset } from "../changes/counters.ts";
import type { Draft } from "../draft.ts";
import { dropGoal } from "../changes/goal.ts";
import { waveCommitId } from "../ids.ts";
import { APPLIED, refuse, type Reported, type Taken } from "../taken.ts";
import { newWave } from "../next/wave.ts";

/** A declined commit finishes the work too. */
export function takeCommit(draft: Draft, action: Commit, { report, facts }: Reported<"commit">): Taken {
  if (!report.declined) {
    if (!facts.commit) return refuse(`No commit was found. Commit with the message given, or decline ${action.id}.`);
    if (!facts.commit.isClean) {
      return refuse(
        `Commit ${facts.commit.hash} leaves files of the work out. Commit them too, or decline ${action.id}.`,
      );
    }
  }
  const wave = action.wave === null ? undefined : (draft.wave(action.wave) ?? newWave(action.wave));
  if (wave && action.id === waveCommitId(wave.wave, wave)) {
    const runs = { ...wave.runs, commit: (wave.runs["commit"] ?? 0) + 1 };
    draft.keepWave({ ...wave, step: "done", runs });
    for (const name of action.features) {
      const record = draft.feature(name);
      if (record && record.phase !== "blocked") draft.keep(committed(withTotalReset(record)));
    }
    draft.effect({ kind: "wave-finished", wave: wave.wave });
    return APPLIED;
  }
  for (const name of action.features) {
    const record = draft.feature(name);
    if (record) draft.keep(committed(withRun(withTotalReset(record), "commit")));
    dropGoal(draft, name);
  }
  return APPLIED;
}

/** The commit contains the removals, or the user declined it. */
function committed(record: FeatureRecord): FeatureRecord {
  const { files_removed, ...implementation } = record.implementation;
  return files_removed === undefined ? record : { ...record, implementation };
}

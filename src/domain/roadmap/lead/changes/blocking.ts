import type { FeatureName } from "../../../feature/name.ts";
import type { BlockedInfo, FeatureRecord } from "../../../feature/record.ts";
import { sanitizeText } from "../../../quote.ts";
import { byText, downstreamIn } from "../../graph.ts";
import { isAccepted, isBuilt, reached } from "../../standing.ts";
import { withCountersReset, withRun } from "./counters.ts";
import { dropGoal } from "./goal.ts";
import { dismissFeature } from "./dismissal.ts";
import { isFailed } from "../next/done.ts";
import type { Draft } from "../draft.ts";
import { reopenUnlessSeen, reopenWave } from "./mending.ts";
import { aimOf, dependentsOf, neededBy } from "../view.ts";

/** Retries are exhausted. Blocks the feature and all its dependents until the user decides. */
export function escalate(draft: Draft, name: FeatureName, detail: string): void {
  dismissFeature(draft, name);
  const record = draft.feature(name);
  if (!record) return;
  draft.keep({
    ...record,
    phase: "blocked",
    blocked_info: {
      blocked_by: gathered(record.blocked_info?.blocked_by ?? [], name),
      reason: "retries_exhausted",
      blocked_at_phase: reached(record),
      detail: sanitizeText(detail, 1_000),
      is_skipped: false,
    },
  });
  for (const other of downstreamIn(dependentsOf(draft.lead().features), [name])) block(draft, other, name);
}

function block(draft: Draft, name: FeatureName, by: FeatureName): void {
  dismissFeature(draft, name);
  const record = draft.feature(name);
  if (!record || record.blocked_info?.is_skipped) return;
  const known: BlockedInfo = record.blocked_info ?? {
    blocked_by: [],
    reason: "upstream_failure",
    blocked_at_phase: reached(record),
    detail: `${by} failed, which it builds on.`,
    is_skipped: false,
  };
  const blocked_info = { ...known, blocked_by: gathered(known.blocked_by, by) };
  draft.keep({ ...record, phase: "blocked", blocked_info });
}

const gathered = (names: readonly FeatureName[], name: FeatureName): FeatureName[] =>
  [...new Set([...names, name])].toSorted(byText);

/** The user wants a fix. Dependents stay blocked until it succeeds. */
export function unblockToFix(draft: Draft, name: FeatureName): void {
  const record = draft.feature(name);
  if (!record?.blocked_info) return;
  const fresh = withRun(withCountersReset(record), "escalation");
  const others = record.blocked_info.blocked_by.filter((by) => by !== name);
  draft.keep(
    others.length === 0
      ? freed(fresh)
      : {
          ...fresh,
          blocked_info: {
            ...record.blocked_info,
            blocked_by: others,
            reason: "upstream_failure",
            is_skipped: false,
            detail: `${others.join(" and ")} failed, which it builds on.`,
          },
        },
  );
  reopenWave(draft, record);
  releaseIfSound(draft, name);
}

export function skip(draft: Draft, name: FeatureName): void {
  const record = draft.feature(name);
  if (!record?.blocked_info) return;
  draft.keep(withRun({ ...record, blocked_info: { ...record.blocked_info, is_skipped: true } }, "escalation"));
  dropGoal(draft, name);
  for (const other of draft.features()) {
    const { roadmap } = other;
    if (!roadmap?.dependencies.includes(name) || roadmap.skipped.includes(name)) continue;
    draft.keep({ ...other, roadmap: { ...roadmap, skipped: gathered(roadmap.skipped, name) } });
  }
  standAside(draft, name);
}

export function releaseIfSound(draft: Draft, name: FeatureName): void {
  const record = draft.feature(name);
  if (!record) return;
  const isSound = aimOf(draft.lead(), record) === "done" ? isAccepted : isBuilt;
  if (isSound(record)) standAside(draft, name);
}

/** Removes the feature from every list of blockers. A feature without blockers returns to its former phase. */
export function standAside(draft: Draft, name: FeatureName): void {
  for (const record of draft.features()) {
    const { blocked_info, feature_name: other } = record;
    if (other === name || !blocked_info?.blocked_by.includes(name)) continue;
    withoutBlockers(draft, record, new Set([name]));
  }
}

function withoutBlockers(draft: Draft, record: FeatureRecord, gone: ReadonlySet<FeatureName>): void {
  const { blocked_info } = record;
  if (!blocked_info) return;
  const blocked_by = blocked_info.blocked_by.filter((by) => !gone.has(by));
  if (blocked_by.length > 0) draft.keep({ ...record, blocked_info: { ...blocked_info, blocked_by } });
  else if (!blocked_info.is_skipped) {
    draft.keep(freed(record));
    reopenUnlessSeen(draft, freed(record));
  }
}

const freed = (record: FeatureRecord): FeatureRecord => ({
  ...record,
  phase: reached(record),
  blocked_info: null,
});

export function blockAnew(draft: Draft, name: FeatureName): void {
  const { features } = draft.lead();
  for (const other of [name, ...downstreamIn(dependentsOf(features), [name])]) {
    const record = draft.feature(other);
    if (!record) continue;
    const upstream = upstreamOf(draft, record);
    const gone = (record.blocked_info?.blocked_by ?? []).filter((by) => by !== other && !upstream.has(by));
    if (gone.length > 0) withoutBlockers(draft, record, new Set(gone));
    for (const by of upstream) {
      const failed = draft.feature(by);
      if (failed && isFailed(failed)) block(draft, other, by);
    }
  }
}

function upstreamOf(draft: Draft, record: FeatureRecord): ReadonlySet<FeatureName> {
  const names = new Set(neededBy(record));
  // Iterating a Set also visits values added during the iteration.
  for (const name of names) {
    const other = draft.feature(name);
    if (other) for (const next of neededBy(other)) names.add(next);
  }
  return names;
}

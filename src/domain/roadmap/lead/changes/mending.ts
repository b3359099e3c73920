import type { FeatureName } from "../../../feature/name.ts";
import type { FeatureRecord, Fix, Implementation, ReviewRef } from "../../../feature/record.ts";
import { basisNow, changedUnder, isAccepted, isDesignFix, reached } from "../../standing.ts";
import type { Action, Work } from "../action.ts";
import { orchestrated, withPartitionTried } from "./counters.ts";
import { dismiss, dismissFeature, dropReview } from "./dismissal.ts";
import { inPhase } from "../next/done.ts";
import type { Draft } from "../draft.ts";
import { waveHead, waveOfHead } from "../ids.ts";
import { neededBy } from "../view.ts";

const UNPLANNED: Partial<Implementation> = { tasks_hash: null, groups: [], hash: null, excluded: [] };

/** Sets the groups of the fix to pending, or all groups if none of them exists. */
export function withGroupsWoken(record: FeatureRecord, fix: Fix): FeatureRecord {
  const { groups } = record.implementation;
  // Code without known tasks needs new tasks for the fix.
  if (groups.length === 0) return withPlanAnew(record, { ...fix, source: "blocker", groups: [] });
  const meant = groups.filter(({ id }) => fix.groups.includes(id));
  const woken = new Set((meant.length > 0 ? meant : groups).map(({ id }) => id));
  return {
    ...record,
    fix: { ...fix, groups: [...woken] },
    implementation: {
      ...record.implementation,
      hash: null,
      groups: groups.map((group) => (woken.has(group.id) ? { ...group, status: "pending" } : group)),
    },
  };
}

/** Groups that are done stay done if the new plan contains them unchanged. */
export function withPlanAnew(record: FeatureRecord, fix: Fix): FeatureRecord {
  const next = inPhase(
    { ...record, fix, implementation: { ...record.implementation, hash: null } },
    "design-generated",
  );
  return orchestrated(next, { last_phase_action: null });
}

export const isPartition = (work: Work, { implementation }: FeatureRecord): boolean =>
  work.of === "tasks" && work.excluded.length > 0 && implementation.excluded.length === 0;

/** Planning around shared files failed. Plans without that limit; the feature waits for the files. */
export const withPartitionGivenUp = (record: FeatureRecord): FeatureRecord =>
  orchestrated(withPartitionTried(record), { last_phase_action: null });

export function withBasisNow(draft: Draft, record: FeatureRecord): FeatureRecord {
  const { features } = draft.lead();
  if (!record.design || changedUnder(features, record).length === 0) return record;
  return { ...record, design: { ...record.design, basis: basisNow(features, record) } };
}

export function withDesignAnew(record: FeatureRecord, fix: Fix): FeatureRecord {
  const next = inPhase(
    { ...record, fix, implementation: { ...record.implementation, ...UNPLANNED } },
    "design-generated",
  );
  return orchestrated(next, { last_phase_action: null });
}

export function withDesignVoid(record: FeatureRecord): FeatureRecord {
  const next = inPhase(
    {
      ...record,
      version_refs: { ...record.version_refs, design: null },
      reviews: { ...record.reviews, design: voided(record.reviews.design) },
      implementation: { ...record.implementation, ...UNPLANNED },
      fix: isDesignFix(record.fix) ? record.fix : null,
    },
    "initialized",
  );
  return orchestrated(next, { last_phase_action: null });
}

/** Keeps only the steering lines that the user has not answered. */
const voided = (review: ReviewRef | null): ReviewRef | null => (review?.waiting ? { ...review, of: "void" } : null);

/** Resets features that were designed on an older version of this design and are not built yet. */
export function voidDependents(draft: Draft, name: FeatureName, hash: string): void {
  const dependents = draft.features().filter((record) => neededBy(record).includes(name));
  for (const { feature_name: dependent } of dependents) {
    // An Architect at work on the old design would have to start over anyway.
    dismiss(draft, (action) => action.kind === "spawn" && isDesignOf(action.work, dependent));
  }
  for (const { feature_name: other, design } of draft.features()) {
    const basis = design && Object.hasOwn(design.basis, name) ? design.basis[name] : undefined;
    const record = draft.feature(other);
    if (basis === undefined || basis === hash || !record || isBuiltOrNotDesigned(record)) continue;
    dismissFeature(draft, other);
    draft.keep(withDesignVoid(draft.feature(other) ?? record));
  }
}

const isDesignOf = (work: { readonly of: string; readonly feature?: FeatureName }, name: FeatureName): boolean =>
  work.of === "design" && work.feature === name;

function isBuiltOrNotDesigned(record: FeatureRecord): boolean {
  const phase = reached(record);
  return phase === "implementation-complete" || phase === "initialized";
}

/**
 * Part of a wave is rebuilt, so the results of its gate are out of date and the gate restarts. After a failed feature
 * review, a gate in progress keeps its count of tries. Gates of later waves cover all earlier ones: open ones restart
 * too, and of the finished ones the last, because it covers the rest.
 */
export function reopenWave(draft: Draft, { roadmap }: FeatureRecord, by: "user" | "review" = "user"): void {
  if (!roadmap) return;
  // A gate that has only started has no record yet.
  const reviewed = draft.reviewKeys().flatMap((key) => waveOfHead(key.slice(0, key.indexOf("/"))) ?? []);
  const waves = new Set([roadmap.wave, ...draft.waves().map(({ wave }) => wave), ...reviewed]);
  const later = [...waves].filter((wave) => wave >= roadmap.wave).toSorted((a, b) => a - b);
  const isOver = (wave: number): boolean => draft.wave(wave)?.step === "done";
  const last = later.findLast(isOver);
  for (const wave of later) if (wave === roadmap.wave || wave === last || !isOver(wave)) reopen(draft, wave, by);
}

/** Reopens the wave unless its finished gate already covered the accepted feature. */
export function reopenUnlessSeen(draft: Draft, record: FeatureRecord): void {
  const isThrough = record.roadmap !== null && draft.wave(record.roadmap.wave)?.step === "done";
  if (!isThrough || !isAccepted(record)) reopenWave(draft, record);
}

function reopen(draft: Draft, wave: number, by: "user" | "review"): void {
  const head = `${waveHead(wave)}/`;
  for (const key of draft.reviewKeys()) if (key.startsWith(head)) dropReview(draft, key);
  dismiss(draft, (action) => action.id.startsWith(head) && !isProposal(action));
  const record = draft.wave(wave);
  if (!record) return;
  const isUnderWay = by === "review" && record.step === "cross-check";
  const tries = isUnderWay ? record.tries : { cross_check: 0, dead_code: 0 };
  draft.keepWave({ ...record, step: "cross-check", tries, proceeded: [] });
}

/** A steering line waits for its answer, whatever happens to the code. */
const isProposal = (action: Action): boolean => action.kind === "ask" && action.question === "steering";

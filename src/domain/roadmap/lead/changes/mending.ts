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

/** These groups are built again, or all where none of these is there. */
export function withGroupsWoken(record: FeatureRecord, fix: Fix): FeatureRecord {
  const { groups } = record.implementation;
  // Code whose tasks nobody knows is mended by planning some.
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

/** Its tasks are planned again; what is done of the plan stays done if the new plan has it too. */
export function withPlanAnew(record: FeatureRecord, fix: Fix): FeatureRecord {
  const next = inPhase(
    { ...record, fix, implementation: { ...record.implementation, hash: null } },
    "design-generated",
  );
  return orchestrated(next, { last_phase_action: null });
}

/** Whether somebody was asked to plan around files of others, for whom the tasks as they were claimed too much. */
export const isPartition = (work: Work, { implementation }: FeatureRecord): boolean =>
  work.of === "tasks" && work.excluded.length > 0 && implementation.excluded.length === 0;

/** Nothing came of planning around files of others: it is planned as if they were nobody's, and waits for them. */
export const withPartitionGivenUp = (record: FeatureRecord): FeatureRecord =>
  orchestrated(withPartitionTried(record), { last_phase_action: null });

/** Somebody looked at it with what it is built on as that is now. */
export function withBasisNow(draft: Draft, record: FeatureRecord): FeatureRecord {
  const { features } = draft.lead();
  if (!record.design || changedUnder(features, record).length === 0) return record;
  return { ...record, design: { ...record.design, basis: basisNow(features, record) } };
}

/** Its design is mended, then everything that was made from it is made anew. */
export function withDesignAnew(record: FeatureRecord, fix: Fix): FeatureRecord {
  const next = inPhase(
    { ...record, fix, implementation: { ...record.implementation, ...UNPLANNED } },
    "design-generated",
  );
  return orchestrated(next, { last_phase_action: null });
}

/** Its design holds no more, for what it builds on is another: it goes back to be designed. */
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

/** Nothing is left of a review of what holds no more, but lines that the user has yet to answer. */
const voided = (review: ReviewRef | null): ReviewRef | null => (review?.waiting ? { ...review, of: "void" } : null);

/** After a design was accepted: what was designed on another one of it, and is not built yet, goes back. */
export function voidDependents(draft: Draft, name: FeatureName, hash: string): void {
  const dependents = draft.features().filter((record) => neededBy(record).includes(name));
  for (const { feature_name: dependent } of dependents) {
    // Whoever designs on the old one right now would have to begin again anyway.
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
 * Something of a wave is made anew: what its gate saw, asked and offered is not about what there is now. The gate begins
 * anew with it; where a review of a feature says no, a gate that is under way keeps count of its tries. Gates of later
 * waves look at all before them: those that are under way begin anew too, and of those that are done the last one, which
 * has seen what the others have.
 */
export function reopenWave(draft: Draft, { roadmap }: FeatureRecord, by: "user" | "review" = "user"): void {
  if (!roadmap) return;
  // A gate that has only begun has no record yet.
  const reviewed = draft.reviewKeys().flatMap((key) => waveOfHead(key.slice(0, key.indexOf("/"))) ?? []);
  const waves = new Set([roadmap.wave, ...draft.waves().map(({ wave }) => wave), ...reviewed]);
  const later = [...waves].filter((wave) => wave >= roadmap.wave).toSorted((a, b) => a - b);
  const isOver = (wave: number): boolean => draft.wave(wave)?.step === "done";
  const last = later.findLast(isOver);
  for (const wave of later) if (wave === roadmap.wave || wave === last || !isOver(wave)) reopen(draft, wave, by);
}

/** Something comes into a wave: a gate that is done has not seen what is yet to be built, and later ones come after it. */
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

/** A steering line waits for its answer, whatever becomes of the code. */
const isProposal = (action: Action): boolean => action.kind === "ask" && action.question === "steering";

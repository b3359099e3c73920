import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { FeatureRecord, WaveRecord } from "../feature/feature-record.ts";
import type { RunCounterKey } from "./action-ids.ts";
import { countFeatureRun } from "./feature-counters.ts";
import type { LeadEffect } from "./lead-events.ts";
import type {
  ActionAssignment,
  ActionId,
  FeatureGoal,
  Lead,
  LeadAction,
  OpenReview,
  RoadmapRun,
} from "./lead-state.ts";
import { hasFailedReview } from "./lead-view.ts";

/** A map that copies itself on the first write after a snapshot. Lists are copies, so a caller can write meanwhile. */
class DraftMap<K, V> {
  #base: ReadonlyMap<K, V>;
  #copy: Map<K, V> | undefined;

  constructor(base: ReadonlyMap<K, V>) {
    this.#base = base;
  }

  get #current(): ReadonlyMap<K, V> {
    return this.#copy ?? this.#base;
  }

  /** Later writes do not change it. */
  takeSnapshot(): ReadonlyMap<K, V> {
    this.#base = this.#current;
    this.#copy = undefined;
    return this.#base;
  }

  get(key: K): V | undefined {
    return this.#current.get(key);
  }

  keys(): K[] {
    return [...this.#current.keys()];
  }

  values(): V[] {
    return [...this.#current.values()];
  }

  set(key: K, value: V): void {
    this.#copy ??= new Map(this.#base);
    this.#copy.set(key, value);
  }

  delete(key: K): void {
    if (!this.#current.has(key)) return;
    this.#copy ??= new Map(this.#base);
    this.#copy.delete(key);
  }
}

/** The Lead while one event changes it. */
export class LeadDraft {
  readonly base: Lead;
  readonly effects: LeadEffect[] = [];
  readonly features: DraftMap<FeatureName, FeatureRecord>;
  readonly waves: DraftMap<number, WaveRecord>;
  readonly reviews: DraftMap<string, OpenReview>;
  readonly out: DraftMap<ActionId, ActionAssignment>;
  run: RoadmapRun;

  constructor(base: Lead) {
    this.base = base;
    this.features = new DraftMap(base.features);
    this.waves = new DraftMap(base.waves);
    this.reviews = new DraftMap(base.reviews);
    this.out = new DraftMap(base.out);
    this.run = base.run;
  }

  /** A snapshot. Later writes do not change it. */
  lead(): Lead {
    return {
      features: this.features.takeSnapshot(),
      waves: this.waves.takeSnapshot(),
      run: this.run,
      reviews: this.reviews.takeSnapshot(),
      out: this.out.takeSnapshot(),
    };
  }

  effect(effect: LeadEffect): void {
    this.effects.push(effect);
  }

  feature(name: FeatureName): FeatureRecord | undefined {
    return this.features.get(name);
  }

  keep(record: FeatureRecord): void {
    this.features.set(record.feature_name, record);
  }

  changeRun(changes: Partial<RoadmapRun>): void {
    this.run = { ...this.run, ...changes };
  }

  pay(tokens: number): void {
    if (tokens > 0 && this.run.isOn) this.changeRun({ spent: this.run.spent + tokens });
  }

  /** Ends the assignment. Charges the reported tokens, or else the rest of the estimate. */
  end(id: ActionId, tokens?: number): void {
    const out = this.out.get(id);
    this.pay(tokens ?? (out ? getUnpaidEstimate(out) : 0));
    this.out.delete(id);
  }
}

export const getUnpaidEstimate = ({ estimate, paid = 0 }: Pick<ActionAssignment, "estimate" | "paid">): number =>
  Math.max(0, estimate - paid);

type DecisionEffect = Extract<LeadEffect, { kind: "decision" }>;

export function recordUserDecision(
  draft: LeadDraft,
  { said, ...decision }: Omit<DecisionEffect, "kind" | "reason" | "source"> & { readonly said: string },
): void {
  const reason = sanitizeText(said, 500) || "The user gave no reason.";
  draft.effect({ kind: "decision", ...decision, reason, source: "user instruction" });
}

/** Undefined for reviews, which count batches instead, and for questions and commits. */
export function getRunCounter(
  action: LeadAction,
): { readonly feature: FeatureName; readonly key: RunCounterKey } | undefined {
  if (action.kind === "gate") return { feature: action.feature, key: "gate" };
  if (action.kind !== "spawn" || action.work.of === "review") return undefined;
  const { work } = action;
  if (work.of === "build") return { feature: work.feature, key: `build-${work.group}` };
  return { feature: work.feature, key: work.of === "design" ? "architect" : "tasks" };
}

export function cancelAssignments(draft: LeadDraft, isMeant: (action: LeadAction) => boolean): void {
  for (const { action } of draft.out.values()) {
    if (!isMeant(action)) continue;
    draft.end(action.id);
    draft.effect({ kind: "dismissed", action: action.id });
    const run = getRunCounter(action);
    const record = run && draft.feature(run.feature);
    if (record) draft.keep(countFeatureRun(record, run.key));
  }
}

/** Returns the record with the cancelled runs counted. */
export function cancelFeatureWork(draft: LeadDraft, record: FeatureRecord): FeatureRecord {
  const head = `${record.feature_name}/`;
  cancelAssignments(draft, ({ id }) => id.startsWith(head));
  for (const key of draft.reviews.keys()) if (key.startsWith(head)) draft.reviews.delete(key);
  return draft.feature(record.feature_name) ?? record;
}

export const cancelFeatureCommit = (draft: LeadDraft, name: FeatureName): void =>
  cancelAssignments(draft, (action) => action.kind === "commit" && action.id.startsWith(`${name}/`));

/** The batch number of a dropped review is not reused. */
export function cancelReview(draft: LeadDraft, key: string): void {
  cancelAssignments(
    draft,
    (action) => action.kind === "spawn" && action.work.of === "review" && action.work.review === key,
  );
  draft.reviews.delete(key);
}

/** Cancelled work becomes pending again when the run resumes. Reviews start over. */
export function stopRoadmapRun(draft: LeadDraft, why: string): void {
  cancelAssignments(draft, () => true);
  for (const key of draft.reviews.keys()) draft.reviews.delete(key);
  draft.changeRun({ isOn: false, stopped: sanitizeText(why, 300), goals: {} });
}

export function setFeatureGoal(draft: LeadDraft, name: FeatureName, goal: FeatureGoal): void {
  const { goals, isOn } = draft.run;
  // A run already takes every roadmap feature to `done`.
  if (isOn && draft.feature(name)?.roadmap) return;
  if (Object.hasOwn(goals, name) && goals[name] === goal) return;
  draft.changeRun({ goals: { ...goals, [name]: goal } });
}

/** Also cancels the feature's offered commit. */
export function dropFeatureGoal(draft: LeadDraft, name: FeatureName): void {
  const { goals } = draft.run;
  if (!Object.hasOwn(goals, name)) return;
  cancelFeatureCommit(draft, name);
  draft.changeRun({ goals: Object.fromEntries(Object.entries(goals).filter(([other]) => other !== name)) });
}

/** The goal `implementation` ends with the commit offer instead. */
export function endReachedGoal(draft: LeadDraft, name: FeatureName): void {
  const record = draft.feature(name);
  const goal = Object.hasOwn(draft.run.goals, name) ? draft.run.goals[name] : undefined;
  if (!record || goal === undefined || record.fix !== null) return;
  const isDesigned = record.phase === "design-generated" && !hasFailedReview(record.reviews.design);
  if (goal === "design" && isDesigned) dropFeatureGoal(draft, name);
  if (goal === "tasks" && record.orchestration.last_phase_action === "tasks-generated") dropFeatureGoal(draft, name);
}

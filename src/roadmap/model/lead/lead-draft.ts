import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { FeatureRecord, WaveRecord } from "../feature/feature-record.ts";
import type { FeatureEdits } from "../feature/held-content.ts";
import type * as leadState from "./lead-state.ts";
import { getUnpaidEstimate, hasFailedReview, type RunCounterKey } from "./lead-view.ts";

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

export class LeadDraft {
  readonly base: leadState.Lead;
  readonly effects: leadState.LeadEffect[] = [];
  readonly features: DraftMap<FeatureName, FeatureRecord>;
  readonly waves: DraftMap<number, WaveRecord>;
  readonly reviews: DraftMap<string, leadState.OpenReview>;
  readonly out: DraftMap<leadState.ActionId, leadState.ActionAssignment>;
  run: leadState.RoadmapRun;
  #edits: leadState.Lead["edits"];

  constructor(base: leadState.Lead) {
    this.base = base;
    this.features = new DraftMap(base.features);
    this.waves = new DraftMap(base.waves);
    this.reviews = new DraftMap(base.reviews);
    this.out = new DraftMap(base.out);
    this.run = base.run;
    this.#edits = base.edits;
  }

  lead(): leadState.Lead {
    return {
      features: this.features.takeSnapshot(),
      waves: this.waves.takeSnapshot(),
      run: this.run,
      reviews: this.reviews.takeSnapshot(),
      out: this.out.takeSnapshot(),
      ...(this.#edits ? { edits: this.#edits } : {}),
    };
  }

  /** These parts are accepted as they are now. */
  acceptEdits(name: FeatureName, ...parts: readonly (keyof FeatureEdits)[]): void {
    const found = this.#edits?.get(name);
    if (!found) return;
    const left = Object.entries(found).filter(([part]) => !parts.includes(part as keyof FeatureEdits));
    this.#edits = new Map([...(this.#edits ?? []), [name, Object.fromEntries(left)]]);
  }

  feature(name: FeatureName): FeatureRecord | undefined {
    return this.features.get(name);
  }

  keep(record: FeatureRecord): void {
    this.features.set(record.feature_name, record);
  }

  changeRun(changes: Partial<leadState.RoadmapRun>): void {
    this.run = { ...this.run, ...changes };
  }

  pay(tokens: number): void {
    if (tokens > 0 && this.run.isOn) this.changeRun({ spent: this.run.spent + tokens });
  }

  /** Ends the assignment. Charges the reported tokens, or else the rest of the estimate. */
  end(id: leadState.ActionId, tokens?: number): void {
    const out = this.out.get(id);
    this.pay(tokens ?? (out ? getUnpaidEstimate(out) : 0));
    this.out.delete(id);
  }
}

export interface UserDecision extends Record<"summary" | "context" | "decision" | "impact", string> {
  readonly type?: leadState.DecisionType;
  readonly said?: string;
  readonly steeringRef?: string;
  /** Who decided, and what proves it. */
  readonly source?: string | undefined;
}

export function recordUserDecision(draft: LeadDraft, decision: UserDecision): void {
  const { said = "", source = "user instruction", ...rest } = decision;
  const reason = sanitizeText(said, 500) || "The user gave no reason.";
  draft.effects.push({ kind: "decision", type: "USER_DECISION", ...rest, reason, source });
}

/** Undefined for reviews, which count batches instead, and for questions and commits. */
export function getRunCounter(
  action: leadState.LeadAction,
): { readonly feature: FeatureName; readonly key: RunCounterKey } | undefined {
  if (action.kind === "gate") return { feature: action.feature, key: "gate" };
  if (action.kind !== "spawn" || action.work.of === "review") return undefined;
  const { work } = action;
  if (work.of === "build") return { feature: work.feature, key: `build-${work.group}` };
  return { feature: work.feature, key: work.of === "design" ? "architect" : "tasks" };
}

export function cancelAssignments(draft: LeadDraft, isMeant: (action: leadState.LeadAction) => boolean): void {
  for (const { action } of draft.out.values()) {
    if (!isMeant(action)) continue;
    draft.end(action.id);
    draft.effects.push({ kind: "dismissed", action: action.id });
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

export function setFeatureGoal(draft: LeadDraft, name: FeatureName, goal: leadState.FeatureGoal): void {
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
  const isPlanned = record.orchestration.last_phase_action === "tasks-generated";
  if ((goal === "design" && isDesigned) || (goal === "tasks" && isPlanned)) dropFeatureGoal(draft, name);
}

/** Fixes after a failed review, gate or run, or a blocker, since the last GO. */
const MAX_RETRIES = 3;
/** Spec updates since the last GO. */
const MAX_SPEC_UPDATES = 2;
/** Fixes and spec updates until the wave is finished or the user resets them. */
export const MAX_TOTAL_FIXES = 6;
/** Rejected reports after which a run fails. */
export const MAX_REJECTED_REPORTS = 3;
/** Consecutive lost runs of one kind after which the user is asked. */
export const MAX_LOST_RUNS = 3;

/** Counter for blocked Builders. Reset when work on the feature succeeds again. */
export const BLOCKED_COUNTER = "blocked";
/** Counter for a plan that needs files of other features. Reset by a new design, which may share other files. */
export const PARTITION_COUNTER = "partition";

/** Planning around shared files is tried once. After that, the feature waits for the files. */
export const markPartitionTried = (record: FeatureRecord): FeatureRecord =>
  wasPartitionTried(record) ? record : countLostRun(record, PARTITION_COUNTER);

export const wasPartitionTried = (record: FeatureRecord): boolean => getLostRunCount(record, PARTITION_COUNTER) > 0;

/** Undefined if the limit is reached. */
export function countFixAttempt(record: FeatureRecord, kind: "retry" | "spec-update"): FeatureRecord | undefined {
  const { retry_count, spec_update_count, total_count } = record.orchestration;
  if (total_count >= MAX_TOTAL_FIXES) return undefined;
  if (kind === "retry" ? retry_count >= MAX_RETRIES : spec_update_count >= MAX_SPEC_UPDATES) return undefined;
  return updateOrchestration(record, {
    total_count: total_count + 1,
    ...(kind === "retry" ? { retry_count: retry_count + 1 } : { spec_update_count: spec_update_count + 1 }),
  });
}

export const resetFeatureCounters = (record: FeatureRecord): FeatureRecord =>
  updateOrchestration(record, { retry_count: 0, spec_update_count: 0, total_count: 0, lost: {} });

/** A run has ended in any way. Its id is not reused. */
export const countFeatureRun = (record: FeatureRecord, key: RunCounterKey): FeatureRecord =>
  updateOrchestration(record, { runs: addCount(record.orchestration.runs, key) });

export const countLostRun = (record: FeatureRecord, key: string): FeatureRecord =>
  updateOrchestration(record, { lost: addCount(record.orchestration.lost, key) });

export const addCount = (counts: Readonly<Record<string, number>>, key: string): Readonly<Record<string, number>> => ({
  ...counts,
  [key]: (counts[key] ?? 0) + 1,
});

export function clearLostRuns(record: FeatureRecord, ...keys: readonly string[]): FeatureRecord {
  const { lost } = record.orchestration;
  if (!keys.some((key) => Object.hasOwn(lost, key))) return record;
  const rest = Object.entries(lost).filter(([key]) => !keys.includes(key));
  return updateOrchestration(record, { lost: Object.fromEntries(rest) });
}

export const getLostRunCount = ({ orchestration: { lost } }: FeatureRecord, key: string): number => lost[key] ?? 0;

export const updateOrchestration = (
  record: FeatureRecord,
  changes: Partial<FeatureRecord["orchestration"]>,
): FeatureRecord => ({ ...record, orchestration: { ...record.orchestration, ...changes } });

import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { quote } from "#kernel/model/text-format.ts";
import { pickFoundationFlag } from "../dependency-graph.ts";
import { checkPhaseGate, COMPLETED_CHOICES, isDesignFix } from "../feature-progress.ts";
import type { FeatureRecord, PendingFix, RoadmapPlacement } from "../feature/feature-record.ts";
import {
  recomputeBlockers,
  removeBlocker,
  reopenTaskGroups,
  reopenUncoveredWave,
  reopenWaveGates,
  requestDesignFix,
  requestNewPlan,
  skipBlockedFeature,
  unblockForFix,
} from "./feature-rework.ts";
import {
  cancelAssignments,
  cancelFeatureWork,
  dropFeatureGoal,
  type LeadDraft,
  recordUserDecision,
  resetFeatureCounters,
  setFeatureGoal,
  stopRoadmapRun,
} from "./lead-draft.ts";
import { EVENT_APPLIED, EVENT_REPEATED, type EventOf, type EventOutcome, rejectEvent } from "./lead-state.ts";
import {
  createCapQuestionId,
  getGateField,
  hasFailedReview,
  isFailedFeature,
  isReservedActionHead,
} from "./lead-view.ts";
import { isSameList } from "./work-reports.ts";

export function applyGoalRequest(draft: LeadDraft, event: EventOf<"wanted">): EventOutcome {
  const { feature, goal, isRedesign = false, intent, tasks = [] } = event;
  const record = draft.feature(feature);
  if (!record) return rejectUnknownSpec(feature);
  const gate = checkPhaseGate(record, goal === "design" || goal === "done" ? "design" : "impl");
  if (gate.kind === "closed") return rejectEvent(gate.problem);
  if (isRedesign && record.phase !== "initialized") {
    const known = isDesignFix(record.fix) ? record.fix : undefined;
    setFeatureGoal(draft, feature, goal);
    if (known?.source === "revise" && intent === undefined) return checkRunChanged(draft);
    const detail = intent?.trim().slice(0, 2_000) || "The user wants a new design.";
    const kept =
      known && intent !== undefined ? { ...known, detail: `${detail} ${known.detail}`.slice(0, 2_000) } : known;
    // A finding of a review still needs its own fix.
    return startRework(draft, record, requestDesignFix, kept ?? createUserFix(detail));
  }
  if (goal === "design" && record.phase !== "initialized") {
    if (gate.kind === "confirm") return rejectEvent(`${gate.question} Ask the user; then request a new design.`);
    return rejectEvent(`${feature} has a design. To redesign it, confirm.`);
  }
  const isPlanned = record.orchestration.last_phase_action !== null;
  if (event.isReplanned && isPlanned) {
    setFeatureGoal(draft, feature, goal);
    const fix = { ...createUserFix("The tasks are missing: plan them again."), source: "blocker" } as const;
    return startRework(draft, record, requestNewPlan, fix);
  }
  if (tasks.length > 0) return requestTaskRepeat(draft, record, event);
  if (goal === "tasks" && isPlanned)
    return rejectEvent(`${feature} has its tasks. Run \`sdd_impl ${feature}\` to build them.`);
  const isFinished = record.fix === null && record.implementation.hash !== null;
  if (record.phase === "implementation-complete" && goal === "implementation" && isFinished)
    return rejectEvent(`All tasks of ${feature} are done. Choose: ${COMPLETED_CHOICES.join(", ")}.`);
  setFeatureGoal(draft, feature, goal);
  return checkRunChanged(draft);
}

const rejectUnknownSpec = (feature: FeatureName): EventOutcome =>
  rejectEvent(`Spec '${feature}' not found. Run \`sdd_design "description"\` first.`);

const createUserFix = (detail: string): PendingFix => ({ source: "revise", batch: null, detail, groups: [] });

const checkRunChanged = (draft: LeadDraft): EventOutcome =>
  draft.run === draft.base.run ? EVENT_REPEATED : EVENT_APPLIED;

/** Stops the work on the feature and requests the fix instead. */
function startRework(draft: LeadDraft, known: FeatureRecord, request: typeof requestDesignFix, fix: PendingFix) {
  draft.keep(request(cancelFeatureWork(draft, known), fix));
  reopenWaveGates(draft, known, "revision");
  return EVENT_APPLIED;
}

function requestTaskRepeat(draft: LeadDraft, record: FeatureRecord, event: EventOf<"wanted">): EventOutcome {
  const { feature, goal, tasks = [] } = event;
  const { groups } = record.implementation;
  if (record.orchestration.last_phase_action === null)
    return rejectEvent(`${feature} has no tasks yet. Run \`sdd_impl ${feature}\` without task numbers.`);
  const known = groups.flatMap((group) => group.tasks);
  const unknown = tasks.find((task) => !known.includes(task));
  if (unknown !== undefined)
    return rejectEvent(`${feature} has no task ${quote(unknown, 20)}. It has ${known.join(", ")}.`);
  if (draft.reviews.keys().some((key) => key.startsWith(`${feature}/`)))
    return rejectEvent(`A review of ${feature} is under way. Its tasks can be done again when it is over.`);
  if (record.fix)
    return rejectEvent(`${feature} is being fixed: ${record.fix.detail} Its tasks can be done again after that.`);
  setFeatureGoal(draft, feature, goal === "done" ? goal : "implementation");
  const done = groups.filter((group) => group.status === "done" && group.tasks.some((task) => tasks.includes(task)));
  if (done.length === 0) return checkRunChanged(draft);
  const detail = `The user wants these tasks done again: ${tasks.join(", ")}.`;
  const fix = { ...createUserFix(detail), groups: done.map(({ id }) => id), tasks };
  return startRework(draft, record, reopenTaskGroups, fix);
}

export function applyFeatureRevised(draft: LeadDraft, { feature, intent }: EventOf<"revised">): EventOutcome {
  const known = draft.feature(feature);
  if (!known) return rejectUnknownSpec(feature);
  const gate = checkPhaseGate(known, "impl");
  if (gate.kind === "closed") return rejectEvent(gate.problem);
  const detail = intent.trim().slice(0, 2_000);
  if (detail === "") return rejectEvent(`Say what shall become of ${feature}.`);
  draft.keep(resetFeatureCounters(known));
  startRework(draft, known, requestDesignFix, createUserFix(detail));
  setFeatureGoal(draft, feature, "done");
  const context = `${feature} ${known.version} was ${known.phase}.`;
  recordUserDecision(draft, { summary: `${feature} is revised`, context, decision: detail, impact: feature });
  return EVENT_APPLIED;
}

export function applyRunStarted(draft: LeadDraft, event: EventOf<"run-begun">): EventOutcome {
  const { isGated, cap, onOverlap } = event;
  if (cap !== null && !(Number.isFinite(cap) && cap > 0))
    return rejectEvent(`A run cannot cost ${cap} tokens. Give a positive number.`);
  const { run } = draft;
  const wanted = onOverlap ?? run.onOverlap;
  const { consensus = run.consensus } = event;
  const isSame = run.isOn && run.isGated === isGated && run.cap === cap && run.onOverlap === wanted;
  if (isSame && run.consensus === consensus) return EVENT_REPEATED;
  // Tokens already spent count if the run is on, or stopped and resumed with the same cap or none. A new cap after a
  // stop starts from zero.
  const isContinued = run.isOn || (run.stopped !== null && (cap === null || cap === run.cap));
  const spent = isContinued ? run.spent : 0;
  // A run takes every roadmap feature to `done`, whatever its goal was.
  for (const name of Object.keys(run.goals) as FeatureName[])
    if (draft.feature(name)?.roadmap) dropFeatureGoal(draft, name);
  const copies = consensus === undefined ? {} : { consensus };
  // A new cap answers the open question about the old one.
  const question = createCapQuestionId(draft);
  const isAnswered = cap !== run.cap && draft.out.get(question) !== undefined;
  if (isAnswered) cancelAssignments(draft, ({ id }) => id === question);
  const capAnswers = isAnswered ? { capAnswers: (run.capAnswers ?? 0) + 1 } : {};
  draft.changeRun({ isOn: true, isGated, cap, onOverlap: wanted, stopped: null, spent, ...copies, ...capAnswers });
  for (const wave of draft.waves.values()) {
    if (wave.step !== "aborted") continue;
    const isPast =
      wave.proceeded.includes("cross-check") || (wave.cross_check !== null && !hasFailedReview(wave.cross_check));
    const step = isPast ? "dead-code" : "cross-check";
    draft.waves.set(wave.wave, { ...wave, step, tries: { ...wave.tries, [getGateField(step)]: 0 } });
  }
  return EVENT_APPLIED;
}

export function applyRunStopped(draft: LeadDraft, { why }: EventOf<"run-stopped">): EventOutcome {
  const { run, base } = draft;
  const isStill = !run.isOn && Object.keys(run.goals).length === 0 && base.out.size === 0 && base.reviews.size === 0;
  if (isStill)
    return run.stopped === null ? rejectEvent("Nothing is under way that could be stopped.") : EVENT_REPEATED;
  stopRoadmapRun(draft, why.trim() || "The user stopped it.");
  return EVENT_APPLIED;
}

export function applyFeatureAdded(draft: LeadDraft, { record }: EventOf<"feature-added">): EventOutcome {
  const { feature_name: name, roadmap } = record;
  if (draft.feature(name)) return rejectEvent(`${name} exists already. Choose another name, or redesign it.`);
  if (isReservedActionHead(name))
    return rejectEvent(`${name} cannot be a feature: reports would take it for something else.`);
  const problem = roadmap && findPlacementProblem(draft, name, roadmap);
  if (problem) return rejectEvent(problem);
  draft.keep(roadmap ? { ...record, roadmap: updateSkippedDependencies(draft, roadmap) } : record);
  recomputeBlockers(draft, name);
  reopenFeatureWave(draft, name);
  return EVENT_APPLIED;
}

export function applyFeaturePlaced(draft: LeadDraft, event: EventOf<"placed">): EventOutcome {
  const { feature: name, wave, dependencies } = event;
  const record = draft.feature(name);
  if (!record) return rejectEvent(`There is no feature ${name}.`);
  const roadmap = updateSkippedDependencies(draft, {
    wave,
    dependencies: [...new Set(dependencies)],
    skipped: record.roadmap?.skipped ?? [],
    ...pickFoundationFlag({ foundation: event.foundation ?? record.roadmap?.foundation }),
  });
  const problem = findPlacementProblem(draft, name, roadmap);
  if (problem !== undefined) return rejectEvent(problem);
  const before = record.roadmap;
  const isSameFoundation = (before?.foundation ?? false) === (roadmap.foundation ?? false);
  if (before?.wave === wave && isSameFoundation && isSameList(before.dependencies, roadmap.dependencies))
    return EVENT_REPEATED;
  draft.keep({ ...record, roadmap });
  recomputeBlockers(draft, name);
  if (record.roadmap?.wave !== wave) reopenFeatureWave(draft, name);
  // A run already takes every roadmap feature to `done`.
  if (draft.run.isOn) dropFeatureGoal(draft, name);
  return EVENT_APPLIED;
}

function updateSkippedDependencies(draft: LeadDraft, place: RoadmapPlacement): RoadmapPlacement {
  const skipped = place.dependencies.filter(
    (on) => place.skipped.includes(on) || draft.feature(on)?.blocked_info?.is_skipped,
  );
  return { ...place, skipped };
}

function reopenFeatureWave(draft: LeadDraft, name: FeatureName): void {
  const record = draft.feature(name);
  if (record && record.phase !== "blocked") reopenUncoveredWave(draft, record);
}

/** Callers that place several features place dependencies first. */
function findPlacementProblem(draft: LeadDraft, name: FeatureName, place: RoadmapPlacement): string | undefined {
  const { wave, dependencies } = place;
  if (!Number.isSafeInteger(wave) || wave < 1) return `${name} cannot be in wave ${wave}. Waves are 1, 2 and so on.`;
  for (const on of dependencies) {
    const known = draft.feature(on)?.roadmap;
    if (on === name) return `${name} cannot depend on itself.`;
    if (!known) return `${name} depends on ${on}, which is not on the roadmap. Place ${on} first.`;
    if (known.wave > wave)
      return `${name} depends on ${on}, which is in wave ${known.wave}. Put ${name} in that wave or a later one.`;
  }
  const from = new Map<FeatureName, FeatureName>(dependencies.map((on) => [on, name]));
  // Iterating a Map also visits entries added during the iteration.
  for (const [on] of from) {
    if (on === name) break;
    for (const next of draft.feature(on)?.roadmap?.dependencies ?? []) if (!from.has(next)) from.set(next, on);
  }
  if (!from.has(name)) return undefined;
  const path = [name];
  for (let at = from.get(name); at !== undefined && at !== name; at = from.get(at)) path.unshift(at);
  return `${name} would wait for itself: ${[name, ...path].join(" → ")}. Remove one of these dependencies.`;
}

export function applyFeatureRemoved(draft: LeadDraft, { feature: name }: EventOf<"feature-removed">): EventOutcome {
  const record = draft.feature(name);
  if (!record) return rejectEvent(`There is no feature ${name}.`);
  const dependents = draft.features.values().filter(({ roadmap }) => roadmap?.dependencies.includes(name));
  const needing = dependents.find(({ roadmap }) => !roadmap?.skipped.includes(name));
  if (needing) return rejectEvent(`${needing.feature_name} depends on ${name}. Remove or place that one first.`);
  cancelFeatureWork(draft, record);
  removeBlocker(draft, name);
  for (const { feature_name } of dependents) {
    const other = draft.feature(feature_name);
    if (!other?.roadmap) continue;
    const without = (names: readonly FeatureName[]): FeatureName[] => names.filter((each) => each !== name);
    const { dependencies, skipped } = other.roadmap;
    draft.keep({
      ...other,
      roadmap: { ...other.roadmap, dependencies: without(dependencies), skipped: without(skipped) },
    });
  }
  draft.features.delete(name);
  dropFeatureGoal(draft, name);
  const isEmptied = record.roadmap && !draft.features.values().some(({ roadmap }) => roadmap);
  if (!draft.run.isOn && isEmptied) draft.changeRun({ spent: 0 });
  // A new feature with this name would use the same ids.
  draft.changeRun({ agreed: draft.run.agreed.filter((id) => !id.startsWith(`${name}/`)) });
  return EVENT_APPLIED;
}

export function applyFeatureUnblocked(draft: LeadDraft, event: EventOf<"unblocked">): EventOutcome {
  const { feature: name, how, source } = event;
  const known = draft.feature(name);
  if (!known) return rejectEvent(`There is no feature ${name}.`);
  const { blocked_info } = known;
  if (!blocked_info) return rejectEvent(`${name} is not blocked.`);
  if (blocked_info.is_skipped && how === "skip") return EVENT_REPEATED;
  if (!isFailedFeature(known) && !blocked_info.is_skipped)
    return rejectEvent(`${name} is blocked by ${blocked_info.blocked_by.join(", ")}: unblock that first.`);
  recordUserDecision(draft, {
    type: "ESCALATION_RESOLVED",
    summary: `${name}: ${how}`,
    context: blocked_info.detail,
    decision: how === "fix" ? "It is fixed, with all retries available again." : "It is skipped.",
    impact: `${name} and what builds on it`,
    source,
  });
  const record = cancelFeatureWork(draft, known);
  if (how === "fix") unblockForFix(draft, record);
  else skipBlockedFeature(draft, record);
  return EVENT_APPLIED;
}

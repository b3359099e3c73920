import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord, RoadmapPlacement } from "../feature/feature-record.ts";
import { pickFoundationFlag } from "../dependency-graph.ts";
import { recomputeBlockers, skipBlockedFeature, removeBlocker, unblockForFix } from "./blocked-features.ts";
import { recordUserDecision, type LeadDraft } from "./lead-draft.ts";
import { cancelFeatureWork, dropFeatureGoal } from "./work-cancellation.ts";
import { isFailedFeature } from "./wave-progress.ts";
import { isReservedActionHead } from "./action-ids.ts";
import { reopenUncoveredWave } from "./feature-rework.ts";
import {
  EVENT_APPLIED,
  type LeadEventOfKind,
  EVENT_REPEATED,
  rejectLeadEvent,
  type EventOutcome,
} from "./lead-events.ts";

export function applyFeatureAdded(draft: LeadDraft, { record }: LeadEventOfKind<"feature-added">): EventOutcome {
  const { feature_name: name, roadmap } = record;
  if (draft.feature(name)) return rejectLeadEvent(`${name} is there already. Choose another name, or design it anew.`);
  if (isReservedActionHead(name))
    return rejectLeadEvent(`${name} cannot be a feature: reports would take it for something else.`);
  const problem = roadmap && findPlacementProblem(draft, name, roadmap);
  if (problem) return rejectLeadEvent(problem);
  draft.keep(roadmap ? { ...record, roadmap: updateSkippedDependencies(draft, roadmap) } : record);
  recomputeBlockers(draft, name);
  reopenFeatureWave(draft, name);
  return EVENT_APPLIED;
}

export function applyFeaturePlaced(draft: LeadDraft, event: LeadEventOfKind<"placed">): EventOutcome {
  const { feature: name, wave, dependencies } = event;
  const record = draft.feature(name);
  if (!record) return rejectLeadEvent(`There is no feature ${name}.`);
  const skipped = record.roadmap?.skipped ?? [];
  const kept = pickFoundationFlag({ foundation: event.foundation ?? record.roadmap?.foundation });
  const roadmap = updateSkippedDependencies(draft, {
    wave,
    dependencies: [...new Set(dependencies)],
    skipped,
    ...kept,
  });
  const problem = findPlacementProblem(draft, name, roadmap);
  if (problem !== undefined) return rejectLeadEvent(problem);
  if (record.roadmap && isSamePlacement(record.roadmap, roadmap)) return EVENT_REPEATED;
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

const isSamePlacement = (one: RoadmapPlacement, other: RoadmapPlacement): boolean =>
  one.wave === other.wave &&
  (one.foundation ?? false) === (other.foundation ?? false) &&
  one.dependencies.length === other.dependencies.length &&
  one.dependencies.every((name, i) => name === other.dependencies[i]);

function reopenFeatureWave(draft: LeadDraft, name: FeatureName): void {
  const record = draft.feature(name);
  if (record && record.phase !== "blocked") reopenUncoveredWave(draft, record);
}

/** Callers that place several features place dependencies first. */
function findPlacementProblem(
  draft: LeadDraft,
  name: FeatureName,
  { wave, dependencies }: RoadmapPlacement,
): string | undefined {
  if (!Number.isSafeInteger(wave) || wave < 1) return `${name} cannot be in wave ${wave}. Waves are 1, 2 and so on.`;
  for (const on of dependencies) {
    const other = draft.feature(on);
    if (on === name) return `${name} cannot depend on itself.`;
    if (!other?.roadmap) return `${name} depends on ${on}, which is not on the roadmap. Place ${on} first.`;
    if (other.roadmap.wave > wave) {
      return `${name} depends on ${on}, which is in wave ${other.roadmap.wave}. Put ${name} in that wave or a later one.`;
    }
  }
  const circle = findDependencyCycle(draft, name, dependencies);
  return circle && `${name} would wait for itself: ${circle.join(" → ")}. Take one of these dependencies away.`;
}

function findDependencyCycle(
  draft: LeadDraft,
  name: FeatureName,
  dependencies: readonly FeatureName[],
): readonly FeatureName[] | undefined {
  const from = new Map<FeatureName, FeatureName>(dependencies.map((on) => [on, name]));
  // Iterating a Map also visits entries added during the iteration.
  for (const [on] of from) {
    if (on === name) break;
    for (const next of draft.feature(on)?.roadmap?.dependencies ?? []) if (!from.has(next)) from.set(next, on);
  }
  if (!from.has(name)) return undefined;
  const path = [name];
  for (let at = from.get(name); at !== undefined && at !== name; at = from.get(at)) path.unshift(at);
  return [name, ...path];
}

export function applyFeatureRemoved(
  draft: LeadDraft,
  { feature: name }: LeadEventOfKind<"feature-removed">,
): EventOutcome {
  const record = draft.feature(name);
  if (!record) return rejectLeadEvent(`There is no feature ${name}.`);
  const needing = draft.features().find((other) => isActiveDependent(other, name));
  if (needing) return rejectLeadEvent(`${needing.feature_name} depends on ${name}. Remove or place that one first.`);
  cancelFeatureWork(draft, name);
  removeBlocker(draft, name);
  for (const other of draft.features()) {
    const { roadmap } = other;
    if (!roadmap?.dependencies.includes(name)) continue;
    const without = (names: readonly FeatureName[]): FeatureName[] => names.filter((each) => each !== name);
    draft.keep({
      ...other,
      roadmap: { ...roadmap, dependencies: without(roadmap.dependencies), skipped: without(roadmap.skipped) },
    });
  }
  draft.forget(name);
  dropFeatureGoal(draft, name);
  if (!draft.run.isOn && record.roadmap && !draft.features().some(({ roadmap }) => roadmap)) {
    draft.changeRun({ spent: 0 });
  }
  // A new feature with this name would use the same ids.
  draft.changeRun({ agreed: draft.run.agreed.filter((id) => !id.startsWith(`${name}/`)) });
  return EVENT_APPLIED;
}

const isActiveDependent = ({ roadmap }: FeatureRecord, name: FeatureName): boolean =>
  roadmap !== null && roadmap.dependencies.includes(name) && !roadmap.skipped.includes(name);

export function applyFeatureUnblocked(
  draft: LeadDraft,
  { feature: name, how }: LeadEventOfKind<"unblocked">,
): EventOutcome {
  const record = draft.feature(name);
  if (!record) return rejectLeadEvent(`There is no feature ${name}.`);
  const { blocked_info } = record;
  if (!blocked_info) return rejectLeadEvent(`${name} is not blocked.`);
  const isOwn = isFailedFeature(record) || (blocked_info.is_skipped && how === "fix");
  if (blocked_info.is_skipped && how === "skip") return EVENT_REPEATED;
  if (!isOwn) return rejectLeadEvent(`${name} is blocked by ${blocked_info.blocked_by.join(", ")}: free that.`);
  recordUserDecision(draft, {
    type: "ESCALATION_RESOLVED",
    summary: `${name}: ${how}`,
    context: blocked_info.detail,
    decision: how === "fix" ? "It is mended, with all retries anew." : "It is let go.",
    said: "",
    impact: `${name} and what builds on it`,
  });
  cancelFeatureWork(draft, name);
  if (how === "fix") unblockForFix(draft, name);
  else skipBlockedFeature(draft, name);
  return EVENT_APPLIED;
}

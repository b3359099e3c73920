import type { FeatureName } from "../../../feature/name.ts";
import type { FeatureRecord, Placed } from "../../../feature/record.ts";
import { foundationOf } from "../../graph.ts";
import { blockAnew, skip, standAside, unblockToFix } from "../changes/blocking.ts";
import { decided } from "../changes/decision.ts";
import { dismissFeature } from "../changes/dismissal.ts";
import { isFailed } from "../next/done.ts";
import type { Draft } from "../draft.ts";
import { dropGoal } from "../changes/goal.ts";
import { isReserved } from "../ids.ts";
import { reopenUnlessSeen } from "../changes/mending.ts";
import { APPLIED, type EventOf, REPEATED, refuse, type Taken } from "../taken.ts";

export function takeFeature(draft: Draft, { record }: EventOf<"feature-added">): Taken {
  const { feature_name: name, roadmap } = record;
  if (draft.feature(name)) return refuse(`${name} is there already. Choose another name, or design it anew.`);
  if (isReserved(name)) return refuse(`${name} cannot be a feature: reports would take it for something else.`);
  const problem = roadmap && placeProblem(draft, name, roadmap);
  if (problem) return refuse(problem);
  draft.keep(roadmap ? { ...record, roadmap: withoutSkipped(draft, roadmap) } : record);
  blockAnew(draft, name);
  reopenAt(draft, name);
  return APPLIED;
}

export function takePlace(draft: Draft, event: EventOf<"placed">): Taken {
  const { feature: name, wave, dependencies } = event;
  const record = draft.feature(name);
  if (!record) return refuse(`There is no feature ${name}.`);
  const skipped = record.roadmap?.skipped ?? [];
  const kept = foundationOf({ foundation: event.foundation ?? record.roadmap?.foundation });
  const roadmap = withoutSkipped(draft, { wave, dependencies: [...new Set(dependencies)], skipped, ...kept });
  const problem = placeProblem(draft, name, roadmap);
  if (problem !== undefined) return refuse(problem);
  if (record.roadmap && isSamePlace(record.roadmap, roadmap)) return REPEATED;
  draft.keep({ ...record, roadmap });
  blockAnew(draft, name);
  if (record.roadmap?.wave !== wave) reopenAt(draft, name);
  // A run already takes every roadmap feature to `done`.
  if (draft.run.isOn) dropGoal(draft, name);
  return APPLIED;
}

function withoutSkipped(draft: Draft, place: Placed): Placed {
  const skipped = place.dependencies.filter(
    (on) => place.skipped.includes(on) || draft.feature(on)?.blocked_info?.is_skipped,
  );
  return { ...place, skipped };
}

const isSamePlace = (one: Placed, other: Placed): boolean =>
  one.wave === other.wave &&
  (one.foundation ?? false) === (other.foundation ?? false) &&
  one.dependencies.length === other.dependencies.length &&
  one.dependencies.every((name, i) => name === other.dependencies[i]);

function reopenAt(draft: Draft, name: FeatureName): void {
  const record = draft.feature(name);
  if (record && record.phase !== "blocked") reopenUnlessSeen(draft, record);
}

/** Callers that place several features place dependencies first. */
function placeProblem(draft: Draft, name: FeatureName, { wave, dependencies }: Placed): string | undefined {
  if (!Number.isSafeInteger(wave) || wave < 1) return `${name} cannot be in wave ${wave}. Waves are 1, 2 and so on.`;
  for (const on of dependencies) {
    const other = draft.feature(on);
    if (on === name) return `${name} cannot depend on itself.`;
    if (!other?.roadmap) return `${name} depends on ${on}, which is not on the roadmap. Place ${on} first.`;
    if (other.roadmap.wave > wave) {
      return `${name} depends on ${on}, which is in wave ${other.roadmap.wave}. Put ${name} in that wave or a later one.`;
    }
  }
  const circle = circleFrom(draft, name, dependencies);
  return circle && `${name} would wait for itself: ${circle.join(" → ")}. Take one of these dependencies away.`;
}

function circleFrom(
  draft: Draft,
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

export function takeRemoval(draft: Draft, { feature: name }: EventOf<"feature-removed">): Taken {
  const record = draft.feature(name);
  if (!record) return refuse(`There is no feature ${name}.`);
  const needing = draft.features().find((other) => needs(other, name));
  if (needing) return refuse(`${needing.feature_name} depends on ${name}. Remove or place that one first.`);
  dismissFeature(draft, name);
  standAside(draft, name);
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
  dropGoal(draft, name);
  if (!draft.run.isOn && record.roadmap && !draft.features().some(({ roadmap }) => roadmap)) {
    draft.changeRun({ spent: 0 });
  }
  // A new feature with this name would use the same ids.
  draft.changeRun({ agreed: draft.run.agreed.filter((id) => !id.startsWith(`${name}/`)) });
  return APPLIED;
}

const needs = ({ roadmap }: FeatureRecord, name: FeatureName): boolean =>
  roadmap !== null && roadmap.dependencies.includes(name) && !roadmap.skipped.includes(name);

export function takeUnblocking(draft: Draft, { feature: name, how }: EventOf<"unblocked">): Taken {
  const record = draft.feature(name);
  if (!record) return refuse(`There is no feature ${name}.`);
  const { blocked_info } = record;
  if (!blocked_info) return refuse(`${name} is not blocked.`);
  const isOwn = isFailed(record) || (blocked_info.is_skipped && how === "fix");
  if (blocked_info.is_skipped && how === "skip") return REPEATED;
  if (!isOwn) return refuse(`${name} is blocked by ${blocked_info.blocked_by.join(", ")}: free that.`);
  decided(draft, {
    type: "ESCALATION_RESOLVED",
    summary: `${name}: ${how}`,
    context: blocked_info.detail,
    decision: how === "fix" ? "It is mended, with all retries anew." : "It is let go.",
    said: "",
    impact: `${name} and what builds on it`,
  });
  dismissFeature(draft, name);
  if (how === "fix") unblockToFix(draft, name);
  else skip(draft, name);
  return APPLIED;
}

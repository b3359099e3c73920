import type { FeatureName } from "../feature/name.ts";
import type { FeatureRecord } from "../feature/record.ts";
import { byText } from "./graph.ts";
import type { Action } from "./lead/action.ts";
import type { Lead } from "./lead/state.ts";
import { overlaps, serialised } from "./ownership.ts";
import { hasPassed, isAccepted, isBuilt, reached } from "./standing.ts";

/** What a feature goes through. */
export const STEPS = ["design", "design review", "implementation", "implementation review"] as const;
export type Step = (typeof STEPS)[number];

/** How it stands with one step of a feature. */
export type Standing =
  | { readonly is: "done" }
  /** Somebody is at work on it. */
  | { readonly is: "out" }
  | { readonly is: "ready" }
  /** In words: `its design review`, `the gate of wave 1`. */
  | { readonly is: "waiting"; readonly for: readonly string[] }
  | { readonly is: "blocked"; readonly by: readonly FeatureName[] };

export interface Readiness {
  readonly feature: FeatureName;
  readonly wave: number | null;
  readonly steps: Readonly<Record<Step, Standing>>;
}

/** `ready`, `waits for its design review`, `blocked by user-login`. */
export function standingText(standing: Standing): string {
  if (standing.is === "waiting") return `waits for ${standing.for.join(", ")}`;
  return standing.is === "blocked" ? `blocked by ${standing.by.join(", ")}` : standing.is;
}

/** How it stands with each step of each feature: by wave, those without one last, and in a wave by name. */
export function readiness(lead: Lead): Readiness[] {
  const view = viewOf(lead);
  return [...lead.features.values()].toSorted(byPlace).map((record) => ({
    feature: record.feature_name,
    wave: record.roadmap?.wave ?? null,
    steps: {
      design: designOf(view, record),
      "design review": designReviewOf(view, record),
      implementation: implementationOf(view, record),
      "implementation review": implementationReviewOf(view, record),
    },
  }));
}

/** What is asked of the Lead for every feature, looked up once. */
interface View {
  readonly lead: Lead;
  /** What is out, as `user-login/design`. */
  readonly out: ReadonlySet<string>;
  readonly waitsFor: ReadonlyMap<FeatureName, readonly FeatureName[]>;
  /** The first wave whose gate is not done; nothing where waves have none. */
  readonly openWave: number;
}

function viewOf(lead: Lead): View {
  const out = new Set(Array.from(lead.out.values(), ({ action }) => workOf(action)));
  const waitsFor = serialised(overlaps(lead.features.values(), lead.run.isOn ? isAccepted : isBuilt));
  return { lead, out, waitsFor, openWave: openWaveOf(lead) };
}

/** `user-login/design` or `user-login/build` for work on a feature; nothing for a review, which is open itself. */
function workOf(action: Action): string {
  if (action.kind === "gate") return `${action.feature}/build`;
  if (action.kind !== "spawn" || action.work.of === "review") return "";
  return `${action.work.feature}/${action.work.of === "design" ? "design" : "build"}`;
}

/** A roadmap of one feature has no gates, and outside of a run nobody waits for one. */
function openWaveOf({ features, waves, run }: Lead): number {
  const planned = Array.from(features.values(), ({ roadmap }) => roadmap?.wave ?? []).flat();
  if (!run.isOn || planned.length === 1) return Infinity;
  return Math.min(Infinity, ...new Set(planned.filter((wave) => waves.get(wave)?.step !== "done")));
}

function designOf({ lead, out }: View, record: FeatureRecord): Standing {
  const { feature_name: name, phase, fix, roadmap } = record;
  const isMended = fix?.source === "design" || fix?.source === "spec-update" || fix?.source === "revise";
  if (reached(record) !== "initialized" && !isMended) return { is: "done" };
  if (phase === "blocked") return blocked(record);
  if (out.has(`${name}/design`)) return { is: "out" };
  const isDesigned = (on: FeatureRecord): boolean => reached(on) !== "initialized";
  return waiting(awaited(lead, roadmap, isDesigned).map((on) => `the design of ${on}`));
}

function designReviewOf(view: View, record: FeatureRecord): Standing {
  const { feature_name: name, phase, design, reviews } = record;
  const isDesigned = designOf(view, record).is === "done";
  if (isDesigned && hasPassed(reviews.design, design?.hash)) return { is: "done" };
  if (phase === "blocked") return blocked(record);
  if (view.lead.reviews.has(`${name}/design`)) return { is: "out" };
  return waiting(isDesigned ? [] : ["its design"]);
}

function implementationOf(view: View, record: FeatureRecord): Standing {
  const { lead, out, waitsFor, openWave } = view;
  const { feature_name: name, roadmap, reviews } = record;
  if (isBuilt(record)) return { is: "done" };
  if (record.phase === "blocked") return blocked(record);
  if (out.has(`${name}/build`)) return { is: "out" };
  const isRun = lead.run.isOn && roadmap !== null;
  const own = isRun ? designReviewOf(view, record) : designOf(view, record);
  const isSteered = isRun && own.is === "done" && (reviews.design?.proposals ?? 0) > 0;
  const isBuiltOn = (on: FeatureRecord): boolean => reached(on) === "implementation-complete";
  return waiting([
    ...(own.is === "done" ? [] : [isRun ? "its design review" : "its design"]),
    ...(isSteered ? ["an answer about steering"] : []),
    ...(isRun && openWave < roadmap.wave ? [`the gate of wave ${openWave}`] : []),
    ...awaited(lead, roadmap, isBuiltOn),
    ...(waitsFor.get(name) ?? []).map((other) => `files of ${other}`),
  ]);
}

function implementationReviewOf({ lead }: View, record: FeatureRecord): Standing {
  if (isAccepted(record)) return { is: "done" };
  if (record.phase === "blocked") return blocked(record);
  if (lead.reviews.has(`${record.feature_name}/impl`)) return { is: "out" };
  return waiting(isBuilt(record) ? [] : ["its implementation"]);
}

/** The dependencies that are not so far yet, but for those that the user let go. */
function awaited(
  { features }: Lead,
  roadmap: FeatureRecord["roadmap"],
  isThere: (record: FeatureRecord) => boolean,
): FeatureName[] {
  return (roadmap?.dependencies ?? []).filter((name) => {
    const record = features.get(name);
    const isLetGo = roadmap?.skipped.includes(name) || record?.blocked_info?.is_skipped;
    return record !== undefined && !isLetGo && !isThere(record);
  });
}

const waiting = (reasons: readonly string[]): Standing =>
  reasons.length > 0 ? { is: "waiting", for: reasons } : { is: "ready" };

const blocked = ({ feature_name: name, blocked_info: info }: FeatureRecord): Standing => ({
  is: "blocked",
  by: info?.blocked_by ?? [name],
});

/** By wave, features that stand alone last, and in a wave by name. */
export const byPlace = (a: FeatureRecord, b: FeatureRecord): number =>
  (a.roadmap?.wave ?? Infinity) - (b.roadmap?.wave ?? Infinity) || byText(a.feature_name, b.feature_name);

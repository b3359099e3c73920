import type { FeatureName } from "../feature/name.ts";
import type { FeatureRecord } from "../feature/record.ts";
import type { Action } from "./lead/action.ts";
import { reviewKeyOf } from "./lead/ids.ts";
import { followedUp, proposalsOf } from "./lead/next/done.ts";
import { type Step as LeadStep, stepOf } from "./lead/next/step.ts";
import type { Lead } from "./lead/state.ts";
import { aimOf, neededBy, type View, viewOf, waveOf } from "./lead/view.ts";
import { overlaps, serialised } from "./ownership.ts";
import { hasPassed, isAccepted, isBuilt, isDesigned, isPastDesignReview, reached } from "./standing.ts";

export const STEPS = ["design", "design review", "implementation", "implementation review"] as const;
type Step = (typeof STEPS)[number];

export type Standing =
  | { readonly is: "done" }
  | { readonly is: "out" }
  | { readonly is: "ready" }
  /** Reasons as text: `its design review`, `the gate of wave 1`. */
  | { readonly is: "waiting"; readonly for: readonly string[] }
  | { readonly is: "blocked"; readonly by: readonly FeatureName[] };

export interface Readiness {
  readonly feature: FeatureName;
  readonly wave: number | null;
  readonly steps: Readonly<Record<Step, Standing>>;
}

export function standingText(standing: Standing): string {
  if (standing.is === "waiting") return `waits for ${standing.for.join(", ")}`;
  return standing.is === "blocked" ? `blocked by ${standing.by.join(", ")}` : standing.is;
}

/**
 * The state of each step of each feature, sorted by wave and name. The Lead decides whether a step is ready. For
 * features without a goal, shows the steps that could start.
 */
export function readiness(lead: Lead): Readiness[] {
  const table = tableOf(lead);
  return table.view.order.map((record) => ({
    feature: record.feature_name,
    wave: record.roadmap?.wave ?? null,
    steps: asTheLeadSays(table, record, {
      design: designOf(table, record),
      "design review": designReviewOf(table, record),
      implementation: implementationOf(table, record),
      "implementation review": implementationReviewOf(table, record),
    }),
  }));
}

interface Table {
  readonly view: View;
  readonly waitsFor: ReadonlyMap<FeatureName, readonly FeatureName[]>;
}

function tableOf(lead: Lead): Table {
  const view = viewOf(lead);
  return { view, waitsFor: serialised(overlaps(view.order, lead.run.isOn ? isAccepted : isBuilt)) };
}

const isInRun = ({ view }: Table, record: FeatureRecord): boolean => aimOf(view.lead, record) === "done";

function designOf(table: Table, record: FeatureRecord): Standing {
  if (isDesigned(record)) return { is: "done" };
  if (record.phase === "blocked") return blocked(record);
  if (isAtWork(table, record, "design")) return { is: "out" };
  if (reached(record) !== "initialized") return { is: "ready" };
  return waiting(awaited(table, record, isDesigned).map((on) => `the design of ${on}`));
}

function designReviewOf({ view }: Table, record: FeatureRecord): Standing {
  if (isPastDesignReview(record)) return { is: "done" };
  if (record.phase === "blocked") return blocked(record);
  if (view.lead.reviews.has(reviewKeyOf(record.feature_name, "design"))) return { is: "out" };
  return waiting(isDesigned(record) ? [] : ["its design"]);
}

function implementationOf(table: Table, record: FeatureRecord): Standing {
  if (isBuilt(record)) return { is: "done" };
  if (record.phase === "blocked") return blocked(record);
  if (isAtWork(table, record, "tasks", "build", "gate")) return { is: "out" };
  const { openWave, lead } = table.view;
  const isMandatory = isInRun(table, record);
  const isReviewed = isDesigned(record) && hasPassed(record.reviews.design, record.design?.hash);
  const isLate = isMandatory && lead.run.isOn && openWave < waveOf(record);
  return waiting([
    ...(isMandatory && !isReviewed ? ["its design review"] : []),
    ...(isMandatory || isDesigned(record) ? [] : ["its design"]),
    ...(proposalsOf(record).length > 0 ? ["an answer about steering"] : []),
    ...(isLate ? [`the gate of wave ${openWave}`] : []),
    ...awaited(table, record, isMandatory ? isAccepted : isBuilt),
    ...(table.waitsFor.get(record.feature_name) ?? []).map((other) => `files of ${other}`),
  ]);
}

function implementationReviewOf({ view }: Table, record: FeatureRecord): Standing {
  if (isAccepted(record) && followedUp(view, record).length === 0) return { is: "done" };
  if (record.phase === "blocked") return blocked(record);
  if (view.lead.reviews.has(reviewKeyOf(record.feature_name, "impl"))) return { is: "out" };
  return waiting(isBuilt(record) ? [] : ["its implementation"]);
}

/** The Lead has more reasons to wait than the table above, and can resolve some that the table lists. */
function asTheLeadSays(table: Table, record: FeatureRecord, told: Readiness["steps"]): Readiness["steps"] {
  const step = stepOf(table.view, record);
  const at = rowOf(table, record, step, told);
  if (at === null || (told[at].is !== "ready" && told[at].is !== "waiting")) return told;
  if (
    table.view.outOf.get(record.feature_name)?.some(({ action }) => action.kind === "spawn" || action.kind === "gate")
  ) {
    return { ...told, [at]: waiting(["who is at work on it"]) };
  }
  if (step.kind === "waiting") return told[at].is === "waiting" ? told : { ...told, [at]: waiting([step.why]) };
  const isAsked = step.kind === "structure" || step.kind === "follow-up" || step.kind === "agreement";
  return { ...told, [at]: isAsked ? waiting(["an answer of the user"]) : { is: "ready" } };
}

function rowOf(table: Table, record: FeatureRecord, step: LeadStep, told: Readiness["steps"]): Step | null {
  switch (step.kind) {
    case "design":
    case "structure":
      return "design";
    case "design-review":
      return "design review";
    case "tasks":
    case "build":
    case "gate":
      return "implementation";
    case "impl-review":
    case "follow-up":
      return "implementation review";
    case "agreement":
      return step.of === "design" ? "implementation" : null;
    case "waiting":
      return (
        STEPS.find((name) => told[name].is !== "done" && (!name.endsWith("review") || isInRun(table, record))) ?? null
      );
    case "blocked":
    case "escalated":
    case "resting":
    case "reached":
    case "commit":
      return null;
  }
}

type WorkKind = "design" | "tasks" | "build" | "gate";

function isAtWork({ view }: Table, { feature_name: name }: FeatureRecord, ...kinds: readonly WorkKind[]): boolean {
  const isOf = (action: Action): boolean => {
    const kind = action.kind === "spawn" ? action.work.of : action.kind;
    return kinds.some((one) => one === kind);
  };
  return view.outOf.get(name)?.some(({ action }) => isOf(action)) ?? false;
}

function awaited({ view }: Table, record: FeatureRecord, isThere: (on: FeatureRecord) => boolean): FeatureName[] {
  return neededBy(record).filter((name) => {
    const on = view.lead.features.get(name);
    return on !== undefined && !on.blocked_info?.is_skipped && !isThere(on);
  });
}

const waiting = (reasons: readonly string[]): Standing =>
  reasons.length > 0 ? { is: "waiting", for: reasons } : { is: "ready" };

const blocked = ({ feature_name: name, blocked_info: info }: FeatureRecord): Standing => ({
  is: "blocked",
  by: info?.blocked_by ?? [name],
});

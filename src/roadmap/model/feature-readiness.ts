import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord } from "./feature/feature-record.ts";
import type { LeadAction, Lead } from "./lead/lead-state.ts";
import { joinReviewKey } from "./lead/action-ids.ts";
import { listFollowUpCauses, listFeatureProposals } from "./lead/wave-progress.ts";
import { type NextStep as LeadStep, getNextStep } from "./lead/next-step.ts";
import {
  getFeatureGoal,
  listActiveDependencies,
  type LeadView,
  getLeadView,
  getFeatureWave,
} from "./lead/lead-view.ts";
import { findFileOverlaps, serializeOverlaps } from "./file-ownership.ts";
import {
  hasCurrentPass,
  isFeatureAccepted,
  isFeatureBuilt,
  isFeatureDesigned,
  isPastDesignReview,
  getReachedPhase,
} from "./feature-progress.ts";

export const FEATURE_STEPS = ["design", "design review", "implementation", "implementation review"] as const;
type FeatureStep = (typeof FEATURE_STEPS)[number];

export type StepReadiness =
  | { readonly is: "done" }
  | { readonly is: "out" }
  | { readonly is: "ready" }
  /** Reasons as text: `its design review`, `the gate of wave 1`. */
  | { readonly is: "waiting"; readonly for: readonly string[] }
  | { readonly is: "blocked"; readonly by: readonly FeatureName[] };

export interface FeatureReadiness {
  readonly feature: FeatureName;
  readonly wave: number | null;
  readonly steps: Readonly<Record<FeatureStep, StepReadiness>>;
}

export function formatStepReadiness(standing: StepReadiness): string {
  if (standing.is === "waiting") return `waits for ${standing.for.join(", ")}`;
  return standing.is === "blocked" ? `blocked by ${standing.by.join(", ")}` : standing.is;
}

/**
 * The state of each step of each feature, sorted by wave and name. The Lead decides whether a step is ready. For
 * features without a goal, shows the steps that could start.
 */
export function listFeatureReadiness(lead: Lead): FeatureReadiness[] {
  const table = createReadinessContext(lead);
  return table.view.order.map((record) => ({
    feature: record.feature_name,
    wave: record.roadmap?.wave ?? null,
    steps: applyLeadStep(table, record, {
      design: checkDesignStep(table, record),
      "design review": checkDesignReviewStep(table, record),
      implementation: checkImplementationStep(table, record),
      "implementation review": checkImplementationReviewStep(table, record),
    }),
  }));
}

interface ReadinessContext {
  readonly view: LeadView;
  readonly waitsFor: ReadonlyMap<FeatureName, readonly FeatureName[]>;
}

function createReadinessContext(lead: Lead): ReadinessContext {
  const view = getLeadView(lead);
  return {
    view,
    waitsFor: serializeOverlaps(findFileOverlaps(view.order, lead.run.isOn ? isFeatureAccepted : isFeatureBuilt)),
  };
}

const isRunRequired = ({ view }: ReadinessContext, record: FeatureRecord): boolean =>
  getFeatureGoal(view.lead, record) === "done";

function checkDesignStep(table: ReadinessContext, record: FeatureRecord): StepReadiness {
  if (isFeatureDesigned(record)) return { is: "done" };
  if (record.phase === "blocked") return createBlockedReadiness(record);
  if (hasAssignedWork(table, record, "design")) return { is: "out" };
  if (getReachedPhase(record) !== "initialized") return { is: "ready" };
  return createWaitingReadiness(
    listUnmetDependencies(table, record, isFeatureDesigned).map((on) => `the design of ${on}`),
  );
}

function checkDesignReviewStep({ view }: ReadinessContext, record: FeatureRecord): StepReadiness {
  if (isPastDesignReview(record)) return { is: "done" };
  if (record.phase === "blocked") return createBlockedReadiness(record);
  if (view.lead.reviews.has(joinReviewKey(record.feature_name, "design"))) return { is: "out" };
  return createWaitingReadiness(isFeatureDesigned(record) ? [] : ["its design"]);
}

function checkImplementationStep(table: ReadinessContext, record: FeatureRecord): StepReadiness {
  if (isFeatureBuilt(record)) return { is: "done" };
  if (record.phase === "blocked") return createBlockedReadiness(record);
  if (hasAssignedWork(table, record, "tasks", "build", "gate")) return { is: "out" };
  const { openWave, lead } = table.view;
  const isMandatory = isRunRequired(table, record);
  const isReviewed = isFeatureDesigned(record) && hasCurrentPass(record.reviews.design, record.design?.hash);
  const isLate = isMandatory && lead.run.isOn && openWave < getFeatureWave(record);
  return createWaitingReadiness([
    ...(isMandatory && !isReviewed ? ["its design review"] : []),
    ...(isMandatory || isFeatureDesigned(record) ? [] : ["its design"]),
    ...(listFeatureProposals(record).length > 0 ? ["an answer about steering"] : []),
    ...(isLate ? [`the gate of wave ${openWave}`] : []),
    ...listUnmetDependencies(table, record, isMandatory ? isFeatureAccepted : isFeatureBuilt),
    ...(table.waitsFor.get(record.feature_name) ?? []).map((other) => `files of ${other}`),
  ]);
}

function checkImplementationReviewStep({ view }: ReadinessContext, record: FeatureRecord): StepReadiness {
  if (isFeatureAccepted(record) && listFollowUpCauses(view, record).length === 0) return { is: "done" };
  if (record.phase === "blocked") return createBlockedReadiness(record);
  if (view.lead.reviews.has(joinReviewKey(record.feature_name, "impl"))) return { is: "out" };
  return createWaitingReadiness(isFeatureBuilt(record) ? [] : ["its implementation"]);
}

/** The Lead has more reasons to wait than the table above, and can resolve some that the table lists. */
function applyLeadStep(
  table: ReadinessContext,
  record: FeatureRecord,
  told: FeatureReadiness["steps"],
): FeatureReadiness["steps"] {
  const step = getNextStep(table.view, record);
  const at = mapLeadStep(table, record, step, told);
  if (at === null || (told[at].is !== "ready" && told[at].is !== "waiting")) return told;
  if (
    table.view.outOf.get(record.feature_name)?.some(({ action }) => action.kind === "spawn" || action.kind === "gate")
  ) {
    return { ...told, [at]: createWaitingReadiness(["who is at work on it"]) };
  }
  if (step.kind === "waiting")
    return told[at].is === "waiting" ? told : { ...told, [at]: createWaitingReadiness([step.why]) };
  const isAsked = step.kind === "structure" || step.kind === "follow-up" || step.kind === "agreement";
  return { ...told, [at]: isAsked ? createWaitingReadiness(["an answer of the user"]) : { is: "ready" } };
}

function mapLeadStep(
  table: ReadinessContext,
  record: FeatureRecord,
  step: LeadStep,
  told: FeatureReadiness["steps"],
): FeatureStep | null {
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
        FEATURE_STEPS.find(
          (name) => told[name].is !== "done" && (!name.endsWith("review") || isRunRequired(table, record)),
        ) ?? null
      );
    case "blocked":
    case "escalated":
    case "resting":
    case "reached":
    case "commit":
      return null;
  }
}

type ReadinessWorkKind = "design" | "tasks" | "build" | "gate";

function hasAssignedWork(
  { view }: ReadinessContext,
  { feature_name: name }: FeatureRecord,
  ...kinds: readonly ReadinessWorkKind[]
): boolean {
  const isOf = (action: LeadAction): boolean => {
    const kind = action.kind === "spawn" ? action.work.of : action.kind;
    return kinds.some((one) => one === kind);
  };
  return view.outOf.get(name)?.some(({ action }) => isOf(action)) ?? false;
}

function listUnmetDependencies(
  { view }: ReadinessContext,
  record: FeatureRecord,
  isThere: (on: FeatureRecord) => boolean,
): FeatureName[] {
  return listActiveDependencies(record).filter((name) => {
    const on = view.lead.features.get(name);
    return on !== undefined && !on.blocked_info?.is_skipped && !isThere(on);
  });
}

const createWaitingReadiness = (reasons: readonly string[]): StepReadiness =>
  reasons.length > 0 ? { is: "waiting", for: reasons } : { is: "ready" };

const createBlockedReadiness = ({ feature_name: name, blocked_info: info }: FeatureRecord): StepReadiness => ({
  is: "blocked",
  by: info?.blocked_by ?? [name],
});

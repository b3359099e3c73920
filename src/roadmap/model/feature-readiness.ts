import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  getReachedPhase,
  hasCurrentPass,
  isFeatureAccepted,
  isFeatureBuilt,
  isFeatureDesigned,
  isPastDesignReview,
} from "./feature-progress.ts";
import type { FeatureRecord } from "./feature/feature-record.ts";
import { findFileOverlaps, serializeOverlaps } from "./file-ownership.ts";
import type { Lead } from "./lead/lead-state.ts";
import {
  getFeatureGoal,
  getFeatureWave,
  getLeadView,
  joinReviewKey,
  type LeadView,
  listActiveDependencies,
  listFeatureProposals,
  listFollowUpCauses,
} from "./lead/lead-view.ts";
import { getNextStep, type NextStep } from "./lead/next-step.ts";
import type { ReviewKind } from "./review/review-kinds.ts";

export const FEATURE_STEPS = ["design", "design review", "implementation", "implementation review"] as const;
type FeatureStep = (typeof FEATURE_STEPS)[number];

type StepReadiness =
  | { readonly is: "done" | "out" | "ready" }
  /** Reasons as text: `its design review`, `the gate of wave 1`. */
  | { readonly is: "waiting"; readonly for: readonly string[] }
  | { readonly is: "blocked"; readonly by: readonly FeatureName[] };

type StepTable = Readonly<Record<FeatureStep, StepReadiness>>;

export type FeatureReadiness = ReturnType<typeof listFeatureReadiness>[number];

export function formatStepReadiness(standing: StepReadiness): string {
  if (standing.is === "waiting") return `waits for ${standing.for.join(", ")}`;
  return standing.is === "blocked" ? `blocked by ${standing.by.join(", ")}` : standing.is;
}

/** The state of each step of each feature, by wave and name. Without a goal: the steps that could start. */
export function listFeatureReadiness(lead: Lead) {
  const view = getLeadView(lead);
  const isFinished = lead.run.isOn ? isFeatureAccepted : isFeatureBuilt;
  const waitsFor = serializeOverlaps(findFileOverlaps(view.order, isFinished));
  return view.order.map((record) => ({
    feature: record.feature_name,
    wave: record.roadmap?.wave ?? null,
    steps: applyLeadStep(view, record, {
      design: checkDesignStep(view, record),
      "design review": checkReviewStep(view, record, "design"),
      implementation: checkBuildStep(view, record, waitsFor.get(record.feature_name) ?? []),
      "implementation review": checkReviewStep(view, record, "impl"),
    }),
  }));
}

const isRunRequired = ({ lead }: LeadView, record: FeatureRecord): boolean => getFeatureGoal(lead, record) === "done";

function checkDesignStep(view: LeadView, record: FeatureRecord): StepReadiness {
  if (isFeatureDesigned(record)) return { is: "done" };
  if (record.phase === "blocked") return createBlockedReadiness(record);
  if (listAssignedKinds(view, record).includes("design")) return { is: "out" };
  if (getReachedPhase(record) !== "initialized") return { is: "ready" };
  return createWaitingReadiness(
    listUnmetDependencies(view, record, isFeatureDesigned).map((on) => `the design of ${on}`),
  );
}

function checkReviewStep(view: LeadView, record: FeatureRecord, kind: Exclude<ReviewKind, "dead-code">): StepReadiness {
  const isDesign = kind === "design";
  const isDone = isDesign
    ? isPastDesignReview(record)
    : isFeatureAccepted(record) && listFollowUpCauses(view, record).length === 0;
  if (isDone) return { is: "done" };
  if (record.phase === "blocked") return createBlockedReadiness(record);
  if (view.lead.reviews.has(joinReviewKey(record.feature_name, kind))) return { is: "out" };
  const isMade = isDesign ? isFeatureDesigned(record) : isFeatureBuilt(record);
  return createWaitingReadiness(isMade ? [] : [isDesign ? "its design" : "its implementation"]);
}

function checkBuildStep(view: LeadView, record: FeatureRecord, waitsFor: readonly FeatureName[]): StepReadiness {
  if (isFeatureBuilt(record)) return { is: "done" };
  if (record.phase === "blocked") return createBlockedReadiness(record);
  if (listAssignedKinds(view, record).some((kind) => ["tasks", "build", "gate"].includes(kind))) return { is: "out" };
  const { openWave, lead } = view;
  const isMandatory = isRunRequired(view, record);
  const isReviewed = isFeatureDesigned(record) && hasCurrentPass(record.reviews.design, record.design?.hash);
  const isLate = isMandatory && lead.run.isOn && openWave < getFeatureWave(record);
  return createWaitingReadiness([
    ...(isMandatory && !isReviewed ? ["its design review"] : []),
    ...(isMandatory || isFeatureDesigned(record) ? [] : ["its design"]),
    ...(listFeatureProposals(record).length > 0 ? ["an answer about steering"] : []),
    ...(isLate ? [`the gate of wave ${openWave}`] : []),
    ...listUnmetDependencies(view, record, isMandatory ? isFeatureAccepted : isFeatureBuilt),
    ...waitsFor.map((other) => `files of ${other}`),
  ]);
}

/** The Lead has more reasons to wait than the table above, and can resolve some that the table lists. */
function applyLeadStep(view: LeadView, record: FeatureRecord, table: StepTable): StepTable {
  const step = getNextStep(view, record);
  const at = mapLeadStep(view, record, step, table);
  if (at === undefined || (table[at].is !== "ready" && table[at].is !== "waiting")) return table;
  const out = view.outOf.get(record.feature_name) ?? [];
  if (out.some(({ action }) => action.kind === "spawn" || action.kind === "gate"))
    return { ...table, [at]: createWaitingReadiness(["the agent at work on it"]) };
  if (step.kind === "waiting")
    return table[at].is === "waiting" ? table : { ...table, [at]: createWaitingReadiness([step.why]) };
  const isAsked = step.kind === "structure" || step.kind === "follow-up" || step.kind === "agreement";
  return { ...table, [at]: createWaitingReadiness(isAsked ? ["the user's answer"] : []) };
}

const LEAD_STEPS: Readonly<Partial<Record<NextStep["kind"], FeatureStep>>> = {
  design: "design",
  structure: "design",
  "design-review": "design review",
  tasks: "implementation",
  build: "implementation",
  gate: "implementation",
  "impl-review": "implementation review",
  "follow-up": "implementation review",
};

function mapLeadStep(view: LeadView, record: FeatureRecord, step: NextStep, table: StepTable): FeatureStep | undefined {
  if (step.kind === "agreement") return step.of === "design" ? "implementation" : undefined;
  if (step.kind !== "waiting") return LEAD_STEPS[step.kind];
  const isRequired = isRunRequired(view, record);
  return FEATURE_STEPS.find((name) => table[name].is !== "done" && (!name.endsWith("review") || isRequired));
}

const listAssignedKinds = ({ outOf }: LeadView, { feature_name: name }: FeatureRecord): string[] =>
  (outOf.get(name) ?? []).map(({ action }) => (action.kind === "spawn" ? action.work.of : action.kind));

const listUnmetDependencies = (
  { lead: { features } }: LeadView,
  record: FeatureRecord,
  isThere: (on: FeatureRecord) => boolean,
): FeatureName[] =>
  listActiveDependencies(record).filter((name) => {
    const on = features.get(name);
    return on !== undefined && !on.blocked_info?.is_skipped && !isThere(on);
  });

const createWaitingReadiness = (reasons: readonly string[]): StepReadiness =>
  reasons.length > 0 ? { is: "waiting", for: reasons } : { is: "ready" };

const createBlockedReadiness = ({ feature_name: name, blocked_info: info }: FeatureRecord): StepReadiness => ({
  is: "blocked",
  by: info?.blocked_by ?? [name],
});

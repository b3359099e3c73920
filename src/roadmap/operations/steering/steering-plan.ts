import type * as z from "zod";
import type { DecisionEntry } from "../../model/handover/decision-log.ts";
import type { StorePlan, LockedStoreTree } from "#store/operations/ports/store.ts";
import type { SteeringDraft } from "./steering-draft.ts";
import type { ManageSteeringInputSchema, ManageSteeringOutputSchema } from "./schema.ts";
import type { RoadmapEngine } from "../engine.ts";
import { commitWithSession } from "../handover/commit-with-session.ts";
import { readNextStep } from "../handover/next-step.ts";

export type ManageSteeringCall = z.infer<typeof ManageSteeringInputSchema>;
export type ManageSteeringOutput = z.infer<typeof ManageSteeringOutputSchema>;
export type ManageSteeringInput = ManageSteeringCall & Pick<ManageSteeringOutput, "action">;

export type SteeringResult = Pick<ManageSteeringOutput, "written" | "kept" | "aside" | "notes"> &
  Pick<ManageSteeringOutput, "decision" | "profile">;

export const EMPTY_STEERING_RESULT: SteeringResult = { written: [], kept: [], aside: [], notes: [] };

interface SteeringDecision {
  readonly type?: DecisionEntry["type"];
  readonly summary: string;
  readonly decision?: string;
  readonly reason: string | undefined;
}

export function createSteeringPlan(
  draft: SteeringDraft,
  action: ManageSteeringInput["action"],
  { type = "STEERING_UPDATE", summary, decision = summary, reason }: SteeringDecision,
  done: Partial<SteeringResult> = {},
): StorePlan<SteeringResult> {
  const aside = [...draft.asides()];
  const touched = [...new Set([...draft.changed(), ...aside.map(({ from }) => from)])];
  const number = draft.decide({
    type,
    summary,
    context: `steering ${action}`,
    decision,
    reason: reason ?? "Asked for by the user.",
    impact: touched.join(", "),
    source: "user instruction",
  });
  return {
    steps: draft.steps(),
    keeps: draft.keeps(),
    occurrences: [
      { kind: `steering.${STEERING_EVENT_NAMES[action]}`, subject: `D${number}`, data: { summary, paths: touched } },
    ],
    result: { ...EMPTY_STEERING_RESULT, written: draft.changed(), aside, decision: `D${number}`, ...done },
  };
}

export const createUnchangedPlan = (done: Partial<SteeringResult>): StorePlan<SteeringResult> => ({
  steps: [],
  occurrences: [],
  result: { ...EMPTY_STEERING_RESULT, ...done },
});

const STEERING_EVENT_NAMES = {
  create: "created",
  update: "updated",
  delete: "deleted",
  custom: "added",
  profile: "filled",
  show: "shown",
} as const satisfies Record<ManageSteeringInput["action"], string>;

export const commitSteering = <T>(engine: RoadmapEngine, decide: (tree: LockedStoreTree) => StorePlan<T>): Promise<T> =>
  commitWithSession(engine, decide, (tree, { occurrences: [{ data = {} } = {}] }) => ({
    accomplished: `Steering: ${String(data["summary"])}`,
    next: readNextStep(tree, engine),
    files: data["paths"] as readonly string[],
  }));

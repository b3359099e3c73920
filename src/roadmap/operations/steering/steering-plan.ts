import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import type { FaultCode } from "#kernel/model/fault-codes.ts";
import { STEERING_FOLDER } from "#kernel/model/workspace-paths.ts";
import type { LockedStoreTree, StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import type { DecisionEntry } from "../../model/handover/decision-log.ts";
import type { RoadmapEngine } from "../engine.ts";
import { commitWithSession } from "../handover/commit-with-session.ts";
import { readNextStep } from "../handover/next-step.ts";
import type { ManageSteeringInputSchema, ManageSteeringOutputSchema } from "./schema.ts";
import { SteeringDraft } from "./steering-draft.ts";

export type ManageSteeringOutput = z.infer<typeof ManageSteeringOutputSchema>;
export type ManageSteeringInput = z.infer<typeof ManageSteeringInputSchema> & Pick<ManageSteeringOutput, "action">;
export type SteeringResult = Pick<
  ManageSteeringOutput,
  "written" | "kept" | "aside" | "notes" | "decision" | "profile"
>;

export const EMPTY_STEERING_RESULT: SteeringResult = { written: [], kept: [], aside: [], notes: [] };

const STEERING_EVENT_NAMES = {
  create: "created",
  update: "updated",
  delete: "deleted",
  custom: "added",
  profile: "filled",
  show: "shown",
} as const satisfies Record<ManageSteeringInput["action"], string>;

export function createSteeringPlan(
  draft: SteeringDraft,
  action: ManageSteeringInput["action"],
  said: Pick<DecisionEntry, "summary"> &
    Partial<Pick<DecisionEntry, "type" | "decision">> & { reason: string | undefined },
  done: Partial<SteeringResult> = {},
): StorePlan<SteeringResult> {
  const { type = "STEERING_UPDATE", summary, decision = summary, reason = "Requested by the user." } = said;
  const aside = [...draft.asides()];
  const paths = [...new Set([...draft.changed(), ...aside.map(({ from }) => from)])];
  const [context, impact] = [`steering ${action}`, paths.join(", ")];
  const number = `D${draft.decide({ type, summary, context, decision, reason, impact, source: "user instruction" })}`;
  return {
    steps: draft.steps(),
    keeps: draft.keeps(),
    occurrences: [{ kind: `steering.${STEERING_EVENT_NAMES[action]}`, subject: number, data: { summary, paths } }],
    result: { ...EMPTY_STEERING_RESULT, written: draft.changed(), aside, decision: number, ...done },
  };
}

export const createUnchangedPlan = (done: Partial<SteeringResult>): StorePlan<SteeringResult> => ({
  steps: [],
  occurrences: [],
  result: { ...EMPTY_STEERING_RESULT, ...done },
});

export const commitSteering = (
  engine: RoadmapEngine,
  decide: (draft: SteeringDraft, tree: LockedStoreTree) => StorePlan<SteeringResult>,
): Promise<SteeringResult> =>
  commitWithSession(
    engine,
    (tree) => decide(new SteeringDraft(tree, engine.clock.now()), tree),
    (tree, { occurrences: [{ data = {} } = {}] }) => ({
      accomplished: [`Steering: ${String(data["summary"])}`],
      next: readNextStep(tree, engine),
      files: data["paths"] as readonly string[],
    }),
  );

/** Each fix is advice or the input of the call to make instead. */
export function createSteeringFault(
  code: FaultCode,
  what: string,
  why: string,
  ...fixes: (string | Readonly<Record<string, unknown>>)[]
): Fault {
  const fix = fixes.map((each) => (typeof each === "string" ? each : { operation: "steering.manage", input: each }));
  return new Fault(code, { what, why, fix });
}

export const listSteeringFiles = (tree: Pick<StoreTree, "names">): string[] =>
  tree.names(STEERING_FOLDER).filter((name) => /\.md$/i.test(name) && !name.startsWith("."));

import type { OperationCall } from "../fault.ts";

interface FlowStage {
  readonly name: string;
  readonly isSkippable?: boolean;
}

export interface Flow {
  readonly stages: readonly FlowStage[];
}

/** A flow with its name in messages and the call that shows its state. */
export interface RunningFlow extends Flow {
  readonly name: string;
  readonly help: OperationCall;
}

export const STAGE_STATUSES = ["pending", "in_progress", "completed", "stale", "skipped"] as const;
export const FLOW_STATUSES = ["active", "completed", "abandoned", "archived"] as const;

export type StageStatus = (typeof STAGE_STATUSES)[number];
export type FlowStatus = (typeof FLOW_STATUSES)[number];

export interface StageEntry {
  readonly name: string;
  readonly status: StageStatus;
  readonly started_at?: string;
  readonly completed_at?: string;
  /** Why the artifact of this stage may be outdated: an earlier stage was reopened. */
  readonly stale_because?: string;
}

export interface FlowState {
  readonly stages: readonly StageEntry[];
  readonly current_stage: string;
  readonly status: FlowStatus;
}

export function createFlowState(flow: Flow, at: string): FlowState {
  const [first, ...rest] = flow.stages;
  if (!first) throw new RangeError("A flow has at least one stage.");
  return {
    stages: [
      { name: first.name, status: "in_progress", started_at: at },
      ...rest.map((stage): StageEntry => ({ name: stage.name, status: "pending" })),
    ],
    current_stage: first.name,
    status: "active",
  };
}

import type { Call } from "../fault.ts";

/** A stage of a flow, as declared. */
interface Stage {
  readonly name: string;
  readonly isSkippable?: boolean;
}

/** An ordered list of stages. */
export interface Flow {
  readonly stages: readonly Stage[];
}

/** A flow as one workflow runs it: with the name it has in messages, and the call that shows it. */
export interface RunningFlow extends Flow {
  readonly name: string;
  readonly help: Call;
}

export const STAGE_STATUSES = ["pending", "in_progress", "completed", "stale", "skipped"] as const;
export const FLOW_STATUSES = ["active", "completed", "abandoned", "archived"] as const;

export type StageStatus = (typeof STAGE_STATUSES)[number];
export type FlowStatus = (typeof FLOW_STATUSES)[number];

/** One stage of one workflow. Field names are those of the stored record. */
export interface StageEntry {
  readonly name: string;
  readonly status: StageStatus;
  readonly started_at?: string;
  readonly completed_at?: string;
  /** Why the artifact of this stage may no longer hold: an earlier stage was reopened. */
  readonly stale_because?: string;
}

export interface FlowState {
  readonly stages: readonly StageEntry[];
  readonly current_stage: string;
  readonly status: FlowStatus;
}

/** The first stage is open from the start. */
export function openFlow(flow: Flow, at: string): FlowState {
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

import { type OperationCall, Fault } from "../fault.ts";
import type { FaultCode } from "../fault-codes.ts";
import { quote } from "../text-format.ts";

export interface Flow<Name extends string = string> {
  readonly stages: readonly { readonly name: Name; readonly isSkippable?: boolean }[];
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

export interface StageEntry<Name extends string = string> {
  readonly name: Name;
  readonly status: StageStatus;
  readonly started_at?: string;
  readonly completed_at?: string;
  /** Why the artifact of this stage may be outdated: an earlier stage was reopened. */
  readonly stale_because?: string;
}

export interface FlowState<Name extends string = string> {
  readonly stages: readonly StageEntry<Name>[];
  readonly current_stage: Name;
  readonly status: FlowStatus;
}

export function createFlowState<Name extends string>(flow: Flow<Name>, at: string): FlowState<Name> {
  const [first, ...rest] = flow.stages;
  if (!first) throw new RangeError("A flow has at least one stage.");
  return {
    stages: [
      { name: first.name, status: "in_progress", started_at: at },
      ...rest.map((stage): StageEntry<Name> => ({ name: stage.name, status: "pending" })),
    ],
    current_stage: first.name,
    status: "active",
  };
}

export type FlowEvent =
  /** `end-stage` advances, or completes the flow at its last stage. */
  | { readonly kind: "advance" | "complete" | "end-stage" | "skip" | "abandon" | "archive"; readonly at: string }
  | { readonly kind: "reopen"; readonly at: string; readonly stage: string; readonly reason: string };

export type FlowEffect =
  | { readonly kind: "stage-completed" | "stage-skipped" | "stage-opened" | "stage-stale"; readonly stage: string }
  | { readonly kind: "flow-completed" | "flow-abandoned" | "flow-archived" | "flow-reopened" };

export type FlowTransition<Name extends string = string> = readonly [
  state: FlowState<Name>,
  effects: readonly FlowEffect[],
];

/** Pure. Throws a fault if the flow does not allow the event. */
export function transitionFlow(flow: RunningFlow, state: FlowState, event: FlowEvent): FlowTransition {
  switch (event.kind) {
    case "advance":
    case "skip":
      return leaveFlowStage(flow, state, event.kind, event.at);
    case "complete":
      return completeFlow(flow, state, event.at);
    case "end-stage":
      return isAtLastStage(state) && state.status === "active"
        ? completeFlow(flow, state, event.at)
        : leaveFlowStage(flow, state, "advance", event.at);
    case "reopen":
      return reopenFlowStage(flow, state, event.stage, event.reason, event.at);
    case "abandon":
      requireActiveFlow(flow, state, "abandoned");
      return [{ ...state, status: "abandoned" }, [{ kind: "flow-abandoned" }]];
    case "archive": {
      const what = `${flow.name} cannot be archived.`;
      if (state.status === "archived") throw createFlowFault(flow, "flow.archived", what, "It is archived already.");
      if (state.status === "active")
        throw createFlowFault(flow, "flow.unfinished", what, `Stage ${state.current_stage} is open.`);
      return [{ ...state, status: "archived" }, [{ kind: "flow-archived" }]];
    }
  }
}

/** Moves a record through the stages written in it, even if the stage tables changed since. */
export function transitionRecord<Kept extends FlowState & { readonly updated_at: string; readonly rev?: number }>(
  about: Omit<RunningFlow, "stages">,
  record: Kept,
  event: FlowEvent,
): readonly [record: Kept, effects: readonly FlowEffect[]] {
  const flow = { ...about, stages: record.stages.map(({ name }) => ({ name })) };
  const [state, effects] = transitionFlow(flow, record, event);
  const rev = record.rev === undefined ? {} : { rev: record.rev + 1 };
  return [{ ...record, ...state, ...rev, updated_at: event.at }, effects];
}

export const isAtLastStage = (state: FlowState): boolean => state.stages.at(-1)?.name === state.current_stage;

export const isOpenStageStale = ({ stages, current_stage }: Pick<FlowState, "stages" | "current_stage">): boolean =>
  stages.some(({ name, stale_because }) => name === current_stage && stale_because !== undefined);

function leaveFlowStage(flow: RunningFlow, state: FlowState, kind: "advance" | "skip", at: string): FlowTransition {
  requireActiveFlow(flow, state, "advanced");
  const index = findStageIndex(flow, state, state.current_stage);
  const next = state.stages[index + 1];
  const noNext = `${flow.name} has no next stage.`;
  if (!next) throw createFlowFault(flow, "flow.at-last-stage", noNext, "This is the last one.");
  const noSkip = `Stage ${state.current_stage} cannot be skipped.`;
  if (kind === "skip" && !flow.stages[index]?.isSkippable)
    throw createFlowFault(flow, "flow.not-skippable", noSkip, "The flow requires it.");
  const left = kind === "skip" ? ("skipped" as const) : ("completed" as const);
  const stages = state.stages.map((stage, i) => {
    if (i === index) return closeStage(stage, left, at);
    if (i === index + 1) return openStage(stage, at);
    return stage;
  });
  const leaving: FlowEffect = { kind: `stage-${left}`, stage: state.current_stage };
  return [{ ...state, stages, current_stage: next.name }, [leaving, { kind: "stage-opened", stage: next.name }]];
}

function completeFlow(flow: RunningFlow, state: FlowState, at: string): FlowTransition {
  requireActiveFlow(flow, state, "completed");
  if (!isAtLastStage(state)) {
    const why = `Stage ${state.current_stage} is open and others follow it.`;
    throw createFlowFault(flow, "flow.not-at-last-stage", `${flow.name} cannot be completed.`, why);
  }
  const stages = state.stages.map((stage) =>
    stage.name === state.current_stage ? closeStage(stage, "completed", at) : stage,
  );
  return [
    { ...state, stages, status: "completed" },
    [{ kind: "stage-completed", stage: state.current_stage }, { kind: "flow-completed" }],
  ];
}

/** Later stages become stale with the reason. Nothing is removed. */
function reopenFlowStage(
  flow: RunningFlow,
  state: FlowState,
  stage: string,
  reason: string,
  at: string,
): FlowTransition {
  const what = `Stage ${quote(stage)} cannot be reopened.`;
  const target = findStageIndex(flow, state, stage);
  const current = findStageIndex(flow, state, state.current_stage);
  if (state.status === "archived") throw createFlowFault(flow, "flow.archived", what, `${flow.name} is archived.`);
  const isEarlier = target < current || (target === current && state.status !== "active");
  if (!isEarlier)
    throw createFlowFault(flow, "flow.not-earlier", what, `Only a stage before ${state.current_stage} can be.`);
  const stale: FlowEffect[] = [];
  const stages = state.stages.map((entry, i) => {
    if (i === target) return { ...openStage(entry, at), ...(hasStageArtifact(entry) ? { stale_because: reason } : {}) };
    if (i < target) return entry;
    if (!hasStageArtifact(entry)) return { name: entry.name, status: "pending" as const };
    stale.push({ kind: "stage-stale", stage: entry.name });
    return { ...entry, status: "stale" as const, stale_because: reason };
  });
  const reopened: FlowEffect[] = state.status === "active" ? [] : [{ kind: "flow-reopened" }];
  return [
    { ...state, stages, current_stage: stage, status: "active" },
    [...reopened, { kind: "stage-opened", stage }, ...stale],
  ];
}

export function requireActiveFlow(flow: RunningFlow, state: FlowState, verb: string): void {
  if (state.status === "active") return;
  throw createFlowFault(flow, "flow.not-active", `${flow.name} cannot be ${verb}.`, `It is ${state.status}.`);
}

function findStageIndex(flow: RunningFlow, state: FlowState, name: string): number {
  const index = state.stages.findIndex((stage) => stage.name === name);
  if (index >= 0) return index;
  const names = state.stages.map((stage) => stage.name).join(", ");
  const what = `${flow.name} has no stage ${quote(name)}.`;
  throw createFlowFault(flow, "flow.unknown-stage", what, `The stages are ${names}.`);
}

const createFlowFault = (flow: RunningFlow, code: FaultCode, what: string, why: string): Fault =>
  new Fault(code, { what, why, fix: flow.help });

/** An open or skipped stage has an artifact only if it was completed before. */
export const hasStageArtifact = (stage: StageEntry): boolean =>
  stage.status === "completed" || stage.stale_because != null;

/** Keeps `stale_because` until the stage is completed again. */
function openStage<Name extends string>(stage: StageEntry<Name>, at: string): StageEntry<Name> {
  const { completed_at: _, ...rest } = stage;
  return { ...rest, status: "in_progress", started_at: at };
}

function closeStage(stage: StageEntry, status: "completed" | "skipped", at: string): StageEntry {
  if (status === "skipped") return { ...stage, status, completed_at: at };
  const { stale_because: _, ...rest } = stage;
  return { ...rest, status, completed_at: at };
}

/** Done stages stay, even if the new flow lacks them. Those after the first open stage become stale. */
export function changeFlowStages<Name extends string>(
  flow: RunningFlow,
  state: FlowState<Name>,
  to: Flow<Name>,
  reason: string,
  at: string,
): FlowTransition<Name> {
  requireActiveFlow(flow, state, "resized");
  const merged = mergeFlowStages(state.stages, to);
  const current = merged.findIndex((entry) => !isStageDone(entry));
  const opened = merged[current];
  if (!opened) throw new RangeError("An active workflow has a stage that is not done.");
  const effects: FlowEffect[] =
    opened.name === state.current_stage ? [] : [{ kind: "stage-opened", stage: opened.name }];
  const stages = merged.map((entry, i): StageEntry<Name> => {
    if (i < current) return entry;
    if (i === current) return entry.status === "in_progress" ? entry : openStage(entry, at);
    if (!hasStageArtifact(entry)) return { name: entry.name, status: "pending" };
    if (entry.status === "completed") effects.push({ kind: "stage-stale", stage: entry.name });
    return { ...entry, status: "stale", stale_because: entry.stale_because ?? reason };
  });
  return [{ ...state, stages, current_stage: opened.name }, effects];
}

const isStageDone = ({ status }: StageEntry): boolean => status === "completed" || status === "skipped";

/** Keeps done stages that only the earlier flow has, at their old position. */
function mergeFlowStages<Name extends string>(before: readonly StageEntry<Name>[], to: Flow<Name>): StageEntry<Name>[] {
  const wanted = new Set(to.stages.map(({ name }) => name));
  const placeOf = new Map(before.map(({ name }, i) => [name, i]));
  const leftOver = before.filter((entry) => !wanted.has(entry.name) && (isStageDone(entry) || hasStageArtifact(entry)));
  const merged: StageEntry<Name>[] = [];
  const takeUpTo = (place: number): void => {
    while (leftOver[0] && (placeOf.get(leftOver[0].name) ?? 0) < place) merged.push(...leftOver.splice(0, 1));
  };
  for (const [i, { name }] of to.stages.entries()) {
    const next = to.stages.slice(i).find((stage) => placeOf.has(stage.name));
    takeUpTo(next ? (placeOf.get(next.name) ?? 0) : before.length);
    merged.push(before[placeOf.get(name) ?? -1] ?? { name, status: "pending" });
  }
  return [...merged, ...leftOver];
}

import { type OperationCall, Fault } from "#kernel/model/fault.ts";
import {
  transitionRecord,
  createFlowState,
  type FlowEffect,
  type FlowEvent,
  changeFlowStages,
  hasStageArtifact,
  requireActiveFlow,
} from "#kernel/model/flow/flow-engine.ts";
import { quote } from "#kernel/model/text-format.ts";
import { MAX_UNFINISHED_WORK } from "../workflow/work-queue.ts";
import {
  buildChangeFlow,
  type ChangeSize,
  type ChangeType,
  type ChangeId,
  createChangeId,
  CHANGE_SIZES,
} from "#kernel/model/stages/change-stages.ts";
import type { ChangeGrowth, ChangeRecord, ContextCheck } from "./change-record.ts";

export interface ChangeProposal {
  readonly type: ChangeType;
  readonly size: ChangeSize;
  readonly description: string;
  readonly concurrent?: boolean | undefined;
  readonly base_commit?: string | undefined;
}

export type ChangeTransition = readonly [record: ChangeRecord, effects: readonly FlowEffect[]];

export function beginChange(
  proposal: ChangeProposal,
  unfinished: readonly ChangeRecord[],
  isTaken: (id: string) => boolean,
  at: string,
  workflows = 0,
): ChangeRecord {
  const { type, size, description, concurrent, base_commit } = proposal;
  const asTwo = { operation: "change.start", input: { type, size, description, concurrent: true } };
  const what = `The change ${quote(description, 60)} cannot begin.`;
  requireChangeCapacity(unfinished, what, { workflows, ...(concurrent ? {} : { asTwo }) });
  return {
    id: createChangeId(description, isTaken),
    type,
    size,
    description: description.trim(),
    ...createFlowState(buildChangeFlow(type, size), at),
    adrs: [],
    created_at: at,
    updated_at: at,
    ...(base_commit ? { base_commit } : {}),
    schema: 1,
    rev: 1,
  };
}

export const advanceChange = (record: ChangeRecord, at: string): ChangeTransition =>
  transitionChange(record, { kind: "end-stage", at });

export function reopenChange(record: ChangeRecord, stage: string, reason: string, at: string): ChangeTransition {
  const [{ abandoned, ...reopened }, effects] = transitionChange(record, { kind: "reopen", stage, reason, at });
  const reopening = { stage, reason, at, ...(abandoned ? { abandoned } : {}) };
  return [{ ...reopened, reopenings: [...(record.reopenings ?? []), reopening] }, effects];
}

export function abandonChange(record: ChangeRecord, reason: string, at: string): ChangeTransition {
  const [abandoned, effects] = transitionChange(record, { kind: "abandon", at });
  return [{ ...abandoned, abandoned: { reason, at } }, effects];
}

export const archiveChange = (record: ChangeRecord, at: string): ChangeTransition =>
  transitionChange(record, { kind: "archive", at });

const transitionChange = (record: ChangeRecord, event: FlowEvent): ChangeTransition =>
  transitionRecord(describeChangeFlow(record), record, event);

const describeChangeFlow = ({ id }: ChangeRecord) => ({
  name: id,
  help: { operation: "change.status", input: { change_id: id } },
});

export function addDecisionToChange(record: ChangeRecord, id: string, at: string): ChangeRecord {
  return { ...record, adrs: [...record.adrs, id], updated_at: at, rev: record.rev + 1 };
}

/** Leaves the record unchanged if the check found the same facts on the same tree. */
export function storeContextCheck(record: ChangeRecord, check: ContextCheck): ChangeRecord {
  const { context_check: before } = record;
  const isSame = before?.tree === check.tree && JSON.stringify(before.facts) === JSON.stringify(check.facts);
  return isSame ? record : { ...record, context_check: check, updated_at: check.at, rev: record.rev + 1 };
}

/**
 * Faults if `MAX_UNFINISHED` changes and workflows are unfinished. If `asTwo` is given, also faults on an active change
 * and offers that call.
 */
export function requireChangeCapacity(
  unfinished: readonly ChangeRecord[],
  what: string,
  { workflows = 0, asTwo }: { readonly workflows?: number; readonly asTwo?: OperationCall } = {},
): void {
  if (unfinished.length + workflows >= MAX_UNFINISHED_WORK) {
    const counted = `${unfinished.length} changes${workflows > 0 ? ` and ${workflows} workflows` : ""}`;
    throw new Fault("change.too-many", {
      what,
      why: `${counted} are unfinished, and ${MAX_UNFINISHED_WORK} is the most.`,
      fix: workflows > 0 ? { operation: "workflow.status" } : { operation: "change.list", input: { status: "active" } },
    });
  }
  const active = unfinished[0];
  if (!active || !asTwo) return;
  throw new Fault("change.already-active", {
    what,
    why:
      unfinished.length > 1
        ? `${formatChangeIdList(unfinished)} are active.`
        : `${active.id} is active, at stage ${active.current_stage}.`,
    fix: [
      { operation: "change.advance", input: { change_id: active.id, content: "…" } },
      { operation: "change.abandon", input: { change_id: active.id, reason: "…" } },
      asTwo,
    ],
  });
}

export function requireOnlyActiveChange(unfinished: readonly ChangeRecord[], operation: string): ChangeRecord {
  const [first, second] = unfinished;
  if (first && !second) return first;
  if (!first) {
    throw new Fault("change.none-active", {
      what: "There is no active change.",
      why: "None was named, and none is under way.",
      fix: [
        { operation: "change.start", input: { type: "fix", size: "small", description: "…" } },
        { operation: "change.list" },
      ],
    });
  }
  throw new Fault("change.ambiguous", {
    what: "It is not clear which change is meant.",
    why: `${formatChangeIdList(unfinished)} are active.`,
    fix: unfinished.map((change) => ({ operation, input: { change_id: change.id } })),
  });
}

export function createUnknownChangeFault(id: ChangeId): Fault {
  return new Fault("change.unknown", {
    what: `There is no change ${id}.`,
    why: "Neither sdd/changes nor sdd/history has a record of that name.",
    fix: { operation: "change.list" },
  });
}

const formatChangeIdList = (changes: readonly ChangeRecord[]): string =>
  new Intl.ListFormat("en-GB").format(changes.map(({ id }) => id));

/** Also records the decision to keep the current size although the change grew. */
export function resizeChange(
  record: ChangeRecord,
  size: ChangeSize,
  reason: string,
  at: string,
  growth?: ChangeGrowth,
): ChangeTransition {
  const flow = { ...describeChangeFlow(record), stages: record.stages };
  requireActiveFlow(flow, record, "given another size");
  if (CHANGE_SIZES.indexOf(size) < CHANGE_SIZES.indexOf(record.size)) requireNoCompletedStageLost(record, size);
  const [state, effects] =
    size === record.size
      ? ([record, []] as const)
      : changeFlowStages(flow, record, buildChangeFlow(record.type, size), `The change became ${size}: ${reason}`, at);
  const sizing = { from: record.size, to: size, reason, at, ...growth };
  return [
    { ...record, ...state, size, sizings: [...(record.sizings ?? []), sizing], updated_at: at, rev: record.rev + 1 },
    effects,
  ];
}

function requireNoCompletedStageLost(record: ChangeRecord, size: ChangeSize): void {
  const stages = new Set(buildChangeFlow(record.type, size).stages.map(({ name }) => name));
  const lost = record.stages
    .filter((stage) => hasStageArtifact(stage) && !stages.has(stage.name))
    .map(({ name }) => name);
  if (lost.length === 0) return;
  throw new Fault("change.not-smaller", {
    what: `${record.id} cannot become ${size}.`,
    why: `A ${size} ${record.type} has no stage ${lost.join(" and no stage ")}, and that is done already.`,
    fix: { operation: "change.resize", input: { change_id: record.id, size: record.size, reason: "…" } },
  });
}

/** Accepts extra stages that were done while the change had a different size. */
export function hasExpectedChangeFlow({ type, size, stages, sizings = [] }: ChangeRecord): boolean {
  const own = buildChangeFlow(type, size).stages.map(({ name }) => name);
  const earlier = new Set(sizings.flatMap(({ from }) => buildChangeFlow(type, from).stages.map(({ name }) => name)));
  const names = stages.map(({ name }) => name).filter((name) => own.includes(name) || !earlier.has(name));
  return names.join() === own.join();
}

import { type OperationCall, Fault } from "#kernel/model/fault.ts";
import * as flowEngine from "#kernel/model/flow/flow-engine.ts";
import { quote } from "#kernel/model/text-format.ts";
import { MAX_UNFINISHED_WORK } from "../workflow/work-queue.ts";
import { buildChangeFlow, type ChangeSize, createChangeId, CHANGE_SIZES } from "#kernel/model/stages/change-stages.ts";
import type { ChangeGrowth, ChangeRecord, ContextCheck } from "./change-record.ts";

export type ChangeTransition = readonly [record: ChangeRecord, effects: readonly flowEngine.FlowEffect[]];

export function beginChange(
  proposal: Pick<ChangeRecord, "type" | "size" | "description"> & {
    readonly concurrent?: boolean | undefined;
    readonly base_commit?: string | undefined;
  },
  unfinished: readonly ChangeRecord[],
  isTaken: (id: string) => boolean,
  at: string,
  workflows = 0,
): ChangeRecord {
  const { type, size, description, concurrent, base_commit } = proposal;
  const asTwo =
    size === "quick"
      ? { operation: "change.quick", input: { description, concurrent: true } }
      : { operation: "change.start", input: { type, size, description, concurrent: true } };
  const what = `The change ${quote(description, 60)} cannot start.`;
  requireChangeCapacity(unfinished, what, workflows, concurrent ? undefined : asTwo);
  return {
    id: createChangeId(description, isTaken),
    type,
    size,
    description: description.trim(),
    ...flowEngine.createFlowState(buildChangeFlow(type, size), at),
    adrs: [],
    created_at: at,
    updated_at: at,
    ...(base_commit ? { base_commit } : {}),
    needs_receipt: true,
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

const transitionChange = (record: ChangeRecord, event: flowEngine.FlowEvent): ChangeTransition =>
  flowEngine.transitionRecord(describeChangeFlow(record), record, event);

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

/** Faults at the limit of unfinished work. With `asTwo`, also faults on an active change, and offers that call. */
export function requireChangeCapacity(
  open: readonly ChangeRecord[],
  what: string,
  workflows = 0,
  asTwo?: OperationCall,
) {
  if (open.length + workflows >= MAX_UNFINISHED_WORK) {
    const counted = `${open.length} changes${workflows > 0 ? ` and ${workflows} workflows` : ""}`;
    throw new Fault("change.too-many", {
      what,
      why: `${counted} are unfinished; the limit is ${MAX_UNFINISHED_WORK}.`,
      fix: workflows > 0 ? { operation: "workflow.status" } : { operation: "change.list", input: { status: "active" } },
    });
  }
  const active = open[0];
  if (!active || !asTwo) return;
  const only = `${active.id} is active, at stage ${active.current_stage}.`;
  throw new Fault("change.already-active", {
    what,
    why: open.length > 1 ? `${formatChangeIdList(open)} are active.` : only,
    fix: [
      active.size === "quick"
        ? { operation: "change.quick", input: { done: true, change_id: active.id } }
        : { operation: "change.advance", input: { change_id: active.id, content: "…" } },
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
      what: "No change is in progress.",
      why: "You named none, and none is active.",
      fix: [
        { operation: "change.start", input: { type: "fix", size: "small", description: "…" } },
        { operation: "change.list" },
      ],
    });
  }
  throw new Fault("change.ambiguous", {
    what: "Several changes are active. Name one by its id.",
    why: `Active: ${formatChangeIdList(unfinished)}.`,
    fix: unfinished.map((change) => ({ operation, input: { change_id: change.id } })),
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
  growth?: Partial<ChangeGrowth>,
): ChangeTransition {
  const flow = { ...describeChangeFlow(record), stages: record.stages };
  flowEngine.requireActiveFlow(flow, record, "resized");
  const resized = buildChangeFlow(record.type, size);
  const isSmaller = CHANGE_SIZES.indexOf(size) < CHANGE_SIZES.indexOf(record.size);
  const done = isSmaller ? record.stages.filter(flowEngine.hasStageArtifact).map(({ name }) => name) : [];
  const lost = done.filter((name) => resized.stages.every((stage) => stage.name !== name));
  if (lost.length > 0) {
    throw new Fault("change.not-smaller", {
      what: `${record.id} cannot become ${size}.`,
      why: `A ${size} ${record.type} has no stage ${lost.join(" and no stage ")}, and that stage is done.`,
      fix: { operation: "change.resize", input: { change_id: record.id, size: record.size, reason: "…" } },
    });
  }
  const [state, effects] =
    size === record.size
      ? ([record, []] as const)
      : flowEngine.changeFlowStages(flow, record, resized, `The change became ${size}: ${reason}`, at);
  const sizing = { from: record.size, to: size, reason, at, ...growth };
  const sizings = [...(record.sizings ?? []), sizing];
  return [{ ...record, ...state, size, sizings, updated_at: at, rev: record.rev + 1 }, effects];
}

/** Accepts extra stages that were done while the change had a different size. */
export function hasExpectedChangeFlow({ type, size, stages, sizings = [] }: ChangeRecord): boolean {
  const listStages = (of: ChangeSize) => buildChangeFlow(type, of).stages.map(({ name }) => name);
  const own = listStages(size);
  const earlier = new Set(sizings.flatMap(({ from }) => listStages(from)));
  const names = stages.map(({ name }) => name).filter((name) => own.includes(name) || !earlier.has(name));
  return names.join() === own.join();
}

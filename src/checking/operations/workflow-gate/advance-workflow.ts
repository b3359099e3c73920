import type * as z from "zod";
import { suggestCommitCommand } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import {
  findStageGate,
  findSpecStatusAfterStage,
  type WorkflowSnapshot,
  type WorkflowRecord,
} from "#planning/model/workflow/workflow-record.ts";
import { advanceWorkflowRecord } from "#planning/model/workflow/workflow-lifecycle.ts";
import type { CheckingEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import {
  suggestUnknownCheckSteps,
  formatGateAttempts,
  formatOpenChecks,
  viewGateAttempts,
  viewGateCheck,
  formatWaivedChecks,
  suggestFailedGateSteps,
  recordGateProof,
  recordGateVerdict,
  type GateProof,
  createGateProof,
} from "../gate/gate-result.ts";
import { refreshIndexAfterStage } from "#code/operations/index/refresh-index.ts";
import { findLastReceipt } from "../gate/receipt-files.ts";
import { updateSpecStatus } from "#planning/operations/spec/spec-files.ts";
import type { LockedStoreTree } from "#store/operations/ports/store.ts";
import { acceptFinishedWork, collectWorkflowAcceptances } from "#code/operations/trace/accept-requirements.ts";
import type { AcceptanceInput } from "#code/operations/trace/acceptance-records.ts";
import {
  type WorkflowDraft,
  resolveWorkflow,
  loadWorkRuntime,
  resolveSession,
} from "#planning/operations/workflow/workflow-runtime.ts";
import { judgeStageGate, type GateJudgement } from "./judge-stage.ts";
import {
  dropWorkflowRefs,
  dropSnapshotRefs,
  storeSnapshot,
  takeWorkflowSnapshot,
  writeWithSnapshots,
  lockSessionWork,
  detectSessionWork,
  type SessionWork,
  addSessionLocks,
} from "#planning/operations/workflow/workflow-snapshots.ts";
import {
  extendWorkflowTimebox,
  warnTimeboxEnd,
  syncWorkflowState,
  requireWritableWorkflow,
  writeWorkflow,
  finishWork,
} from "#planning/operations/workflow/workflow-writes.ts";
import {
  suggestNextCalls,
  loadOpenStage,
  rejectOtherWorktree,
  createWorkflowView,
  formatWorkflowPage,
  formatWorktreeNote,
} from "#planning/operations/workflow/workflow-view.ts";
import type { AdvanceWorkflowInput } from "#planning/operations/workflow/schema.ts";
import { isSpecOfKind } from "#planning/model/spec/spec-checks.ts";
import type { ResearchSpec } from "#planning/model/spec/bug-research-specs.ts";
import { planDecisionRecord } from "#planning/operations/adr/record-decision.ts";

type AdvanceWorkflowRequest = z.infer<typeof AdvanceWorkflowInput>;

interface AdvanceAttempt {
  readonly record: WorkflowRecord;
  readonly session: string;
  readonly judged: GateJudgement;
  readonly work: SessionWork | undefined;
  readonly isOnlyLooking: boolean;
  readonly snapshot?: WorkflowSnapshot | undefined;
  readonly specText?: string | undefined;
  readonly proof?: GateProof | undefined;
  readonly carried?: readonly AcceptanceInput[] | undefined;
}

export const advanceWorkflowOperation = defineOperation({
  id: "workflow.advance",
  effect: "change",
  isLong: true,
  input: async () => (await import("#planning/operations/workflow/schema.ts")).AdvanceWorkflowInput,
  output: async () => (await import("#planning/operations/workflow/schema.ts")).AdvanceWorkflowOutput,
  async run(engine: CheckingEngine, input) {
    await syncWorkflowState(engine);
    if (input.extend !== undefined) return extendResearchTimebox(engine, input, input.extend);
    const attempt = await judgeCurrentStage(engine, input);
    const { judged, isOnlyLooking, session } = attempt;
    const isMoving = judged.passed && !isOnlyLooking;
    const proof = isOnlyLooking ? undefined : await createGateProof(engine, attempt.record, judged, isMoving);
    const ready = { ...attempt, ...(isMoving ? await prepareStageCompletion(engine, attempt) : {}), proof };
    const write = () =>
      writeWorkflow(engine, { id: ready.record.id, session }, (draft, now, tree) =>
        recordAdvance(engine, draft, now, tree, ready),
      );
    const { record, notes, gone, receipt } = await writeWithSnapshots(engine, [ready.snapshot], write);
    await (record.status === "completed" ? dropWorkflowRefs(engine, record.id) : dropSnapshotRefs(engine, gone));
    if (isMoving) await refreshIndexAfterStage(engine);
    const runtime = await engine.store.read(loadWorkRuntime);
    return {
      passed: judged.passed,
      gate: judged.gate.name,
      checks: judged.checks.map(viewGateCheck),
      attempts: viewGateAttempts(judged),
      receipt,
      workflow: createWorkflowView(record, runtime, session, engine.clock.now()),
      next: isMoving && record.status === "active" ? await loadOpenStage(engine, record) : undefined,
      notes,
    };
  },
  page({ passed, extended: by, gate, checks, attempts, receipt, workflow, next, notes }) {
    if (by !== undefined) return formatWorkflowPage(`${workflow.id} has ${by} more.`, workflow);
    if (!passed) {
      const open = checks.filter(({ status }) => status === "failed" || status === "unknown");
      const isUnagreed = open.some(({ check }) => check === "spec-unchanged" || check === "approval");
      return {
        title: `Stage ${workflow.stage} of ${workflow.id} stays open: ${gate} does not pass.`,
        points: [...formatOpenChecks(open), ...formatGateAttempts(attempts), ...notes],
        next: [
          ...suggestUnknownCheckSteps(open),
          ...suggestNextCalls(workflow, isUnagreed),
          ...suggestFailedGateSteps(workflow, attempts),
        ],
      };
    }
    const title =
      workflow.status === "completed"
        ? `${workflow.id} is completed${workflow.adr ? `; ${workflow.adr} is recorded` : ""}.`
        : next
          ? `${gate} has passed; stage ${next.stage} of ${workflow.id} is open.`
          : `${gate} would pass now.`;
    return {
      ...formatWorkflowPage(title, workflow),
      points: [
        ...formatWaivedChecks(checks),
        ...formatGateAttempts(attempts),
        ...notes,
        ...(receipt ? [`Receipt ${receipt}.`] : []),
      ],
      ...(next ? { guide: next.guide } : {}),
      next: [
        ...suggestNextCalls(workflow),
        ...(workflow.status === "completed" ? [suggestCommitCommand(workflow.id, workflow.title)] : []),
      ],
    };
  },
  isRefusal: ({ passed, extended: by }) => !passed && by === undefined,
});

async function extendResearchTimebox(engine: CheckingEngine, input: AdvanceWorkflowRequest, by: string) {
  const session = resolveSession(engine, input.session);
  const record = await extendWorkflowTimebox(engine, { id: input.id, session }, by, input.reason);
  const runtime = await engine.store.read(loadWorkRuntime);
  return {
    // No gate ran, so none has passed.
    passed: false,
    extended: by,
    gate: findStageGate(record.kind, record.current_stage).name,
    checks: [],
    attempts: [],
    workflow: createWorkflowView(record, runtime, session, engine.clock.now()),
    notes: [],
  };
}

async function judgeCurrentStage(engine: CheckingEngine, input: AdvanceWorkflowRequest): Promise<AdvanceAttempt> {
  const session = resolveSession(engine, input.session);
  const runtime = await engine.store.read(loadWorkRuntime);
  const { id } = resolveWorkflow(runtime, { id: input.id, session }, "workflow.advance");
  const record = requireWritableWorkflow(runtime, id, session);
  rejectOtherWorktree(engine, record);
  if (input.stage !== undefined && input.stage !== record.current_stage)
    throw createStageMismatchFault(record, input.stage);
  const isOnlyLooking = input.check ?? false;
  const work = await detectSessionWork(engine, runtime, session);
  const judged = await judgeStageGate(engine, record, { session, approver: input.approve, isOnlyLooking });
  return { record, session, judged, work: work?.workflow === record.id ? work : undefined, isOnlyLooking };
}

/** Slow work happens before the store lock is taken. */
async function prepareStageCompletion(
  engine: CheckingEngine,
  { record, judged, work }: AdvanceAttempt,
): Promise<Pick<AdvanceAttempt, "snapshot" | "specText" | "carried">> {
  const runtime = await engine.store.read(loadWorkRuntime);
  const isLast = record.stages.at(-1)?.name === record.current_stage;
  // A rollback returns to the end of a stage. After the last stage a rollback is not possible.
  const snapshot = isLast
    ? undefined
    : await takeWorkflowSnapshot(engine, addSessionLocks(runtime, work), record, "stage");
  const status = findSpecStatusAfterStage(record.kind, record.current_stage);
  const day = engine.clock.now();
  const dates = { updated: day, resolved: status === "done" ? day : undefined };
  const specText = status && judged.spec && (await updateSpecStatus(engine, judged.spec.text, status, dates));
  const isBuilt = isLast && judged.gate.commands.length > 0;
  return { snapshot, specText, carried: isBuilt ? await collectWorkflowAcceptances(engine, record) : undefined };
}

interface AdvanceOutcome {
  readonly record: WorkflowRecord;
  readonly notes: string[];
  readonly gone: readonly WorkflowSnapshot[];
  readonly receipt?: string | undefined;
}

function recordAdvance(
  engine: CheckingEngine,
  draft: WorkflowDraft,
  now: WorkflowRecord,
  tree: LockedStoreTree,
  attempt: AdvanceAttempt,
): AdvanceOutcome {
  const { record: seen, judged, isOnlyLooking } = attempt;
  if (now.current_stage !== seen.current_stage) throw createStageMismatchFault(now, seen.current_stage);
  const { spec } = judged;
  if (spec && tree.text(spec.path) !== spec.text) {
    throw new Fault("store.conflict", {
      what: `${spec.path} was not written.`,
      why: "It was changed while its gate was being looked at.",
      fix: { operation: "workflow.advance" },
    });
  }
  lockSessionWork(draft, attempt.work);
  const approval = isOnlyLooking ? undefined : judged.approval;
  const seenAs = { tree: attempt.work?.tree, approval, isOnlyLooking };
  const judgedRecord = recordGateVerdict(engine, { draft, tree }, now, judged, seenAs);
  const receipt = recordGateProof(engine, draft, tree, attempt.proof);
  if (judged.passed && !isOnlyLooking) {
    const moved = completeWorkflowStage(draft, tree, judgedRecord, attempt);
    const shown = receipt ?? findLastReceipt(tree, engine, seen.id, judged.gate.name);
    const notes = acceptFinishedWork(draft, tree, attempt.carried ?? [], { receipt: shown, by: attempt.session });
    return { ...moved, notes: [...moved.notes, ...notes], receipt };
  }
  const kept = approval ? [`${approval.by}'s word is kept, for the spec as it is now.`] : [];
  const notes = [...kept, ...(judged.ran?.notes ?? []), ...warnTimeboxEnd(draft, seen.id)];
  return { record: draft.workflow(seen.id) ?? judgedRecord, notes, gone: [], receipt };
}

function completeWorkflowStage(
  draft: WorkflowDraft,
  tree: LockedStoreTree,
  record: WorkflowRecord,
  attempt: AdvanceAttempt,
): AdvanceOutcome {
  const { judged, snapshot, specText } = attempt;
  const [moved, effects] = advanceWorkflowRecord(record, draft.at);
  const isDone = moved.status === "completed";
  const adr = isDone && record.kind === "research" ? recordResearchDecision(draft, tree, record, judged) : undefined;
  if (specText !== undefined && judged.spec) draft.step({ kind: "document", path: judged.spec.path, text: specText });
  const settled = adr ? { ...moved, adr } : moved;
  draft.putWorkflow(settled);
  for (const { kind, ...data } of effects) draft.say(`workflow.${kind.replace("flow-", "")}`, record.id, data);
  const gone = storeSnapshot(draft, snapshot);
  if (isDone) finishWork(draft, record.id);
  const apart = isDone && record.worktree ? [formatWorktreeNote(record.worktree)] : [];
  return { record: draft.workflow(record.id) ?? settled, notes: [...(judged.ran?.notes ?? []), ...apart], gone };
}

function createStageMismatchFault({ id, current_stage, status }: WorkflowRecord, meant: string): Fault {
  return new Fault("workflow.other-stage", {
    what: `Stage ${meant} of ${id} is not open.`,
    why:
      status === "active"
        ? `Stage ${current_stage} is: the call was made before, or it has moved on.`
        : `It is ${status}.`,
    fix: { operation: "workflow.status", input: { id } },
  });
}

/** The write that completes a research workflow also records its decision. */
export function recordResearchDecision(
  draft: WorkflowDraft,
  tree: LockedStoreTree,
  record: WorkflowRecord,
  { spec, approval }: GateJudgement,
): string | undefined {
  const document = spec?.document;
  if (!document || !isSpecOfKind("research", document)) return undefined;
  const approver = (approval ?? record.approvals.at(-1))?.by;
  const input = { ...createDecisionInput(document.spec, record, approver), standalone: true };
  const plan = planDecisionRecord(tree, input, draft.at);
  draft.step(...plan.steps);
  for (const [name, value] of Object.entries(plan.counters ?? {})) draft.count(name, value);
  for (const { kind, subject, data } of plan.occurrences) draft.say(kind, subject, data);
  return plan.result.adr.ref;
}

function createDecisionInput(spec: ResearchSpec, { id, title }: WorkflowRecord, approver: string | undefined) {
  const { options } = spec;
  const chosen = spec.decision.option ?? spec.recommendation.option ?? "";
  const rejected = options.filter(({ name }) => name !== chosen);
  return {
    title: `${title}: ${chosen}`.slice(0, 200),
    context: `${title}\n\nResearch ${id} compared ${options.map(({ name }) => name).join(", ")}.`,
    decision: `${chosen}${approver ? `\n\nAgreed by ${approver}.` : ""}`,
    rationale: spec.recommendation.rationale ?? "",
    ...(rejected.length > 0 ? { alternatives_rejected: rejected.map(formatRejectedOption).join("\n\n") } : {}),
  };
}

const formatRejectedOption = ({ name, description = "", pros, cons, cost }: ResearchSpec["options"][number]): string =>
  [
    `### ${name}`,
    description,
    ...pros.map((each) => `- for it: ${each}`),
    ...cons.map((each) => `- against it: ${each}`),
    ...(cost === undefined ? [] : [`- cost: ${cost}`]),
  ].join("\n");

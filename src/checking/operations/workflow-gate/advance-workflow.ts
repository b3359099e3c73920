import type * as z from "zod";
import { suggestCommitCommand } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import { formatApprover } from "#planning/model/approval/approval-proof.ts";
import {
  formatQuestionPoints,
  suggestQuestionSteps,
  viewOpenQuestion,
} from "#planning/operations/approval/ask-approval.ts";
import type { TestRemoval, WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import { findStageGate, SPEC_STATUS_AFTER_STAGE } from "#planning/model/workflow/workflow-record.ts";
import { advanceWorkflowRecord } from "#planning/model/workflow/workflow-lifecycle.ts";
import type { CheckingEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import {
  suggestUnknownCheckSteps,
  formatGateAttempts,
  formatOpenChecks,
  isOpenCheck,
  viewGateJudgement,
  formatWaivedChecks,
  suggestClaims,
  suggestFailedGateSteps,
  recordGateVerdict,
  type GateProof,
  createGateProof,
} from "../gate/gate-result.ts";
import { stripLocationSuffix } from "#code/model/trace/trace-matrix.ts";
import { suggestGateFixes } from "../../model/gate/gate-fixes.ts";
import { fillDocsBeforeGate, refreshIndexAfterStage } from "#code/operations/index/update-index.ts";
import { findLastReceipt } from "../gate/receipt-files.ts";
import { recordSpecDecision, updateSpecStatus } from "#planning/operations/spec/spec-files.ts";
import type { LockedStoreTree } from "#store/operations/ports/store.ts";
import { loadWork } from "#planning/operations/workflow/attributed-work.ts";
import { acceptFinishedWork, collectWorkflowAcceptances } from "#code/operations/trace/accept-requirements.ts";
import { type WorkflowDraft, loadWorkRuntime } from "#planning/operations/workflow/workflow-runtime.ts";
import { judgeStageGate, openOwnWorkflow, type GateJudgement } from "./judge-stage.ts";
import {
  pruneExpiredSnapshots,
  dropSnapshotRefs,
  storeSnapshot,
  takeWorkflowSnapshot,
  writeWithSnapshots,
  lockSessionWork,
  detectWorkflowWork,
  type SessionWork,
  addSessionLocks,
} from "#planning/operations/workflow/workflow-snapshots.ts";
import {
  extendWorkflowTimebox,
  warnTimeboxEnd,
  syncWorkflowState,
  writeWorkflow,
  finishWork,
} from "#planning/operations/workflow/workflow-writes.ts";
import {
  suggestNextCalls,
  loadOpenStage,
  createWorkflowView,
  formatWorkflowPage,
  formatWorktreeNote,
} from "#planning/operations/workflow/workflow-view.ts";
import type { AdvanceWorkflowInput } from "#planning/operations/workflow/schema.ts";
import { isSpecOfKind } from "#planning/model/spec/spec-checks.ts";
import { describeResearchDecision } from "#planning/model/spec/research-decision.ts";
import { planStageEnd } from "#planning/operations/stage-end.ts";
import { planDecisionRecord } from "#planning/operations/adr/decision-operations.ts";

interface AdvanceAttempt extends Partial<Awaited<ReturnType<typeof prepareStageCompletion>>> {
  readonly record: WorkflowRecord;
  readonly session: string;
  readonly judged: GateJudgement;
  readonly work: SessionWork | undefined;
  readonly isOnlyLooking: boolean;
  readonly proof: GateProof | undefined;
  readonly removals: readonly TestRemoval[] | undefined;
}

export const advanceWorkflowOperation = defineOperation({
  id: "workflow.advance",
  effect: "change",
  isLong: true,
  input: async () => (await import("#planning/operations/workflow/schema.ts")).AdvanceWorkflowInput,
  output: async () => (await import("#planning/operations/workflow/schema.ts")).AdvanceWorkflowOutput,
  async run(engine: CheckingEngine, input) {
    if (input.extend !== undefined) return extendResearchTimebox(engine, input, input.extend);
    const { session, runtime: before, record: opened } = await openOwnWorkflow(engine, input, "workflow.advance");
    if (input.stage !== undefined && input.stage !== opened.current_stage)
      throw createStageMismatchFault(opened, input.stage);
    const isOnlyLooking = input.check ?? false;
    if (!isOnlyLooking) await fillDocsBeforeGate(engine);
    const work = await detectWorkflowWork(engine, before, opened.id);
    const removals = input.tests_removed;
    const judged = await judgeStageGate(engine, opened, { session, approver: input.approve, removals, isOnlyLooking });
    const isMoving = judged.passed && !isOnlyLooking;
    const proof = isOnlyLooking ? undefined : await createGateProof(engine, opened, judged, isMoving);
    const prepared = isMoving ? await prepareStageCompletion(engine, opened, judged, work) : {};
    const attempt: AdvanceAttempt = {
      record: opened,
      session,
      judged,
      work,
      isOnlyLooking,
      proof,
      removals,
      ...prepared,
    };
    const { record, notes, gone, receipt } = await writeWithSnapshots(engine, [attempt.snapshot], () =>
      writeWorkflow(engine, { id: opened.id, session }, (draft, now, tree) =>
        recordAdvance(engine, draft, now, tree, attempt),
      ),
    );
    await dropSnapshotRefs(engine, gone);
    if (record.status === "completed") await pruneExpiredSnapshots(engine);
    if (isMoving) await refreshIndexAfterStage(engine);
    const runtime = await engine.store.read(loadWorkRuntime);
    return {
      passed: judged.passed,
      ...viewGateJudgement(judged),
      receipt,
      question: isOnlyLooking ? undefined : viewOpenQuestion(judged.approved.asked),
      workflow: createWorkflowView(record, runtime, session, engine.clock.now(), engine.clock.steady?.()),
      next: isMoving && record.status === "active" ? await loadOpenStage(engine, record) : undefined,
      notes,
    };
  },
  page({ passed, extended: by, gate, checks, attempts, receipt, question, unattributed, workflow, next, notes }) {
    if (by !== undefined) return formatWorkflowPage(`${workflow.id} has ${by} more.`, workflow);
    if (!passed) {
      const open = checks.filter(isOpenCheck);
      const stage = `Stage ${workflow.stage} of ${workflow.id}`;
      if (question)
        return {
          title: `${stage} waits for the user's approval.`,
          points: [...formatOpenChecks(open), ...formatQuestionPoints(question), ...notes],
          next: suggestQuestionSteps(question, { operation: "workflow.advance", input: { id: workflow.id } }),
        };
      return {
        title: `${stage} stays open: ${gate} does not pass.`,
        points: [...formatOpenChecks(open), ...formatGateAttempts(attempts), ...notes],
        next: [
          ...suggestUnknownCheckSteps(open),
          ...suggestGateFixes(open, workflow, suggestNextCalls(workflow)),
          ...suggestClaims(workflow.id, unattributed),
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
        ...(workflow.status === "completed" ? [] : suggestClaims(workflow.id, unattributed)),
        ...(workflow.status === "completed" ? [suggestCommitCommand(workflow.id, workflow.title)] : []),
      ],
    };
  },
  asks: ({ question }) => question,
  isRefusal: ({ passed, extended: by }) => !passed && by === undefined,
});

async function extendResearchTimebox(engine: CheckingEngine, input: z.infer<typeof AdvanceWorkflowInput>, by: string) {
  const { session } = await syncWorkflowState(engine, input.session);
  const record = await extendWorkflowTimebox(engine, { id: input.id, session }, by, input.reason);
  const runtime = await engine.store.read(loadWorkRuntime);
  return {
    // No gate ran, so none has passed.
    passed: false,
    extended: by,
    gate: findStageGate(record.kind, record.current_stage).name,
    checks: [],
    attempts: [],
    workflow: createWorkflowView(record, runtime, session, engine.clock.now(), engine.clock.steady?.()),
    notes: [],
  };
}

/** Slow work happens before the store lock is taken. */
async function prepareStageCompletion(
  engine: CheckingEngine,
  record: WorkflowRecord,
  judged: GateJudgement,
  work: SessionWork | undefined,
) {
  const runtime = await engine.store.read(loadWorkRuntime);
  const isLast = record.stages.at(-1)?.name === record.current_stage;
  // A rollback returns to the end of a stage. After the last stage a rollback is not possible.
  const snapshot = isLast
    ? undefined
    : await takeWorkflowSnapshot(engine, addSessionLocks(runtime, work), record, "stage");
  const status = SPEC_STATUS_AFTER_STAGE[record.current_stage];
  const day = engine.clock.now();
  const dates = { updated: day, resolved: status === "done" ? day : undefined };
  const trace = await mergeSpecTrace(engine, judged);
  const specText = status && judged.spec && (await updateSpecStatus(engine, judged.spec.text, status, dates, trace));
  const isBuilt = isLast && judged.gate.commands.length > 0;
  const base_commit = isBuilt ? (await loadWork(engine, record))?.base : undefined;
  const carried = isBuilt ? await collectWorkflowAcceptances(engine, { id: record.id, base_commit }) : undefined;
  return { snapshot, specText, carried, yaml: isLast ? await engine.yaml() : undefined };
}

/** Adds files that carry the spec's tags. Entries by hand stay while their files exist. */
async function mergeSpecTrace({ source }: CheckingEngine, { spec, trace }: GateJudgement) {
  const known = spec?.document?.spec.trace;
  if (!known) return {};
  const merged: Record<string, readonly string[]> = {};
  for (const side of ["code", "tests", "docs"] as const) {
    const found = trace[side];
    if (found === undefined || found.length === 0) continue;
    const kept: string[] = [];
    for (const entry of known[side]) {
      const path = stripLocationSuffix(entry);
      const isFile = side === "docs" || (await source.text(path)) !== undefined;
      if (isFile) kept.push(entry);
    }
    const paths = new Set(kept.map(stripLocationSuffix));
    const added = found.filter((path) => !paths.has(stripLocationSuffix(path)));
    // An unchanged list keeps its layout.
    if (added.length > 0 || kept.length < known[side].length) merged[side] = [...kept, ...added];
  }
  return merged;
}

function recordAdvance(
  engine: CheckingEngine,
  draft: WorkflowDraft,
  now: WorkflowRecord,
  tree: LockedStoreTree,
  {
    record: seen,
    session,
    judged,
    work,
    isOnlyLooking,
    proof,
    removals,
    snapshot,
    specText,
    yaml,
    carried = [],
  }: AdvanceAttempt,
) {
  const { id } = seen;
  if (now.current_stage !== seen.current_stage) throw createStageMismatchFault(now, seen.current_stage);
  const { spec, gate, ran } = judged;
  if (spec && tree.text(spec.path) !== spec.text) {
    throw new Fault("store.conflict", {
      what: `${spec.path} was not written.`,
      why: "It changed while its gate was running.",
      fix: [`Read ${spec.path} again.`, { operation: "workflow.advance", input: { id } }],
    });
  }
  lockSessionWork(draft, work);
  const kept = { tree: work?.tree, proof, removals, isOnlyLooking };
  const { record, receipt } = recordGateVerdict(engine, { draft, tree }, now, judged, kept);
  if (!judged.passed || isOnlyLooking) {
    const { approval } = judged.approved;
    const approved =
      approval && !isOnlyLooking ? [`Approved by ${formatApprover(approval)}, for the current spec.`] : [];
    const notes = [...approved, ...(ran?.notes ?? []), ...warnTimeboxEnd(draft, id)];
    return { record: draft.workflow(id) ?? record, notes, gone: [], receipt };
  }
  const ended = planStageEnd(tree, {
    area: "workflow",
    subject: id,
    record,
    // The gate has passed, so the stage has no problems left.
    problems: [],
    end: () => advanceWorkflowRecord(record, draft.at, draft.steady),
  });
  const moved = ended.result.record;
  const isDone = moved.status === "completed";
  const decided =
    isDone && record.kind === "research" ? recordResearchDecision(draft, tree, record, judged) : undefined;
  const written = decided && specText && yaml ? recordSpecDecision(yaml, specText, decided) : specText;
  if (written !== undefined && spec) draft.step({ kind: "document", path: spec.path, text: written });
  const settled = decided ? { ...moved, adr: decided.adr } : moved;
  draft.putWorkflow(settled);
  draft.include(ended);
  const gone = storeSnapshot(draft, snapshot);
  if (isDone) finishWork(draft, id);
  const apart = isDone && record.worktree ? [formatWorktreeNote(record.worktree)] : [];
  const current = draft.workflow(id) ?? settled;
  const shown = receipt ?? findLastReceipt(tree, engine, id, gate.name);
  const accepted = acceptFinishedWork(draft, tree, carried, { receipt: shown, by: session });
  return { record: current, notes: [...(ran?.notes ?? []), ...apart, ...accepted], gone, receipt };
}

function createStageMismatchFault({ id, current_stage, status }: WorkflowRecord, meant: string): Fault {
  return new Fault("workflow.other-stage", {
    what: `Stage ${meant} of ${id} is not open.`,
    why:
      status === "active"
        ? `Stage ${current_stage} is open: the call was repeated, or the work has moved on.`
        : `It is ${status}.`,
    fix: { operation: "workflow.status", input: { id } },
  });
}

/** The write that completes a research workflow also records its decision. */
function recordResearchDecision(
  draft: WorkflowDraft,
  tree: LockedStoreTree,
  record: WorkflowRecord,
  { spec, approved }: GateJudgement,
): ResearchOutcome | undefined {
  const document = spec?.document;
  if (!document || !isSpecOfKind("research", document)) return undefined;
  const [approval] = approved.used;
  const { option, context, rationale, alternatives, sections } = describeResearchDecision(document.spec);
  const input = {
    title: `${record.title}: ${option}`.slice(0, 200),
    context: `${record.title}\n\n${context}`,
    decision: `${option}${approval ? `\n\nApproved by ${formatApprover(approval)}.` : ""}`,
    rationale,
    ...(alternatives === "" ? {} : { alternatives_rejected: alternatives }),
    standalone: true,
  };
  const { adr } = draft.include(planDecisionRecord(tree, input, draft.at, sections));
  return { option, approved_by: approval?.by, adr: adr.ref };
}

interface ResearchOutcome {
  readonly option: string;
  readonly approved_by: string | undefined;
  readonly adr: string;
}

import { defineOperation } from "#kernel/operations/operation.ts";
import type { CheckingEngine } from "../engine.ts";
import { judgeStageGate } from "../workflow-gate/judge-stage.ts";
import { lockSessionWork, detectSessionWork } from "#planning/operations/workflow/workflow-snapshots.ts";
import { resolveWorkflow, loadWorkRuntime, resolveSession } from "#planning/operations/workflow/workflow-runtime.ts";
import {
  suggestNextCalls,
  rejectOtherWorktree,
  createWorkflowView,
} from "#planning/operations/workflow/workflow-view.ts";
import {
  syncWorkflowState,
  requireWritableWorkflow,
  writeWorkflow,
} from "#planning/operations/workflow/workflow-writes.ts";
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
  createGateProof,
} from "./gate-result.ts";

export const runGate = defineOperation({
  id: "gate.run",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).RunGateInput,
  output: async () => (await import("./schema.ts")).RunGateOutput,
  async run(engine: CheckingEngine, input) {
    await syncWorkflowState(engine);
    const session = resolveSession(engine, input.session);
    const before = await engine.store.read(loadWorkRuntime);
    const { id } = resolveWorkflow(before, { id: input.id, session }, "gate.run");
    const record = requireWritableWorkflow(before, id, session);
    rejectOtherWorktree(engine, record);
    const judged = await judgeStageGate(engine, record, { session, isFresh: true });
    const proof = await createGateProof(engine, record, judged, false);
    const work = await detectSessionWork(engine, before, session);
    const receipt = await writeWorkflow(engine, { id, session }, (draft, now, tree) => {
      lockSessionWork(draft, work?.workflow === id ? work : undefined);
      if (now.current_stage !== record.current_stage) return undefined;
      recordGateVerdict(engine, { draft, tree }, now, judged, { tree: work?.tree, isOnlyLooking: false });
      return recordGateProof(engine, draft, tree, proof);
    });
    const after = await engine.store.read(loadWorkRuntime);
    return {
      passed: judged.isProven,
      can_advance: judged.passed,
      gate: judged.gate.name,
      checks: judged.checks.map(viewGateCheck),
      attempts: viewGateAttempts(judged),
      receipt,
      notes: [...(judged.ran?.notes ?? [])],
      workflow: createWorkflowView(
        resolveWorkflow(after, { id, session }, "gate.run"),
        after,
        session,
        engine.clock.now(),
      ),
    };
  },
  page({ passed, gate, checks, attempts, receipt, notes, workflow }) {
    const open = checks.filter(({ status }) => status === "failed" || status === "unknown");
    const isUnagreed = open.some(({ check }) => check === "approval" || check === "spec-unchanged");
    const { id, stage } = workflow;
    const done = checks.filter(({ status }) => status === "passed").map(({ check }) => check);
    return {
      title: passed
        ? `${gate} of ${id} passes${open.length > 0 ? ", but for the user's word" : ""}; stage ${stage} is still open.`
        : `${gate} of ${id} does not pass.`,
      facts: [
        ...(done.length > 0 ? [["passed", done.join(", ")] as const] : []),
        ...(receipt ? [["receipt", receipt] as const] : []),
      ],
      points: [...formatOpenChecks(open), ...formatWaivedChecks(checks), ...formatGateAttempts(attempts), ...notes],
      next: [
        ...suggestUnknownCheckSteps(open),
        ...suggestNextCalls(workflow, isUnagreed).filter(
          (each) => !passed || typeof each === "string" || each.operation !== "gate.run",
        ),
        ...(passed ? [] : suggestFailedGateSteps(workflow, attempts)),
      ],
    };
  },
  isRefusal: ({ passed }) => !passed,
});

import type * as z from "zod";
import { count } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import { mostPressing } from "#domain/gate/verdict.ts";
import { gateOf, specStatusAfter } from "#domain/workflow/flows.ts";
import type { CheckResult, Snapshot, WorkflowRecord } from "#domain/workflow/record.ts";
import { advanceWorkflow } from "#domain/workflow/workflow.ts";
import type { Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import { writeStatus } from "../spec/read.ts";
import type { LockedTree } from "../store.ts";
import { decideByAdr } from "./running/deciding.ts";
import type { Draft } from "./running/draft.ts";
import { endWork } from "./running/ending.ts";
import { asResult, judge, type Judged } from "./running/gate.ts";
import { dropEveryRef, dropRefs, keepSnapshot, takeSnapshot, withSnapshots } from "./running/keeping-files.ts";
import { lockOwnWork, ownWork, type OwnWork, withOwnWork } from "./running/own-work.ts";
import { chooseWorkflow, runtimeIn, sessionIn } from "./running/runtime.ts";
import { giveTime, warnOfTime } from "./running/time.ts";
import { nextCalls, nextStage, refuseElsewhere, viewWorkflow, workflowPage, worktreeStays } from "./running/view.ts";
import { bringUpToDate, mayBeWritten, writeFor } from "./running/writing.ts";
import type { Advance, WorkflowAdvanced } from "./schema.ts";

type Input = z.infer<typeof Advance>;
type Output = z.infer<typeof WorkflowAdvanced>;

interface Attempt {
  readonly record: WorkflowRecord;
  readonly session: string;
  readonly judged: Judged;
  readonly work: OwnWork | undefined;
  readonly isOnlyLooking: boolean;
  readonly snapshot?: Snapshot | undefined;
  /** The spec with the status that it has once the stage is done. */
  readonly specText?: string | undefined;
}

export const advance = operation<Input, Output>({
  id: "workflow.advance",
  effect: "change",
  input: async () => (await import("./schema.ts")).Advance,
  output: async () => (await import("./schema.ts")).WorkflowAdvanced,
  async run(engine, input) {
    await bringUpToDate(engine);
    if (input.extend !== undefined) return extended(engine, input, input.extend);
    const attempt = await look(engine, input);
    const { judged, isOnlyLooking, session } = attempt;
    const isMoving = judged.passed && !isOnlyLooking;
    const ready = isMoving ? { ...attempt, ...(await getReady(engine, attempt)) } : attempt;
    const write = (): Promise<Outcome> =>
      writeFor(engine, { id: ready.record.id, session }, (draft, now, tree) => decide(draft, now, tree, ready));
    const { record, notes, gone } = await withSnapshots(engine, [ready.snapshot], write);
    await (record.status === "completed" ? dropEveryRef(engine, record.id) : dropRefs(engine, gone));
    const runtime = await engine.store.read(runtimeIn);
    return {
      passed: judged.passed,
      gate: judged.gate.name,
      checks: judged.checks.map(shownCheck),
      workflow: viewWorkflow(record, runtime, session, engine.clock.now()),
      ...(isMoving && record.status === "active" ? { next: await nextStage(engine, record) } : {}),
      notes,
    };
  },
  page({ passed, extended: by, gate, checks, workflow, next, notes }) {
    if (by !== undefined) return workflowPage(`${workflow.id} has ${by} more.`, workflow);
    if (!passed) {
      const open = checks.filter(({ status }) => status === "failed" || status === "unknown");
      const isUnagreed = open.some(({ check }) => check === "spec-unchanged" || check === "approval");
      return {
        title: `Stage ${workflow.stage} of ${workflow.id} stays open: ${gate} does not pass.`,
        points: [...open.flatMap(checkPoints), ...notes],
        next: [...advice(open), ...nextCalls(workflow, isUnagreed)],
      };
    }
    const title =
      workflow.status === "completed"
        ? `${workflow.id} is completed${workflow.adr ? `; ${workflow.adr} is recorded` : ""}.`
        : next
          ? `${gate} has passed; stage ${next.stage} of ${workflow.id} is open.`
          : `${gate} would pass now.`;
    return {
      ...workflowPage(title, workflow),
      points: [...waivers(checks), ...notes],
      ...(next ? { guide: next.guide } : {}),
      next: nextCalls(workflow),
    };
  },
  isRefusal: ({ passed, extended: by }) => !passed && by === undefined,
});

async function extended(engine: Engine, input: Input, by: string): Promise<Output> {
  const session = sessionIn(engine, input.session);
  const record = await giveTime(engine, { id: input.id, session }, by, input.reason);
  const runtime = await engine.store.read(runtimeIn);
  return {
    // No gate was looked at, so none has passed.
    passed: false,
    extended: by,
    gate: gateOf(record.kind, record.current_stage).name,
    checks: [],
    workflow: viewWorkflow(record, runtime, session, engine.clock.now()),
    notes: [],
  };
}

async function look(engine: Engine, input: Input): Promise<Attempt> {
  const config = await engine.settings.load();
  const session = sessionIn(engine, input.session);
  const runtime = await engine.store.read(runtimeIn);
  const { id } = chooseWorkflow(runtime, { id: input.id, session }, "workflow.advance");
  const record = mayBeWritten(runtime, id, session);
  refuseElsewhere(engine, record);
  if (input.stage !== undefined && input.stage !== record.current_stage) throw otherStage(record, input.stage);
  const work = await ownWork(engine, runtime, session);
  return {
    record,
    session,
    judged: await judge(engine, record, input.approve, config),
    work: work?.workflow === record.id ? work : undefined,
    isOnlyLooking: input.check ?? false,
  };
}

/** What takes time is done before the lock is taken. */
async function getReady(
  engine: Engine,
  { record, judged, work }: Attempt,
): Promise<Pick<Attempt, "snapshot" | "specText">> {
  const runtime = await engine.store.read(runtimeIn);
  const isLast = record.stages.at(-1)?.name === record.current_stage;
  // The stage as it ends is what one goes back to; at the very end there is nothing to go back to.
  const snapshot = isLast ? undefined : await takeSnapshot(engine, withOwnWork(runtime, work), record, "stage");
  const status = specStatusAfter(record.kind, record.current_stage);
  const day = engine.clock.now();
  const specText =
    status && judged.spec
      ? await writeStatus(engine, judged.spec.text, status, {
          updated: day,
          ...(status === "done" ? { resolved: day } : {}),
        })
      : undefined;
  return { snapshot, specText };
}

interface Outcome {
  readonly record: WorkflowRecord;
  readonly notes: string[];
  readonly gone: readonly Snapshot[];
}

function decide(draft: Draft, now: WorkflowRecord, tree: LockedTree, attempt: Attempt): Outcome {
  const { record: seen, judged, isOnlyLooking } = attempt;
  if (now.current_stage !== seen.current_stage) throw otherStage(now, seen.current_stage);
  const { spec } = judged;
  if (spec && tree.text(spec.path) !== spec.text) throw specMoved(spec.path);
  lockOwnWork(draft, attempt.work);
  const gateResult = asResult(judged, seen.current_stage, draft.at, attempt.work?.tree);
  const approval = isOnlyLooking ? undefined : judged.approval;
  const judgedRecord = {
    ...now,
    updated_at: draft.at,
    gates: [...now.gates.filter(({ gate }) => gate !== gateResult.gate), gateResult],
    approvals: approval ? [...now.approvals, approval] : now.approvals,
  };
  draft.putWorkflow(judgedRecord);
  sayGate(draft, seen.id, judged, isOnlyLooking);
  if (approval) draft.say("workflow.approved", seen.id, { stage: seen.current_stage, by: approval.by });
  if (judged.passed && !isOnlyLooking) return move(draft, tree, judgedRecord, attempt);
  const kept = approval ? [`${approval.by}'s word is kept, for the spec as it is now.`] : [];
  const notes = [...kept, ...warnOfTime(draft, seen.id)];
  return { record: draft.workflow(seen.id) ?? judgedRecord, notes, gone: [] };
}

/** The stage is done: its snapshot is kept, the spec says so, and a decision is written down. */
function move(draft: Draft, tree: LockedTree, record: WorkflowRecord, attempt: Attempt): Outcome {
  const { judged, snapshot, specText } = attempt;
  const [moved, effects] = advanceWorkflow(record, draft.at);
  const isDone = moved.status === "completed";
  const adr = isDone && record.kind === "research" ? decideByAdr(draft, tree, record, judged) : undefined;
  if (specText !== undefined && judged.spec) draft.step({ kind: "document", path: judged.spec.path, text: specText });
  const settled = adr ? { ...moved, adr } : moved;
  draft.putWorkflow(settled);
  for (const { kind, ...data } of effects) draft.say(`workflow.${kind.replace("flow-", "")}`, record.id, data);
  const gone = keepSnapshot(draft, snapshot);
  if (isDone) endWork(draft, record.id);
  const apart = isDone && record.worktree ? [worktreeStays(record.worktree)] : [];
  return { record: draft.workflow(record.id) ?? settled, notes: apart, gone };
}

/** A look is told apart: it is no attempt, and says nothing of how often a gate holds work up. */
function sayGate(draft: Draft, id: string, { gate, passed, checks }: Judged, isOnlyLooking: boolean): void {
  const named = (status: CheckResult["status"]): string[] =>
    checks.filter((each) => each.status === status).map(({ check }) => check);
  draft.say(isOnlyLooking ? "gate.looked-at" : "gate.checked", id, {
    gate: gate.name,
    passed,
    failed: named("failed"),
    unknown: named("unknown"),
    waived: named("waived"),
  });
}

const shownCheck = ({ check, status, problems, reason }: CheckResult): Output["checks"][number] => ({
  check,
  status,
  problems: mostPressing(problems),
  ...(reason ? { reason } : {}),
});

function checkPoints({ check, problems, reason }: Output["checks"][number]): string[] {
  if (problems.length === 0) return [`${check}: unknown. ${reason ?? ""}`.trimEnd()];
  return problems.map(({ problem, line }) => `${check}: ${line ? `line ${line}: ` : ""}${problem}`);
}

const waivers = (checks: Output["checks"]): string[] =>
  checks.filter(({ status }) => status === "waived").map(({ check, reason }) => `${check} was waived: ${reason}`);

/** Whoever cannot have a check run says so in the settings, with a reason. */
function advice(open: Output["checks"]): string[] {
  const unknown = open.filter(({ status }) => status === "unknown").map(({ check }) => check);
  if (unknown.length === 0) return [];
  const lines = unknown.map((check) => `${check}: <reason>`).join(", ");
  return [
    `${count(unknown.length, "check")} nobody could run. To do without: gates: { waived: { ${lines} } } in sdd/config.yaml`,
  ];
}

function otherStage({ id, current_stage, status }: WorkflowRecord, meant: string): Fault {
  return new Fault("workflow.other-stage", {
    what: `Stage ${meant} of ${id} is not open.`,
    why:
      status === "active"
        ? `Stage ${current_stage} is: the call was made before, or it has moved on.`
        : `It is ${status}.`,
    fix: { operation: "workflow.status", input: { id } },
  });
}

function specMoved(path: string): Fault {
  return new Fault("store.conflict", {
    what: `${path} was not written.`,
    why: "It was changed while its gate was being looked at.",
    fix: { operation: "workflow.advance" },
  });
}

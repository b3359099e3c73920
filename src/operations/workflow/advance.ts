import type * as z from "zod";
import { suggestCommitCommand } from "#domain/commit-message.ts";
import { Fault } from "#domain/fault.ts";
import { gateOf, specStatusAfter } from "#domain/workflow/flows.ts";
import type { Snapshot, WorkflowRecord } from "#domain/workflow/record.ts";
import { advanceWorkflow } from "#domain/workflow/workflow.ts";
import type { Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import {
  advice,
  attemptPoints,
  openPoints,
  shownAttempts,
  shownCheck,
  waivers,
  waysOut,
} from "../gate/running/page.ts";
import { refreshIndex } from "../indexing/at-stage.ts";
import { lastReceipt } from "../gate/receipts.ts";
import { keepProof, keepVerdict, type Proof, proofOf } from "../gate/running/proof.ts";
import { writeStatus } from "../spec/read.ts";
import type { LockedTree } from "../ports/store.ts";
import { acceptFinished, carriedBy } from "../trace/tracing/accepting.ts";
import type { Accepting } from "../trace/tracing/shelf.ts";
import { decideByAdr } from "./running/deciding.ts";
import type { Draft } from "./running/draft.ts";
import { endWork } from "./running/ending.ts";
import { judge, type Judged } from "./running/gate.ts";
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
  readonly specText?: string | undefined;
  readonly proof?: Proof;
  readonly carried?: readonly Accepting[];
}

export const advance = operation<Input, Output>({
  id: "workflow.advance",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).Advance,
  output: async () => (await import("./schema.ts")).WorkflowAdvanced,
  async run(engine, input) {
    await bringUpToDate(engine);
    if (input.extend !== undefined) return extended(engine, input, input.extend);
    const attempt = await look(engine, input);
    const { judged, isOnlyLooking, session } = attempt;
    const isMoving = judged.passed && !isOnlyLooking;
    const proof = isOnlyLooking ? undefined : await proofOf(engine, attempt.record, judged, isMoving);
    const ready = { ...attempt, ...(isMoving ? await getReady(engine, attempt) : {}), ...(proof ? { proof } : {}) };
    const write = (): Promise<Outcome> =>
      writeFor(engine, { id: ready.record.id, session }, (draft, now, tree) => decide(engine, draft, now, tree, ready));
    const { record, notes, gone, receipt } = await withSnapshots(engine, [ready.snapshot], write);
    await (record.status === "completed" ? dropEveryRef(engine, record.id) : dropRefs(engine, gone));
    if (isMoving) await refreshIndex(engine);
    const runtime = await engine.store.read(runtimeIn);
    return {
      passed: judged.passed,
      gate: judged.gate.name,
      checks: judged.checks.map(shownCheck),
      attempts: shownAttempts(judged),
      ...(receipt ? { receipt } : {}),
      workflow: viewWorkflow(record, runtime, session, engine.clock.now()),
      ...(isMoving && record.status === "active" ? { next: await nextStage(engine, record) } : {}),
      notes,
    };
  },
  page({ passed, extended: by, gate, checks, attempts, receipt, workflow, next, notes }) {
    if (by !== undefined) return workflowPage(`${workflow.id} has ${by} more.`, workflow);
    if (!passed) {
      const open = checks.filter(({ status }) => status === "failed" || status === "unknown");
      const isUnagreed = open.some(({ check }) => check === "spec-unchanged" || check === "approval");
      return {
        title: `Stage ${workflow.stage} of ${workflow.id} stays open: ${gate} does not pass.`,
        points: [...openPoints(open), ...attemptPoints(attempts), ...notes],
        next: [...advice(open), ...nextCalls(workflow, isUnagreed), ...waysOut(workflow, attempts)],
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
      points: [...waivers(checks), ...attemptPoints(attempts), ...notes, ...(receipt ? [`Receipt ${receipt}.`] : [])],
      ...(next ? { guide: next.guide } : {}),
      next: [
        ...nextCalls(workflow),
        ...(workflow.status === "completed" ? [suggestCommitCommand(workflow.id, workflow.title)] : []),
      ],
    };
  },
  isRefusal: ({ passed, extended: by }) => !passed && by === undefined,
});

async function extended(engine: Engine, input: Input, by: string): Promise<Output> {
  const session = sessionIn(engine, input.session);
  const record = await giveTime(engine, { id: input.id, session }, by, input.reason);
  const runtime = await engine.store.read(runtimeIn);
  return {
    // No gate ran, so none has passed.
    passed: false,
    extended: by,
    gate: gateOf(record.kind, record.current_stage).name,
    checks: [],
    attempts: [],
    workflow: viewWorkflow(record, runtime, session, engine.clock.now()),
    notes: [],
  };
}

async function look(engine: Engine, input: Input): Promise<Attempt> {
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
    judged: await judge(engine, record, { session, approver: input.approve, isOnlyLooking: input.check ?? false }),
    work: work?.workflow === record.id ? work : undefined,
    isOnlyLooking: input.check ?? false,
  };
}

/** Slow work happens before the store lock is taken. */
async function getReady(
  engine: Engine,
  { record, judged, work }: Attempt,
): Promise<Pick<Attempt, "snapshot" | "specText" | "carried">> {
  const runtime = await engine.store.read(runtimeIn);
  const isLast = record.stages.at(-1)?.name === record.current_stage;
  // A rollback returns to the end of a stage. After the last stage a rollback is not possible.
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
  const isBuilt = isLast && judged.gate.commands.length > 0;
  return { snapshot, specText, ...(isBuilt ? { carried: await carriedBy(engine, record) } : {}) };
}

interface Outcome {
  readonly record: WorkflowRecord;
  readonly notes: string[];
  readonly gone: readonly Snapshot[];
  readonly receipt?: string;
}

function decide(engine: Engine, draft: Draft, now: WorkflowRecord, tree: LockedTree, attempt: Attempt): Outcome {
  const { record: seen, judged, isOnlyLooking } = attempt;
  if (now.current_stage !== seen.current_stage) throw otherStage(now, seen.current_stage);
  const { spec } = judged;
  if (spec && tree.text(spec.path) !== spec.text) throw specMoved(spec.path);
  lockOwnWork(draft, attempt.work);
  const approval = isOnlyLooking ? undefined : judged.approval;
  const judgedRecord = keepVerdict(engine, { draft, tree }, now, judged, {
    tree: attempt.work?.tree,
    approval,
    isOnlyLooking,
  });
  const receipt = keepProof(engine, draft, tree, attempt.proof);
  const proven = receipt ? { receipt } : {};
  if (judged.passed && !isOnlyLooking) {
    const moved = move(draft, tree, judgedRecord, attempt);
    const shown = receipt ?? lastReceipt(tree, engine, seen.id, judged.gate.name);
    const notes = acceptFinished(draft, tree, attempt.carried ?? [], { receipt: shown, by: attempt.session });
    return { ...moved, notes: [...moved.notes, ...notes], ...proven };
  }
  const kept = approval ? [`${approval.by}'s word is kept, for the spec as it is now.`] : [];
  const notes = [...kept, ...(judged.ran?.notes ?? []), ...warnOfTime(draft, seen.id)];
  return { record: draft.workflow(seen.id) ?? judgedRecord, notes, gone: [], ...proven };
}

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
  return { record: draft.workflow(record.id) ?? settled, notes: [...(judged.ran?.notes ?? []), ...apart], gone };
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

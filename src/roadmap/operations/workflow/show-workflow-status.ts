import type * as z from "zod";
import type { WorkflowRole } from "../../model/agent/agent-roles.ts";
import { countSecondsBetween, formatDuration } from "#kernel/model/utc-time.ts";
import type { OperationCall } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { QueueItem } from "#planning/model/workflow/work-queue.ts";
import type { WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import { isActiveWorkflow, createUnknownWorkflowFault } from "#planning/model/workflow/workflow-lifecycle.ts";
import { composeWorkflowBrief } from "../agent/role-brief.ts";
import type { RoadmapEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { loadFoldedRuntime } from "#planning/operations/workflow/fold-journal.ts";
import {
  resolveWorkflow,
  findCurrentWork,
  listWorkQueue,
  type WorkRuntime,
  resolveSession,
  findWorkActivity,
  createQueueItem,
} from "#planning/operations/workflow/workflow-runtime.ts";
import {
  suggestNextCalls,
  loadOpenStage,
  rejectOtherWorktree,
  createWorkflowView,
  formatWorkflowPage,
  createQueueItemView,
  type QueueItemView,
} from "#planning/operations/workflow/workflow-view.ts";
import type { WorkflowStatusOutput } from "#planning/operations/workflow/schema.ts";

type WorkflowStatusResult = z.infer<typeof WorkflowStatusOutput>;

export const showWorkflowStatusOperation = defineOperation({
  id: "workflow.status",
  effect: "read",
  input: async () => (await import("#planning/operations/workflow/schema.ts")).WorkflowStatusInput,
  output: async () => (await import("#planning/operations/workflow/schema.ts")).WorkflowStatusOutput,
  async run(engine: RoadmapEngine, { id: named, all, brief, session: said }) {
    const role = brief as WorkflowRole | undefined;
    const session = resolveSession(engine, said);
    const runtime = await loadFoldedRuntime(engine);
    const at = engine.clock.now();
    const current = findCurrentWork(runtime, session);
    const queue = listWorkQueue(runtime);
    const id = named ?? (role && resolveWorkflow(runtime, { id: named, session }, "workflow.status").id);
    const chosen = id === undefined ? undefined : runtime.workflows.get(id);
    if (id !== undefined && !chosen && !queue.some((item) => item.id === id))
      throw createUnknownWorkflowFault(id, queue);
    const ended = [...runtime.workflows.values()].filter((record) => !isActiveWorkflow(record));
    return {
      session,
      current: queue.some((item) => item.id === current) ? current : undefined,
      queue: queue
        .filter((item) => id === undefined || item.id === id)
        .map((item) => createQueueItemView(item, runtime, current, at)),
      finished: all ? ended.toSorted(compareFinishTime).map((record) => createFinishedItemView(record, at)) : [],
      ...(chosen ? await loadWorkflowDetails(engine, chosen, runtime, session, at) : {}),
      brief: chosen && role && (await loadRoleBrief(engine, chosen, role)),
      notes: listInterruptionNotes(runtime, queue, at),
    };
  },
  page({ queue, finished, workflow, gate, next, brief, notes }) {
    if (workflow && brief) {
      const { role, text } = brief;
      return {
        title: `The brief of the ${role} for ${workflow.id}. Start it with this text, word for word.`,
        guide: text,
      };
    }
    if (workflow) {
      const page = formatWorkflowPage(`${workflow.id} is ${describeWorkflowState(workflow)}.`, workflow);
      return {
        ...page,
        table: {
          columns: ["snapshot", "stage", "why", "taken", "files"],
          rows: workflow.snapshots.map(({ n, stage, why, timestamp, files_modified }) => [
            String(n),
            stage,
            why,
            timestamp,
            String(files_modified.length),
          ]),
        },
        points: [...(gate ? [formatGateState(gate)] : []), ...notes],
        ...(next ? { guide: next.guide } : {}),
        next: suggestNextCalls(workflow),
      };
    }
    const current = queue.find(({ is_current }) => is_current);
    const interrupted = queue.filter((item) => item.interrupted);
    // Work of another session is not suggested.
    const other = queue.find((item) => !item.is_current && item.status === "paused");
    return {
      title: queue.length === 0 ? "Nothing is under way." : `${queue.length} under way.`,
      table: {
        columns: ["", "prio", "id", "kind", "title", "stage", "", "age"],
        rows: [...queue, ...finished].map((item) => [
          item.is_current ? "→" : "",
          String(item.priority),
          item.id,
          item.kind,
          sanitizeText(item.title, 60),
          item.stage,
          `${item.interrupted ? "interrupted" : item.status}${item.session ? ` (${item.session})` : ""}`,
          item.age,
        ]),
      },
      points: notes,
      next: [
        ...interrupted
          .filter(({ kind }) => kind !== "change")
          .map(({ id }) => ({ operation: "workflow.resume", input: { id } })),
        ...(current ? [suggestStatusCall(current)] : []),
        ...(other ? [{ operation: "workflow.switch", input: { id: other.id } }] : []),
        ...(queue.length > 0 ? [] : [{ operation: "workflow.feature", input: { title: "…" } }]),
      ],
    };
  },
});

async function loadRoleBrief(
  engine: RoadmapEngine,
  record: WorkflowRecord,
  role: WorkflowRole,
): Promise<NonNullable<WorkflowStatusResult["brief"]>> {
  rejectOtherWorktree(engine, record);
  return { role, ...(await composeWorkflowBrief(engine, record, role)) };
}

const suggestStatusCall = ({ id, kind }: QueueItemView): OperationCall =>
  kind === "change"
    ? { operation: "change.status", input: { change_id: id } }
    : { operation: "workflow.status", input: { id } };

const describeWorkflowState = ({ status, stage, interrupted }: NonNullable<WorkflowStatusResult["workflow"]>): string =>
  status === "active" || status === "paused" ? `at stage ${stage}${interrupted ? ", interrupted" : ""}` : status;

const formatGateState = ({ gate, passed, is_stale, open }: NonNullable<WorkflowStatusResult["gate"]>): string =>
  passed
    ? `${gate} passed${is_stale ? ", but the files changed since" : ""}.`
    : `${gate} did not pass: ${open.join(", ")}.`;

async function loadWorkflowDetails(
  engine: RoadmapEngine,
  record: WorkflowRecord,
  runtime: WorkRuntime,
  session: string,
  at: string,
): Promise<Pick<WorkflowStatusResult, "workflow" | "gate" | "next">> {
  const last = isActiveWorkflow(record)
    ? record.gates.findLast(({ stage }) => stage === record.current_stage)
    : undefined;
  const tree = last && (await engine.snapshots.isPossible()) ? await engine.snapshots.tree() : undefined;
  const open = last?.checks.filter(({ status }) => status === "failed" || status === "unknown") ?? [];
  return {
    workflow: createWorkflowView(record, runtime, session, at),
    gate: last && {
      gate: last.gate,
      passed: last.passed,
      at: last.at,
      is_stale: tree !== undefined && last.tree !== undefined && last.tree !== tree,
      open: open.map(({ check }) => check),
    },
    next: isActiveWorkflow(record) ? await loadOpenStage(engine, record) : undefined,
  };
}

function createFinishedItemView(record: WorkflowRecord, at: string): QueueItemView {
  const age = formatDuration(countSecondsBetween(record.finished_at ?? record.updated_at, at));
  return { ...createQueueItem(record), status: record.status, is_current: false, interrupted: false, age };
}

const compareFinishTime = (a: WorkflowRecord, b: WorkflowRecord): number =>
  (a.finished_at ?? a.updated_at) < (b.finished_at ?? b.updated_at) ? 1 : -1;

function listInterruptionNotes(runtime: WorkRuntime, queue: readonly QueueItem[], at: string): string[] {
  return queue.flatMap(({ id, stage }) => {
    const { standing, session } = findWorkActivity(runtime, id);
    if (standing !== "interrupted" || !session) return [];
    return [
      `${id} was interrupted at stage ${stage}, ${formatDuration(countSecondsBetween(session.seen_at, at))} ago: resume it.`,
    ];
  });
}

import type * as z from "zod";
import type { WorkflowRole } from "../../model/agent/agent-roles.ts";
import { countSecondsBetween, formatDuration } from "#kernel/model/utc-time.ts";
import type { Page } from "#kernel/model/page.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
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
  resolveCallSession,
  findWorkActivity,
  createQueueItem,
} from "#planning/operations/workflow/workflow-runtime.ts";
import * as workflowView from "#planning/operations/workflow/workflow-view.ts";
import type { WorkflowStatusOutput } from "#planning/operations/workflow/schema.ts";

type WorkflowStatusResult = z.infer<typeof WorkflowStatusOutput>;

export const showWorkflowStatusOperation = defineOperation({
  id: "workflow.status",
  effect: "read",
  input: async () => (await import("#planning/operations/workflow/schema.ts")).WorkflowStatusInput,
  output: async () => (await import("#planning/operations/workflow/schema.ts")).WorkflowStatusOutput,
  async run(engine: RoadmapEngine, { id: named, all, brief, session: said }) {
    const role = brief as WorkflowRole | undefined;
    const runtime = await loadFoldedRuntime(engine);
    const session = resolveCallSession(engine, said, runtime.sessions);
    const at = engine.clock.now();
    const current = findCurrentWork(runtime, session);
    const queue = listWorkQueue(runtime);
    const id = named ?? (role && resolveWorkflow(runtime, { id: named, session }, "workflow.status").id);
    const chosen = id === undefined ? undefined : runtime.workflows.get(id);
    if (id !== undefined && !chosen && !queue.some((item) => item.id === id))
      throw createUnknownWorkflowFault(id, queue);
    if (chosen && role) workflowView.rejectOtherWorktree(engine, chosen);
    return {
      session,
      current: queue.some((item) => item.id === current) ? current : undefined,
      queue: queue
        .filter((item) => id === undefined || item.id === id)
        .map((item) => workflowView.createQueueItemView(item, runtime, { session, current }, at)),
      finished: all ? listFinishedWork(runtime, at) : [],
      ...(chosen ? await loadWorkflowDetails(engine, chosen, runtime, session, at) : {}),
      brief: chosen && role && { role, ...(await composeWorkflowBrief(engine, chosen, role)) },
      notes: queue.flatMap(({ id: item, stage }) => {
        const { standing, session: owner } = findWorkActivity(runtime, item);
        if (standing !== "interrupted" || !owner || owner.id === session) return [];
        const ago = formatDuration(countSecondsBetween(owner.seen_at, at));
        return [`${item} was interrupted at stage ${stage}, ${ago} ago: resume it.`];
      }),
    };
  },
  page({ queue, finished, workflow, gate, next, brief, notes }) {
    if (workflow && brief) {
      const title = `The brief of the ${brief.role} for ${workflow.id}. Start it with this text, word for word.`;
      return { title, guide: brief.text };
    }
    if (workflow) return formatShownWorkflow(workflow, gate, next, notes);
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
        ...(current?.kind === "change" ? [{ operation: "change.status", input: { change_id: current.id } }] : []),
        ...(current && current.kind !== "change" ? [{ operation: "workflow.status", input: { id: current.id } }] : []),
        ...(other ? [{ operation: "workflow.switch", input: { id: other.id } }] : []),
        ...(queue.length > 0 ? [] : [{ operation: "workflow.feature", input: { description: "…" } }]),
      ],
    };
  },
});

function formatShownWorkflow(
  workflow: NonNullable<WorkflowStatusResult["workflow"]>,
  gate: WorkflowStatusResult["gate"],
  next: WorkflowStatusResult["next"],
  notes: readonly string[],
): Page {
  const { id, status, stage, interrupted, snapshots } = workflow;
  const isOpen = status === "active" || status === "paused";
  const state = isOpen ? `at stage ${stage}${interrupted ? ", interrupted" : ""}` : status;
  const judged = gate?.passed
    ? `${gate.gate} passed${gate.is_stale ? ", but the files changed since" : ""}.`
    : `${gate?.gate} did not pass: ${gate?.open.join(", ")}.`;
  return {
    ...workflowView.formatWorkflowPage(`${id} is ${state}.`, workflow),
    table: {
      columns: ["snapshot", "stage", "why", "taken", "files"],
      rows: snapshots.map(({ n, stage: at, why, timestamp, files_modified: files }) => {
        return [String(n), at, why, timestamp, String(files.length)];
      }),
    },
    points: [...(gate ? [judged] : []), ...notes],
    ...(next ? { guide: next.guide } : {}),
    next: workflowView.suggestNextCalls(workflow),
  };
}

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
    workflow: workflowView.createWorkflowView(record, runtime, session, at, engine.clock.steady?.()),
    gate: last && {
      gate: last.gate,
      passed: last.passed,
      at: last.at,
      is_stale: tree !== undefined && last.tree !== undefined && last.tree !== tree,
      open: open.map(({ check }) => check),
    },
    next: isActiveWorkflow(record) ? await workflowView.loadOpenStage(engine, record) : undefined,
  };
}

/** The latest first. */
function listFinishedWork({ workflows }: WorkRuntime, at: string): workflowView.QueueItemView[] {
  const ended = [...workflows.values()].filter((record) => !isActiveWorkflow(record));
  const getEnd = ({ finished_at, updated_at }: WorkflowRecord): string => finished_at ?? updated_at;
  return ended
    .toSorted((a, b) => (getEnd(a) < getEnd(b) ? 1 : -1))
    .map((record) => {
      const age = formatDuration(countSecondsBetween(getEnd(record), at));
      return { ...createQueueItem(record), status: record.status, is_current: false, interrupted: false, age };
    });
}

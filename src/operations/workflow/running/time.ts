import { formatDuration } from "#domain/day.ts";
import { Fault } from "#domain/fault.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import {
  extendTimebox,
  isTimeboxExceeded,
  isTimeboxWarningDue,
  parseWorkDuration,
  resumeTimebox,
  computeTimeSpent,
} from "#domain/workflow/timebox.ts";
import type { Engine } from "../../engine.ts";
import type { WorkflowDraft } from "./draft.ts";
import { resolveWorkflow, loadWorkRuntime } from "./runtime.ts";
import { writeWorkflow } from "./writing.ts";

export function warnTimeboxEnd(draft: WorkflowDraft, id: string): string[] {
  const record = draft.workflow(id);
  if (!record?.timebox || record.status !== "active") return [];
  const isRunning = record.timebox.running_since !== undefined;
  const timebox = isRunning ? resumeTimebox(record.timebox, draft.at) : record.timebox;
  const isDue = isTimeboxWarningDue(timebox, draft.at);
  draft.putWorkflow({ ...record, timebox: isDue ? { ...timebox, warned: true } : timebox });
  if (!isDue) return [];
  const spent = formatDuration(computeTimeSpent(timebox, draft.at));
  draft.say("timebox.warned", id, { spent_s: computeTimeSpent(timebox, draft.at), limit_s: timebox.limit_s });
  return [
    `${spent} of ${formatDuration(timebox.limit_s)} are used: come to an end of stage ${record.current_stage}, or extend.`,
  ];
}

export function rejectExpiredTimebox(
  { id, current_stage, timebox, status }: WorkflowRecord,
  what: string,
  at: string,
): void {
  if (!timebox || status !== "active" || current_stage !== "explore" || !isTimeboxExceeded(timebox, at)) return;
  throw new Fault("timebox.over", {
    what,
    why: `The ${formatDuration(timebox.limit_s)} for ${id} are used up.`,
    fix: [
      { operation: "workflow.advance", input: { id } },
      { operation: "workflow.advance", input: { id, extend: "30m", reason: "…" } },
    ],
  });
}

export async function extendWorkflowTimebox(
  engine: Engine,
  { id, session }: { readonly id?: string | undefined; readonly session: string },
  by: string,
  reason: string | undefined,
): Promise<WorkflowRecord> {
  const by_s = parseWorkDuration(by);
  if (reason === undefined) throw createMissingReasonFault(id, by);
  const runtime = await engine.store.read(loadWorkRuntime);
  const chosen = resolveWorkflow(runtime, { id, session }, "workflow.advance");
  if (!chosen.timebox || chosen.status !== "active") throw createNoTimeboxFault(chosen);
  return writeWorkflow(engine, { id: chosen.id, session }, (draft, record) => {
    if (!record.timebox) throw createNoTimeboxFault(record);
    const timebox = extendTimebox(record.timebox, by_s, reason.trim(), draft.at);
    const longer = { ...record, timebox, updated_at: draft.at };
    draft.putWorkflow(longer);
    draft.say("timebox.extended", record.id, { by_s, reason });
    return longer;
  });
}

function createMissingReasonFault(id: string | undefined, by: string): Fault {
  return new Fault("input.missing", {
    what: "The time was not extended.",
    why: "The reason is missing: it is kept with the research.",
    fix: { operation: "workflow.advance", input: { ...(id ? { id } : {}), extend: by, reason: "…" } },
  });
}

function createNoTimeboxFault({ id, kind, status }: WorkflowRecord): Fault {
  return new Fault("timebox.none", {
    what: `${id} was not given more time.`,
    why: kind === "research" ? `It is ${status}.` : `It is a ${kind}, which has no timebox.`,
    fix: { operation: "workflow.status" },
  });
}

import { formatDuration } from "#domain/day.ts";
import { Fault } from "#domain/fault.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import { extend, isOver, isWarningDue, parseDuration, run, spentAt } from "#domain/workflow/timebox.ts";
import type { Engine } from "../../engine.ts";
import type { Draft } from "./draft.ts";
import { chooseWorkflow, runtimeIn } from "./runtime.ts";
import { writeFor } from "./writing.ts";

export function warnOfTime(draft: Draft, id: string): string[] {
  const record = draft.workflow(id);
  if (!record?.timebox || record.status !== "active") return [];
  const isRunning = record.timebox.running_since !== undefined;
  const timebox = isRunning ? run(record.timebox, draft.at) : record.timebox;
  const isDue = isWarningDue(timebox, draft.at);
  draft.putWorkflow({ ...record, timebox: isDue ? { ...timebox, warned: true } : timebox });
  if (!isDue) return [];
  const spent = formatDuration(spentAt(timebox, draft.at));
  draft.say("timebox.warned", id, { spent_s: spentAt(timebox, draft.at), limit_s: timebox.limit_s });
  return [
    `${spent} of ${formatDuration(timebox.limit_s)} are used: come to an end of stage ${record.current_stage}, or extend.`,
  ];
}

export function refuseOverdue({ id, current_stage, timebox, status }: WorkflowRecord, what: string, at: string): void {
  if (!timebox || status !== "active" || current_stage !== "explore" || !isOver(timebox, at)) return;
  throw new Fault("timebox.over", {
    what,
    why: `The ${formatDuration(timebox.limit_s)} for ${id} are used up.`,
    fix: [
      { operation: "workflow.advance", input: { id } },
      { operation: "workflow.advance", input: { id, extend: "30m", reason: "…" } },
    ],
  });
}

export async function giveTime(
  engine: Engine,
  { id, session }: { readonly id?: string | undefined; readonly session: string },
  by: string,
  reason: string | undefined,
): Promise<WorkflowRecord> {
  const by_s = parseDuration(by);
  if (reason === undefined) throw noReason(id, by);
  const runtime = await engine.store.read(runtimeIn);
  const chosen = chooseWorkflow(runtime, { id, session }, "workflow.advance");
  if (!chosen.timebox || chosen.status !== "active") throw noTimebox(chosen);
  return writeFor(engine, { id: chosen.id, session }, (draft, record) => {
    if (!record.timebox) throw noTimebox(record);
    const timebox = extend(record.timebox, by_s, reason.trim(), draft.at);
    const longer = { ...record, timebox, updated_at: draft.at };
    draft.putWorkflow(longer);
    draft.say("timebox.extended", record.id, { by_s, reason });
    return longer;
  });
}

function noReason(id: string | undefined, by: string): Fault {
  return new Fault("input.missing", {
    what: "The time was not extended.",
    why: "The reason is missing: it is kept with the research.",
    fix: { operation: "workflow.advance", input: { ...(id ? { id } : {}), extend: by, reason: "…" } },
  });
}

function noTimebox({ id, kind, status }: WorkflowRecord): Fault {
  return new Fault("timebox.none", {
    what: `${id} was not given more time.`,
    why: kind === "research" ? `It is ${status}.` : `It is a ${kind}, which has no timebox.`,
    fix: { operation: "workflow.status" },
  });
}

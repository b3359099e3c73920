import { spell } from "#domain/day.ts";
import { Fault } from "#domain/fault.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import { isOver, isWarningDue, spentAt } from "#domain/workflow/timebox.ts";
import type { Draft } from "./draft.ts";

/** Says once that the time runs out. */
export function warnOfTime(draft: Draft, id: string): string[] {
  const record = draft.workflow(id);
  const { timebox } = record ?? {};
  if (!record || !timebox || record.status !== "active" || !isWarningDue(timebox, draft.at)) return [];
  draft.putWorkflow({ ...record, timebox: { ...timebox, warned: true } });
  const spent = spell(spentAt(timebox, draft.at));
  draft.say("timebox.warned", id, { spent_s: spentAt(timebox, draft.at), limit_s: timebox.limit_s });
  return [
    `${spent} of ${spell(timebox.limit_s)} are used: come to an end of stage ${record.current_stage}, or extend.`,
  ];
}

/** When the time is up, exploring is over: what is left is the next stage, or more time. */
export function refuseOverdue({ id, current_stage, timebox, status }: WorkflowRecord, what: string, at: string): void {
  if (!timebox || status !== "active" || current_stage !== "explore" || !isOver(timebox, at)) return;
  throw new Fault("timebox.over", {
    what,
    why: `The ${spell(timebox.limit_s)} for ${id} are used up.`,
    fix: [
      { operation: "workflow.advance", input: { id } },
      { operation: "workflow.research", input: { id, extend: "30m", reason: "…" } },
    ],
  });
}

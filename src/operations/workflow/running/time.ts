import { spell } from "#domain/day.ts";
import { Fault } from "#domain/fault.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import { extend, isOver, isWarningDue, parseDuration, spentAt } from "#domain/workflow/timebox.ts";
import { commit, type Engine } from "../../engine.ts";
import { Draft } from "./draft.ts";
import { chooseWorkflow, runtimeIn } from "./runtime.ts";

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
      { operation: "workflow.advance", input: { id, extend: "30m", reason: "…" } },
    ],
  });
}

/** More time is a decision like any other: it says why, and it is kept. */
export async function giveTime(
  engine: Engine,
  { id, session }: { readonly id?: string | undefined; readonly session: string },
  by: string,
  reason: string | undefined,
): Promise<WorkflowRecord> {
  const by_s = parseDuration(by);
  if (reason === undefined) throw noReason(id, by);
  return commit(engine, (tree) => {
    const draft = new Draft(runtimeIn(tree), engine.clock.now());
    const record = chooseWorkflow(draft.runtime, { id, session }, "workflow.advance");
    if (!record.timebox || record.status !== "active") throw noTimebox(record);
    const timebox = extend(record.timebox, by_s, reason.trim(), draft.at);
    const longer = { ...record, timebox, updated_at: draft.at };
    draft.putWorkflow(longer);
    draft.say("timebox.extended", record.id, { by_s, reason });
    return draft.plan(longer);
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

import type { Action } from "../action.ts";
import { escalate } from "../changes/blocking.ts";
import { MOST_REFUSALS, withFixCounted, withRun } from "../changes/counters.ts";
import { runKeyOf } from "../changes/dismissal.ts";
import { isPartition, withPartitionGivenUp } from "../changes/mending.ts";
import { Draft } from "../draft.ts";
import { reviewerOf } from "../ids.ts";
import { dueAction } from "../next/due-action.ts";
import { isOver } from "../over.ts";
import { takeAnswer } from "../reports/answer.ts";
import { takeAudit } from "../reports/audit.ts";
import { takeBlocker, takeBuild } from "../reports/build.ts";
import { takeCommit } from "../reports/commit.ts";
import { takeDesign } from "../reports/design.ts";
import { takeGate } from "../reports/gate.ts";
import { loseReviewer, takeInspection } from "../reports/inspection.ts";
import { takeTasks } from "../reports/tasks.ts";
import { type EventOf, REPEATED, refuse, type Taken } from "../taken.ts";

/** Accepts a report once, if the action is pending and the facts confirm it. */
export function takeReport(lead: Draft["base"], event: EventOf<"reported">): { draft: Draft; taken: Taken } {
  const out = lead.out.get(event.action);
  const action = out?.action ?? dueAction(lead, event.action);
  const draft = new Draft(lead);
  if (!action) return { draft, taken: notDue(lead, event.action) };
  draft.end(event.action, tokensOf(event));
  const taken = takeFor(draft, action, event);
  if (taken.kind !== "refused" || taken.isKept) return { draft, taken };
  const fresh = new Draft(lead);
  if (out) countRefusal(fresh, out.action, taken, tokensOf(event));
  return { draft: fresh, taken: { ...taken, isKept: true } };
}

export function notDue(lead: Draft["base"], id: string): Taken {
  if (isOver(lead, id)) return REPEATED;
  return refuse(`${id} is not due, and nobody is at work on it. Ask sdd_next what is.`);
}

function tokensOf({ tokens }: EventOf<"reported">): number | undefined {
  return tokens !== undefined && Number.isFinite(tokens) && tokens >= 0 ? Math.round(tokens) : undefined;
}

function takeFor(draft: Draft, action: Action, event: EventOf<"reported">): Taken {
  const { report, facts, action: id } = event;
  switch (action.kind) {
    case "ask":
      return report.kind === "answer" ? takeAnswer(draft, action, { id, report, facts }) : wrong(action, event);
    case "commit":
      return report.kind === "commit" ? takeCommit(draft, action, { id, report, facts }) : wrong(action, event);
    case "gate":
      return report.kind === "gate" ? takeGate(draft, action, { id, report, facts }) : wrong(action, event);
    case "spawn":
      return takeWork(draft, action, event);
  }
}

function takeWork(draft: Draft, action: Extract<Action, { kind: "spawn" }>, event: EventOf<"reported">): Taken {
  const { report, facts, action: id } = event;
  const { work } = action;
  switch (work.of) {
    case "design":
      return report.kind === "architect" ? takeDesign(draft, work, { id, report, facts }) : wrong(action, event);
    case "tasks":
      return report.kind === "tasks" ? takeTasks(draft, work, { id, report, facts }) : wrong(action, event);
    case "build":
      if (report.kind === "builder") return takeBuild(draft, work, { id, report, facts });
      if (report.kind === "builder-blocked") return takeBlocker(draft, work, { id, report, facts });
      return wrong(action, event);
    case "review":
      if (action.role.startsWith("auditor-")) {
        return report.kind === "audit" ? takeAudit(draft, work.review, { id, report, facts }) : wrong(action, event);
      }
      if (report.kind !== "inspection") return wrong(action, event);
      return takeInspection(draft, work.review, { id, report, facts });
  }
}

function wrong(action: Action, { report }: EventOf<"reported">): Taken {
  const who = action.kind === "spawn" ? action.role : action.kind;
  return refuse(`${action.id} is for ${who}; a report of the kind ${report.kind} is not an answer to it.`);
}

/** The agent can fix the problems and report again. The third rejected report fails the run. */
function countRefusal(draft: Draft, action: Action, taken: Taken, tokens: number | undefined): void {
  const out = draft.out(action.id);
  if (!out || taken.kind !== "refused") return;
  const refusals = out.refusals + 1;
  if (refusals < MOST_REFUSALS || action.kind !== "spawn") {
    draft.pay(tokens ?? 0);
    return draft.keepOut({ ...out, refusals, ...(tokens === undefined ? {} : { paid: (out.paid ?? 0) + tokens }) });
  }
  draft.end(action.id, tokens);
  draft.effect({ kind: "dismissed", action: action.id });
  if (action.work.of === "review") {
    loseReviewer(draft, action.work.review, reviewerOf(action.id));
    return;
  }
  const run = runKeyOf(action);
  const record = run && draft.feature(run.feature);
  if (!record) return;
  const ended = withRun(record, run.key);
  // Planning around shared files is optional, so its failure does not use up a retry.
  if (isPartition(action.work, record)) return draft.keep(withPartitionGivenUp(ended));
  const counted = withFixCounted(ended, "retry");
  draft.keep(counted ?? ended);
  if (!counted)
    escalate(draft, run.feature, `${action.id} failed: ${taken.problems[0]?.problem ?? "its report was refused"}`);
}

import { parseCompletion } from "#domain/agent/completion.ts";
import { Fault } from "#domain/fault.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { quote } from "#domain/quote.ts";
import type { Action, Spawn } from "#domain/roadmap/lead/action.ts";
import type { Report } from "#domain/roadmap/lead/event.ts";

export interface Sent {
  readonly report?: string | undefined;
  readonly answer?: string | undefined;
  readonly said?: string | undefined;
  readonly declined?: boolean | undefined;
}

export type Reading = { readonly report: Report } | { readonly problems: readonly Problem[] };

/** Parses the sent fields as the action requires. Reports problems by line and guesses nothing. */
export function readReport(action: Action, sent: Sent): Reading {
  switch (action.kind) {
    case "spawn":
      if (sent.report === undefined)
        throw wrong(action, "The text that the agent ended with is missing.", { report: "…" });
      return readWork(action, sent.report);
    case "gate":
      return { report: { kind: "gate" } };
    case "ask":
      if (sent.answer === undefined)
        throw wrong(action, `The user's answer is missing: ${action.choices.join(" or ")}.`, { answer: "…" });
      return { report: { kind: "answer", choice: sent.answer.trim(), said: sent.said ?? sent.answer } };
    case "commit":
      return { report: { kind: "commit", declined: sent.declined ?? false } };
  }
}

function readWork({ role, work }: Spawn, text: string): Reading {
  const read = work.of === "review" ? parseCompletion(role, text) : parseCompletion(role, text, work.feature);
  return "problems" in read ? read : { report: read };
}

function wrong({ id }: Action, why: string, input: Readonly<Record<string, string>>): Fault {
  return new Fault("roadmap.wrong-report", {
    what: `Nothing was reported of ${quote(id, 100)}.`,
    why,
    fix: { operation: "roadmap.report", input: { action: id, ...input } },
  });
}

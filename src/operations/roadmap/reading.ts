import { parseCompletionReport } from "#domain/agent/completion.ts";
import { Fault } from "#domain/fault.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { quote } from "#domain/quote.ts";
import type { LeadAction, SpawnAction } from "#domain/roadmap/lead/action.ts";
import type { AgentReport } from "#domain/roadmap/lead/event.ts";

export interface SentReport {
  readonly report?: string | undefined;
  readonly answer?: string | undefined;
  readonly said?: string | undefined;
  readonly declined?: boolean | undefined;
}

export type SentReportResult = { readonly report: AgentReport } | { readonly problems: readonly Problem[] };

/** Parses the sent fields as the action requires. Reports problems by line and guesses nothing. */
export function parseSentReport(action: LeadAction, sent: SentReport): SentReportResult {
  switch (action.kind) {
    case "spawn":
      if (sent.report === undefined)
        throw createWrongReportFault(action, "The text that the agent ended with is missing.", { report: "…" });
      return parseAgentReport(action, sent.report);
    case "gate":
      return { report: { kind: "gate" } };
    case "ask":
      if (sent.answer === undefined)
        throw createWrongReportFault(action, `The user's answer is missing: ${action.choices.join(" or ")}.`, {
          answer: "…",
        });
      return { report: { kind: "answer", choice: sent.answer.trim(), said: sent.said ?? sent.answer } };
    case "commit":
      return { report: { kind: "commit", declined: sent.declined ?? false } };
  }
}

function parseAgentReport({ role, work }: SpawnAction, text: string): SentReportResult {
  const read =
    work.of === "review" ? parseCompletionReport(role, text) : parseCompletionReport(role, text, work.feature);
  return "problems" in read ? read : { report: read };
}

function createWrongReportFault({ id }: LeadAction, why: string, input: Readonly<Record<string, string>>): Fault {
  return new Fault("roadmap.wrong-report", {
    what: `Nothing was reported of ${quote(id, 100)}.`,
    why,
    fix: { operation: "roadmap.report", input: { action: id, ...input } },
  });
}

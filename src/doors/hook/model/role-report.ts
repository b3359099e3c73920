import { quote } from "#kernel/model/text-format.ts";
import { type AgentRole, getActionRole } from "#roadmap/model/agent/agent-roles.ts";
import type { HookRefusal } from "./edit-refusal.ts";
import type { HookCall } from "./hook-call.ts";
import refusals from "./hook-refusals.json" with { type: "json" };
import { listTenonCalls } from "./trust-refusal.ts";

/** Actions whose brief an agent fetches or that it reports, by a tool or in a shell. */
export function listReportedActions({ tool, input }: Pick<HookCall, "tool" | "input">): string[] {
  const { action } = input;
  if (/(?:^|[^a-z])sdd_(?:brief|report)$/.test(tool)) return typeof action === "string" ? [action] : [];
  return listTenonCalls(input).flatMap(({ said }) => listShellActions(said));
}

/** A subagent fetches briefs and sends reports for actions of its own role only. The engine cannot see who calls. */
export function refuseRoleReport(role: AgentRole, call: Pick<HookCall, "tool" | "input">): HookRefusal | undefined {
  const [first, ...others] = role === "lead" ? [] : listReportedActions(call);
  if (first === undefined || [first, ...others].some((id) => getActionRole(id) === role)) return undefined;
  const { does, why, instead } = refusals.roleLimits.report;
  return { what: `Call blocked: the ${role} ${does}, and ${quote(first, 100)} is not one.`, why, instead };
}

/** Several agents have one role. The first action of an agent is its own; a later run of the same work counts as it. */
export function refuseSecondAction(own: string, action: string): HookRefusal | undefined {
  const nameWork = (id: string): string => id.replace(/\/B?\d+(?=\/|$)/g, "");
  if (nameWork(own) === nameWork(action)) return undefined;
  const { does, why, instead } = refusals.roleLimits.second;
  return { what: `Call blocked: this agent ${does} ${quote(own, 100)}, and not ${quote(action, 100)}.`, why, instead };
}

/** Only ids that name a role's work: other words may be files and texts. */
function listShellActions(said: readonly string[]): string[] {
  const words = said.filter((word) => !word.startsWith("-"));
  const isReport = words.slice(0, 2).some((word) => word === "brief" || word === "report");
  return isReport ? words.filter((word) => getActionRole(word) !== "lead") : [];
}

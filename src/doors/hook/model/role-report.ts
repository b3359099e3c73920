import { quote } from "#kernel/model/text-format.ts";
import { type AgentRole, getActionRole } from "#roadmap/model/agent/agent-roles.ts";
import type { HookRefusal } from "./edit-refusal.ts";
import type { HookCall } from "./hook-call.ts";
import refusals from "./hook-refusals.json" with { type: "json" };
import { listTenonCalls } from "./trust-refusal.ts";

/** A subagent fetches briefs and sends reports for actions of its own role only. The engine cannot see who calls. */
export function refuseRoleReport(role: AgentRole, { tool, input }: Pick<HookCall, "tool" | "input">) {
  if (role === "lead") return undefined;
  const { action } = input;
  if (/(?:^|[^a-z])sdd_(?:brief|report)$/.test(tool))
    return typeof action === "string" && getActionRole(action) !== role ? createReportRefusal(role, action) : undefined;
  const ids = listTenonCalls(input).flatMap(({ said }) => listShellActions(said));
  return ids.some((id) => getActionRole(id) === role) || ids[0] === undefined
    ? undefined
    : createReportRefusal(role, ids[0]);
}

/** Only ids that name a role's work: other words may be files and texts. */
function listShellActions(said: readonly string[]): string[] {
  const words = said.filter((word) => !word.startsWith("-"));
  const isReport = words.slice(0, 2).some((word) => word === "brief" || word === "report");
  return isReport ? words.filter((word) => getActionRole(word) !== "lead") : [];
}

function createReportRefusal(role: AgentRole, action: string): HookRefusal {
  const { does, why, instead } = refusals.roleLimits.report;
  return { what: `Call blocked: the ${role} ${does}, and ${quote(action, 100)} is not one.`, why, instead };
}

import type { RoadmapRole } from "#roadmap/model/agent/agent-roles.ts";
import { type AgentChoice, type AgentSettings, chooseRoleAgent } from "./agent-catalog.ts";

export type AgentLimits = Readonly<Record<string, number>>;

export const DEFAULT_AGENTS_AT_ONCE = 4;
const MAX_AGENTS_AT_ONCE = 64;

/** Parses `claude=2,codex=1`. Undefined if the text has another form. */
export function parseAgentLimits(text: string): AgentLimits | undefined {
  const parts = text.split(",").map((part) => /^\s*([\w.-]+)\s*(?:=\s*(\d{1,2})\s*)?$/.exec(part));
  const limits = parts.map((part) => [part?.[1] ?? "", Number(part?.[2] ?? 1)] as const);
  const isValid = limits.every(([name, count]) => name !== "" && count >= 1 && count <= MAX_AGENTS_AT_ONCE);
  return isValid ? Object.fromEntries(limits) : undefined;
}

/** The agent that the settings name, or the kind with the most free places. Undefined while all are busy. */
export function pickFreeAgent(
  role: RoadmapRole,
  settings: AgentSettings,
  limits: AgentLimits,
  busy: ReadonlyMap<string, number>,
): AgentChoice | undefined {
  const countFree = (name: string): number => (limits[name] ?? 0) - (busy.get(name) ?? 0);
  const chosen = chooseRoleAgent(role, settings);
  // `--agent` wins over a setting that it does not name.
  if (chosen && limits[chosen.name] !== undefined) return countFree(chosen.name) > 0 ? chosen : undefined;
  const free = Object.keys(limits).toSorted((one, other) => countFree(other) - countFree(one));
  return free[0] !== undefined && countFree(free[0]) > 0 ? { name: free[0] } : undefined;
}

export const countPlaces = (limits: AgentLimits): number =>
  Object.values(limits).reduce((sum, count) => sum + count, 0);

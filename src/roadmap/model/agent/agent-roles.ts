import { REVIEW_KINDS, type ReviewKind } from "../review/review-kinds.ts";
import facts from "./role-facts.json" with { type: "json" };
import type { RoleFacts, ToolKind } from "./role-schema.ts";

/** Every role with an asset in `assets/roles`. The Lead asks the engine for actions and starts the other agents. */
export type AgentRole = keyof typeof facts;
export type WorkflowRole = "spec-agent" | "test-agent" | "impl-agent";
export type RoadmapRole = Exclude<AgentRole, WorkflowRole | "lead">;
type InspectorName = RoadmapRole extends infer Role ? (Role extends `inspector-${infer Name}` ? Name : never) : never;

/** `npm run generate` checked these facts, so that a start does not check them again. */
export const ROLE_FACTS = facts as unknown as Readonly<Record<AgentRole, RoleFacts>>;

export const AGENT_ROLES = Object.keys(facts) as AgentRole[];
export const ROADMAP_ROLES = AGENT_ROLES.filter((role) => ROLE_FACTS[role].report !== null) as RoadmapRole[];

export const REVIEW_INSPECTORS = Object.fromEntries(
  REVIEW_KINDS.map((kind) => [kind, listInspectors(kind)]),
) as unknown as Readonly<Record<ReviewKind, readonly InspectorName[]>>;

function listInspectors(kind: ReviewKind): string[] {
  const roles = ROADMAP_ROLES.filter((role) => ROLE_FACTS[role].review === kind && role.startsWith("inspector-"));
  return roles.map((role) => role.replace("inspector-", ""));
}

const TOOL_KIND_TEXTS: Readonly<Record<ToolKind, string>> = {
  read: "read files",
  search: "search in them",
  write: "write files",
  run: "run commands",
  web: "search the web",
  spawn: "start other agents",
};

export function formatAllowedTools({ tools }: { readonly tools: readonly ToolKind[] }): string {
  const kinds = Object.keys(TOOL_KIND_TEXTS) as ToolKind[];
  const all = kinds.filter((kind) => tools.includes(kind)).map((kind) => TOOL_KIND_TEXTS[kind]);
  return [all.slice(0, -1).join(", "), ...all.slice(-1)].filter((text) => text !== "").join(" and ");
}

/** The largest possible brief plus the expected work. */
export const estimateRoleTokens = (role: RoadmapRole): number => ROLE_FACTS[role].budget + ROLE_FACTS[role].work;

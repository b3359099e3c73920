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

const WORK_ROLES: readonly (readonly [RegExp, RoadmapRole])[] = [
  [/^[^/]+\/architect\/\d+$/, "architect"],
  [/^[^/]+\/tasks\/\d+$/, "task-generator"],
  [/^[^/]+\/build-[^/]+\/\d+$/, "builder"],
];

/** The role that works on an action, read from its id. Gates, questions and commits are the Lead's. */
export function getActionRole(id: string): RoadmapRole | "lead" {
  const work = WORK_ROLES.find(([pattern]) => pattern.test(id));
  if (work) return work[1];
  const [, kind = "", name = ""] = /^[^/]+\/([a-z-]+)\/B\d+\/([^/]+)$/.exec(id) ?? [];
  const role = name === "auditor" ? `auditor-${kind}` : getInspectorRole(name);
  return ROADMAP_ROLES.find((each) => each === role) ?? "lead";
}

/** Views that one agent inspects. */
export type InspectionPanel = readonly string[];

/** The inspectors of a review, grouped by the agents that do the work. A short change needs one agent for all views. */
export function planReviewPanels(inspectors: readonly string[], isShort: boolean): InspectionPanel[] {
  const getPanel = (name: string): number => ROLE_FACTS[getInspectorRole(name)].panel;
  return [...Map.groupBy(inspectors, (name) => `${isShort ? 0 : getPanel(name)}@${getReplica(name)}`).values()];
}

/** With several inspectors on one view, the second is `rulebase@2`. */
const getReplica = (name: string): string => /@(\d+)$/.exec(name)?.[1] ?? "1";
export const getViewName = (name: string): string => name.replace(/@\d+$/, "");
export const getInspectorRole = (name: string): RoadmapRole => `inspector-${getViewName(name)}` as RoadmapRole;

/** The inspector in whose role the agent works: the one with the most tools. It gives the action its id. */
export function pickPanelLead(panel: InspectionPanel): string {
  const countTools = (name: string): number => ROLE_FACTS[getInspectorRole(name)].tools.length;
  return panel.reduce((lead, name) => (countTools(name) > countTools(lead) ? name : lead));
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

/** The largest possible brief plus the expected work. Each further view of a panel costs half of its own work. */
export function estimateRoleTokens(role: RoadmapRole, views: InspectionPanel = []): number {
  const { budget, work } = ROLE_FACTS[role];
  const others = views.map(getInspectorRole).filter((other) => other !== role);
  return others.reduce((sum, other) => sum + ROLE_FACTS[other].work / 2, budget + work);
}

export function estimateUsualRun(role: RoadmapRole): number {
  const { review } = ROLE_FACTS[role];
  const panels = review === null ? [] : planReviewPanels(REVIEW_INSPECTORS[review], false);
  return estimateRoleTokens(
    role,
    panels.find((panel) => getInspectorRole(pickPanelLead(panel)) === role),
  );
}

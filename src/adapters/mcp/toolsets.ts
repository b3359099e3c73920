import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import type { McpTool } from "./tool.ts";
import { ADOPT_TOOLS } from "./tools/adopt.ts";
import { ADR_TOOLS } from "./tools/adr.ts";
import { CHANGE_TOOLS } from "./tools/change.ts";
import { CONTEXT_TOOLS } from "./tools/context.ts";
import { EXPLORE_TOOLS } from "./tools/explore.ts";
import { FEATURE_TOOLS } from "./tools/feature.ts";
import { GATE_TOOLS } from "./tools/gate.ts";
import { HANDOVER_TOOLS } from "./tools/handover.ts";
import { INDEX_TOOLS } from "./tools/indexing.ts";
import { KNOWLEDGE_TOOLS } from "./tools/knowledge.ts";
import { MEMORY_TOOLS } from "./tools/memory.ts";
import { PROJECT_TOOLS } from "./tools/project.ts";
import { REVIEW_TOOLS } from "./tools/review.ts";
import { ROADMAP_TOOLS } from "./tools/roadmap.ts";
import { WORKFLOW_TOOLS } from "./tools/workflow.ts";
import { SPEC_TOOLS } from "./tools/spec.ts";
import { STACK_TOOLS } from "./tools/stack.ts";
import { STEERING_TOOLS } from "./tools/steering.ts";
import { TRACE_TOOLS } from "./tools/trace.ts";
import { WORKSPACE_TOOLS } from "./tools/workspace.ts";

export const MCP_TOOLS: readonly McpTool[] = [
  ...WORKSPACE_TOOLS,
  ...ADOPT_TOOLS,
  ...EXPLORE_TOOLS,
  ...PROJECT_TOOLS,
  ...CHANGE_TOOLS,
  ...WORKFLOW_TOOLS,
  ...ROADMAP_TOOLS,
  ...FEATURE_TOOLS,
  ...REVIEW_TOOLS,
  ...STEERING_TOOLS,
  ...HANDOVER_TOOLS,
  ...KNOWLEDGE_TOOLS,
  ...GATE_TOOLS,
  ...CONTEXT_TOOLS,
  ...SPEC_TOOLS,
  ...STACK_TOOLS,
  ...INDEX_TOOLS,
  ...TRACE_TOOLS,
  ...ADR_TOOLS,
  ...MEMORY_TOOLS,
];

/** Tools that an agent seldom needs, or only while a change is open. `--toolsets memory` or `all` offers them. */
const RARE_TOOLS = new Set([
  "sdd_change_list",
  "sdd_change_abandon",
  "sdd_change_reopen",
  "sdd_change_resize",
  "sdd_change_archive",
  "sdd_change_review",
  "sdd_adr_status",
  "sdd_adr_list",
]);

/** Tools for daily use. Project tools and tools for existing code are added when the workspace needs them. */
const DEFAULT_TOOL_NAMES = new Set(
  [
    "sdd_status",
    "sdd_init_project",
    ...[...EXPLORE_TOOLS, ...CHANGE_TOOLS, ...ADR_TOOLS].map((tool) => tool.name),
    "sdd_feature",
    "sdd_bugfix",
    "sdd_research",
    "sdd_context_check",
    "mem_save",
    "mem_search",
    "mem_context",
    "mem_get",
    "mem_session",
  ].filter((name) => !RARE_TOOLS.has(name)),
);

const TOOLSET_NAMES: readonly string[] = ["default", "all", ...new Set(MCP_TOOLS.map((tool) => tool.toolset))];

export function selectTools(names: readonly string[]): McpTool[] {
  for (const name of names) {
    if (TOOLSET_NAMES.includes(name) || MCP_TOOLS.some((tool) => tool.name === name)) continue;
    throw new Fault("usage.unknown-toolset", {
      what: "The server was not started.",
      why: `There is no toolset ${quote(name, 40)}; there are ${TOOLSET_NAMES.join(", ")}.`,
      fix: "tenon mcp --toolsets default",
    });
  }
  const wanted = new Set(names);
  return MCP_TOOLS.filter(
    ({ name, toolset }) =>
      wanted.has("all") ||
      wanted.has(toolset) ||
      wanted.has(name) ||
      (wanted.has("default") && DEFAULT_TOOL_NAMES.has(name)),
  );
}

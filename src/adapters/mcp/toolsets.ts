import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import type { Tool } from "./tool.ts";
import { adoptTools } from "./tools/adopt.ts";
import { adrTools } from "./tools/adr.ts";
import { changeTools } from "./tools/change.ts";
import { contextTools } from "./tools/context.ts";
import { exploreTools } from "./tools/explore.ts";
import { featureTools } from "./tools/feature.ts";
import { gateTools } from "./tools/gate.ts";
import { handoverTools } from "./tools/handover.ts";
import { indexingTools } from "./tools/indexing.ts";
import { knowledgeTools } from "./tools/knowledge.ts";
import { memoryTools } from "./tools/memory.ts";
import { projectTools } from "./tools/project.ts";
import { reviewTools } from "./tools/review.ts";
import { roadmapTools } from "./tools/roadmap.ts";
import { workflowTools } from "./tools/workflow.ts";
import { specTools } from "./tools/spec.ts";
import { stackTools } from "./tools/stack.ts";
import { steeringTools } from "./tools/steering.ts";
import { traceTools } from "./tools/trace.ts";
import { workspaceTools } from "./tools/workspace.ts";

export const TOOLS: readonly Tool[] = [
  ...workspaceTools,
  ...adoptTools,
  ...exploreTools,
  ...projectTools,
  ...changeTools,
  ...workflowTools,
  ...roadmapTools,
  ...featureTools,
  ...reviewTools,
  ...steeringTools,
  ...handoverTools,
  ...knowledgeTools,
  ...gateTools,
  ...contextTools,
  ...specTools,
  ...stackTools,
  ...indexingTools,
  ...traceTools,
  ...adrTools,
  ...memoryTools,
];

/** Tools that an agent seldom needs, or only while a change is open. `--toolsets memory` or `all` offers them. */
const SELDOM = new Set([
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
const DEFAULT_TOOLS = new Set(
  [
    "sdd_status",
    "sdd_init_project",
    ...[...exploreTools, ...changeTools, ...adrTools].map((tool) => tool.name),
    "sdd_feature",
    "sdd_bugfix",
    "sdd_research",
    "sdd_context_check",
    "mem_save",
    "mem_search",
    "mem_context",
    "mem_get",
    "mem_session",
  ].filter((name) => !SELDOM.has(name)),
);

const TOOLSETS: readonly string[] = ["default", "all", ...new Set(TOOLS.map((tool) => tool.toolset))];

export function toolsIn(names: readonly string[]): Tool[] {
  for (const name of names) {
    if (TOOLSETS.includes(name) || TOOLS.some((tool) => tool.name === name)) continue;
    throw new Fault("usage.unknown-toolset", {
      what: "The server was not started.",
      why: `There is no toolset ${quote(name, 40)}; there are ${TOOLSETS.join(", ")}.`,
      fix: "tenon mcp --toolsets default",
    });
  }
  const wanted = new Set(names);
  return TOOLS.filter(
    ({ name, toolset }) =>
      wanted.has("all") ||
      wanted.has(toolset) ||
      wanted.has(name) ||
      (wanted.has("default") && DEFAULT_TOOLS.has(name)),
  );
}

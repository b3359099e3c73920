import type { OperationEffect } from "#kernel/operations/operation.ts";
import type { OperationId } from "../catalogue.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";

/**
 * How an operation is offered as a tool. Its description is `assets/tools/<name>.md`; its schemas come from the
 * operation.
 */
export interface McpTool {
  readonly name: string;
  readonly operation: OperationId;
  readonly toolset: string;
}

/**
 * Maps an effect to the protocol's hints. Hints equal to the protocol's defaults are left out, because they cost tokens
 * in every session. The open-world hint keeps its default too: a gate runs code of the repository.
 */
export function createToolHints(effect: OperationEffect): Record<string, boolean> {
  if (effect === "read") return { readOnlyHint: true };
  return effect === "destroy" ? {} : { destructiveHint: false };
}

const WORKSPACE_TOOLS: readonly McpTool[] = [
  { name: "sdd_status", operation: "workspace.status", toolset: "workspace" },
  { name: "sdd_workspace_init", operation: "workspace.init", toolset: "workspace" },
  {
    name: "sdd_workspace_validate",
    operation: "workspace.validate",
    toolset: "workspace",
  },
  { name: "sdd_doctor", operation: "workspace.doctor", toolset: "workspace" },
];

const ADOPT_TOOLS: readonly McpTool[] = [
  { name: "sdd_reverse_engineer", operation: "adopt.scan", toolset: "adopt" },
  { name: "sdd_bootstrap", operation: "adopt.bootstrap", toolset: "adopt" },
];

const EXPLORE_TOOLS: readonly McpTool[] = [{ name: "sdd_explore", operation: "explore.record", toolset: "explore" }];

const PROJECT_TOOLS: readonly McpTool[] = [
  { name: "sdd_init_project", operation: "project.init", toolset: "project" },
  { name: "sdd_create_proposal", operation: "project.propose", toolset: "project" },
  {
    name: "sdd_generate_requirements",
    operation: "project.specify",
    toolset: "project",
  },
  {
    name: "sdd_create_business_rules",
    operation: "project.business-rules",
    toolset: "project",
  },
  { name: "sdd_clarify", operation: "project.clarify", toolset: "project" },
  { name: "sdd_create_design", operation: "project.design", toolset: "project" },
  { name: "sdd_create_tasks", operation: "project.tasks", toolset: "project" },
  { name: "sdd_validate", operation: "project.validate", toolset: "project" },
  { name: "sdd_get_context", operation: "project.context", toolset: "project" },
  { name: "sdd_project_confirm", operation: "project.confirm", toolset: "project" },
  { name: "sdd_project_reopen", operation: "project.reopen", toolset: "project" },
];

const CHANGE_TOOLS: readonly McpTool[] = [
  { name: "sdd_change", operation: "change.start", toolset: "change" },
  { name: "sdd_change_advance", operation: "change.advance", toolset: "change" },
  { name: "sdd_change_status", operation: "change.status", toolset: "change" },
  { name: "sdd_change_list", operation: "change.list", toolset: "change" },
  { name: "sdd_change_reopen", operation: "change.reopen", toolset: "change" },
  { name: "sdd_change_resize", operation: "change.resize", toolset: "change" },
  { name: "sdd_change_review", operation: "change.review", toolset: "change" },
  { name: "sdd_change_abandon", operation: "change.abandon", toolset: "change" },
  { name: "sdd_change_archive", operation: "change.archive", toolset: "change" },
];

const WORKFLOW_TOOLS: readonly McpTool[] = [
  { name: "sdd_feature", operation: "workflow.feature", toolset: "workflow" },
  { name: "sdd_bugfix", operation: "workflow.bugfix", toolset: "workflow" },
  { name: "sdd_research", operation: "workflow.research", toolset: "workflow" },
  { name: "sdd_workflow_advance", operation: "workflow.advance", toolset: "workflow" },
  { name: "sdd_workflow_status", operation: "workflow.status", toolset: "workflow" },
  { name: "sdd_workflow_switch", operation: "workflow.switch", toolset: "workflow" },
  { name: "sdd_workflow_prioritize", operation: "workflow.prioritize", toolset: "workflow" },
  { name: "sdd_workflow_abandon", operation: "workflow.abandon", toolset: "workflow" },
  { name: "sdd_workflow_rollback", operation: "workflow.rollback", toolset: "workflow" },
  { name: "sdd_workflow_resume", operation: "workflow.resume", toolset: "workflow" },
  { name: "sdd_workflow_snapshot", operation: "workflow.snapshot", toolset: "workflow" },
  { name: "sdd_lock", operation: "workflow.lock", toolset: "workflow" },
  { name: "sdd_conflicts", operation: "workflow.conflicts", toolset: "workflow" },
  { name: "sdd_workflow_stats", operation: "workflow.stats", toolset: "workflow" },
];

const ROADMAP_TOOLS: readonly McpTool[] = [
  { name: "sdd_roadmap", operation: "roadmap.manage", toolset: "roadmap" },
  { name: "sdd_next", operation: "roadmap.next", toolset: "roadmap" },
  { name: "sdd_report", operation: "roadmap.report", toolset: "roadmap" },
];

const FEATURE_TOOLS: readonly McpTool[] = [
  { name: "sdd_design", operation: "feature.design", toolset: "roadmap" },
  { name: "sdd_impl", operation: "feature.impl", toolset: "roadmap" },
];

const REVIEW_TOOLS: readonly McpTool[] = [{ name: "sdd_review", operation: "review.begin", toolset: "roadmap" }];

const STEERING_TOOLS: readonly McpTool[] = [{ name: "sdd_steering", operation: "steering.manage", toolset: "roadmap" }];

const HANDOVER_TOOLS: readonly McpTool[] = [
  { name: "sdd_handover", operation: "handover.write", toolset: "handover" },
  { name: "sdd_decide", operation: "handover.decide", toolset: "handover" },
];

const KNOWLEDGE_TOOLS: readonly McpTool[] = [
  { name: "sdd_knowledge", operation: "knowledge.manage", toolset: "handover" },
];

const GATE_TOOLS: readonly McpTool[] = [
  { name: "sdd_gate", operation: "gate.run", toolset: "gate" },
  { name: "sdd_evidence", operation: "gate.evidence", toolset: "gate" },
  { name: "sdd_bite", operation: "gate.bite", toolset: "gate" },
  { name: "sdd_verify", operation: "gate.verify", toolset: "gate" },
];

const CONTEXT_TOOLS: readonly McpTool[] = [
  { name: "sdd_context_check", operation: "context.check", toolset: "context" },
  { name: "sdd_suggest_context", operation: "context.suggest", toolset: "context" },
  { name: "sdd_audit", operation: "context.audit", toolset: "context" },
];

const SPEC_TOOLS: readonly McpTool[] = [{ name: "sdd_spec_validate", operation: "spec.validate", toolset: "spec" }];

const STACK_TOOLS: readonly McpTool[] = [{ name: "sdd_stack", operation: "stack.detect", toolset: "stack" }];

const INDEX_TOOLS: readonly McpTool[] = [
  { name: "sdd_index", operation: "indexing.update", toolset: "index" },
  { name: "sdd_query", operation: "indexing.query", toolset: "index" },
  { name: "sdd_summarize", operation: "indexing.summarize", toolset: "index" },
  { name: "sdd_feed", operation: "indexing.feed", toolset: "index" },
];

const TRACE_TOOLS: readonly McpTool[] = [
  { name: "sdd_trace", operation: "trace.show", toolset: "index" },
  { name: "sdd_drift", operation: "trace.drift", toolset: "index" },
  { name: "sdd_impact", operation: "trace.impact", toolset: "index" },
];

const ADR_TOOLS: readonly McpTool[] = [
  { name: "sdd_adr", operation: "adr.record", toolset: "adr" },
  { name: "sdd_adr_status", operation: "adr.status", toolset: "adr" },
  { name: "sdd_adr_list", operation: "adr.list", toolset: "adr" },
];

const MEMORY_TOOLS: readonly McpTool[] = [
  { name: "mem_save", operation: "memory.save", toolset: "memory" },
  { name: "mem_search", operation: "memory.search", toolset: "memory" },
  { name: "mem_context", operation: "memory.context", toolset: "memory" },
  { name: "mem_get", operation: "memory.get", toolset: "memory" },
  { name: "mem_session", operation: "memory.session", toolset: "memory" },
  { name: "mem_timeline", operation: "memory.timeline", toolset: "memory" },
  { name: "mem_update", operation: "memory.update", toolset: "memory" },
  { name: "mem_delete", operation: "memory.delete", toolset: "memory" },
  { name: "mem_relate", operation: "memory.relate", toolset: "memory" },
  { name: "mem_history", operation: "memory.history", toolset: "memory" },
  { name: "mem_progress", operation: "memory.progress", toolset: "memory" },
  { name: "mem_compact", operation: "memory.compact", toolset: "memory" },
  {
    name: "mem_suggest_topic_key",
    operation: "memory.suggest-topic-key",
    toolset: "memory",
  },
  { name: "mem_stats", operation: "memory.stats", toolset: "memory" },
];

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

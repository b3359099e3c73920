import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { loadCatalogueOperation } from "../catalogue.ts";
import type { Engine } from "../engine.ts";
import { validateOperationInput } from "#kernel/operations/operation.ts";
import type { ClientProgress } from "./client-progress.ts";
import { renderMcpFault, renderMcpFix, renderMcpPage } from "./mcp-render.ts";
import type { McpHost } from "./client-session.ts";
import { type McpTool, MCP_TOOLS } from "./tool-table.ts";

/** The tools that the workspace of a call offers; without an engine, that of the server. */
export type Offered = (engine?: Engine) => Promise<readonly McpTool[]>;

interface ToolCallContext {
  readonly clientRoots: readonly string[] | undefined;
  readonly offered: Offered;
  readonly progress?: () => Promise<ClientProgress>;
}

export async function runToolCall(
  tool: McpTool,
  { workspace, ...input }: Readonly<Record<string, unknown>>,
  house: McpHost,
  { clientRoots, offered, progress: toClient }: ToolCallContext,
): Promise<CallToolResult> {
  let progress: ClientProgress | undefined;
  let tools: readonly McpTool[] | undefined;
  try {
    const operation = await loadCatalogueOperation(tool.operation);
    const checked = await validateOperationInput(operation, input);
    progress = operation.isLong ? await toClient?.() : undefined;
    const engine = await house.open({
      progress,
      argument: checkWorkspaceArgument(workspace),
      clientRoots,
      mayBegin: operation.mayBegin ?? false,
      mayLack: operation.isUsers ?? false,
    });
    tools = await offered(engine);
    assertOffered(tool, tools);
    const output = await operation.run(engine, checked);
    // The call may have begun or ended what some tools are for. Its result stands even if they cannot be listed.
    const before = tools;
    const named = operation.effect === "read" ? tools : await offered(engine).catch(() => before);
    return {
      content: [{ type: "text", text: renderMcpPage(operation.page(output), named) }],
      structuredContent: output as Record<string, unknown>,
    };
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (!(error instanceof Fault)) return createDefectResult(error, house);
    tools ??= await offered();
    assertOffered(tool, tools);
    return createFaultResult(error, tools);
  } finally {
    progress?.stop();
  }
}

function assertOffered(tool: McpTool, tools: readonly McpTool[]): void {
  if (!tools.includes(tool)) throw unknownTool(tool.name, tools);
}

function checkWorkspaceArgument(workspace: unknown): string | undefined {
  if (workspace === undefined) return undefined;
  if (typeof workspace === "string" && workspace.trim() !== "") return workspace;
  throw new Fault("input.invalid", {
    what: "The call was not run.",
    why: "workspace must be the path of a folder.",
    fix: "Leave workspace out, or give an absolute path.",
  });
}

function createFaultResult(fault: Fault, offered: readonly McpTool[]): CallToolResult {
  const { code, what, why, fixes } = fault;
  return {
    isError: true,
    content: [{ type: "text", text: renderMcpFault(fault, offered) }],
    _meta: { "tenon/fault": { code, what, why, fix: fixes.map((fix) => renderMcpFix(fix, offered)) } },
  };
}

async function createDefectResult(error: unknown, house: McpHost): Promise<CallToolResult> {
  const { id } = await house.logDefect(error);
  return { isError: true, content: [{ type: "text", text: `Defect ${id} in Tenon. The details are in its log.` }] };
}

/** When tools come by themselves, beside the default ones. */
const COMES: Readonly<Record<string, string>> = {
  adopt: "while there are no specs",
  gate: "once a workflow is under way",
  project: "once sdd_init_project has begun a project",
  roadmap: "once tenon design or tenon roadmap create has begun a feature",
  spec: "once a workflow is under way",
  stack: "once a workflow is under way",
  workflow: "once a workflow is under way",
};

/** A tool that exists, but is not offered here and now. */
function whyHidden(name: string): string {
  const tool = MCP_TOOLS.find((candidate) => candidate.name === name);
  if (!tool) return "";
  const comes = COMES[tool.toolset];
  const itself = comes ? `with the default tools ${comes}, or always ` : "";
  return ` now: it is offered ${itself}with tenon mcp --toolsets default,${tool.toolset}`;
}

export function unknownTool(name: string, tools: readonly McpTool[]): ProtocolError {
  const names = tools.map((tool) => tool.name).join(", ");
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool ${sanitizeText(name, 60)}${whyHidden(name)}. There are: ${names}.`,
  );
}

type ToolInput = Readonly<Record<string, unknown>>;

interface CurrentToolCall {
  readonly name: string;
  readonly input: ToolInput;
}

/**
 * Tool names and arguments of older tools. They are not listed, so they cost no tokens, but calls to them still work.
 */
const LEGACY_TOOL_CALLS: Readonly<Record<string, (input: ToolInput) => CurrentToolCall>> = {
  mem_save_prompt: (input) => ({ name: "mem_save", input: { ...input, save_type: "prompt" } }),
  mem_capture_passive: (input) => ({ name: "mem_save", input: { ...input, save_type: "passive" } }),
  mem_session_start: (input) => ({ name: "mem_session", input: { ...input, action: "start" } }),
  mem_session_end: (input) => ({ name: "mem_session", input: { ...input, action: "end" } }),
  mem_session_summary: (input) => ({
    name: "mem_save",
    input: { title: "Session summary", type: "session_summary", ...input },
  }),
  mem_get_observation: (input) => ({ name: "mem_get", input }),
  mem_build_context: ({ observation_id, ...input }) => ({
    name: "mem_get",
    input: { depth: 2, ...input, id: observation_id },
  }),
  mem_unrelate: (input) => ({ name: "mem_relate", input: { ...input, action: "remove" } }),
  sdd_clarify: ({ dimension_scores, ...input }) => ({
    name: "sdd_clarify",
    input: {
      ...input,
      ...(dimension_scores === undefined ? {} : { dimension_scores: convertScoreClaims(dimension_scores) }),
    },
  }),
  // The engine now computes these arguments.
  sdd_create_tasks: (input) => {
    const { total_tasks, ...rest } = omitToolFields(input, "dependency_graph", "wave_assignments");
    const total = total_tasks === undefined ? {} : { total_tasks: convertDigits(total_tasks) };
    return { name: "sdd_create_tasks", input: { ...rest, ...total } };
  },
  sdd_validate: (input) => ({
    name: "sdd_validate",
    input: omitToolFields(input, "requirements_coverage", "component_coverage"),
  }),
  sdd_context: ({ mode, ...input }) => ({
    name: (typeof mode === "string" ? LEGACY_CONTEXT_MODES[mode] : undefined) ?? "sdd_get_context",
    input,
  }),
};

function omitToolFields(input: ToolInput, ...names: readonly string[]): ToolInput {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)));
}

const LEGACY_CONTEXT_MODES: Readonly<Record<string, string>> = {
  check: "sdd_context_check",
  suggest: "sdd_suggest_context",
};

const convertDigits = (value: unknown): unknown =>
  typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;

/** Converts `security:80,edge_cases:60` to claims. They have no evidence, so the answer asks for it. */
function convertScoreClaims(scores: unknown): unknown {
  if (typeof scores !== "string") return scores;
  return scores.split(",").map((each) => {
    const [dimension = "", score = ""] = each.split(":").map((part) => part.trim());
    return { dimension, score: convertDigits(score) };
  });
}

export function translateLegacyCall(name: string, input: ToolInput): CurrentToolCall {
  const older = Object.hasOwn(LEGACY_TOOL_CALLS, name) ? LEGACY_TOOL_CALLS[name] : undefined;
  return older ? older(input) : { name, input };
}

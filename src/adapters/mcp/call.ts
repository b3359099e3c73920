import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { Fault } from "#domain/fault.ts";
import { sanitizeText } from "#domain/quote.ts";
import { loadCatalogueOperation } from "#operations/catalogue.ts";
import type { Engine } from "#operations/engine.ts";
import { validateOperationInput } from "#operations/input.ts";
import type { ClientProgress } from "./progress.ts";
import { renderMcpFault, renderMcpFix, renderMcpPage } from "./render.ts";
import type { McpHost } from "./session.ts";
import type { McpTool } from "./tool.ts";
import { MCP_TOOLS } from "./toolsets.ts";

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

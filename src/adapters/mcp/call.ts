import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { Fault } from "#domain/fault.ts";
import { sanitizeText } from "#domain/quote.ts";
import { loadCatalogueOperation } from "#operations/catalogue.ts";
import type { Engine } from "#operations/engine.ts";
import { validateOperationInput } from "#operations/input.ts";
import type { ClientProgress } from "./progress.ts";
import { renderFault, renderFix, renderPage } from "./render.ts";
import type { McpHouse } from "./session.ts";
import type { Tool } from "./tool.ts";
import { TOOLS } from "./toolsets.ts";

/** The tools that the workspace of a call offers; without an engine, that of the server. */
export type Offered = (engine?: Engine) => Promise<readonly Tool[]>;

interface Circumstances {
  readonly clientRoots: readonly string[] | undefined;
  readonly offered: Offered;
  readonly progress?: () => Promise<ClientProgress>;
}

export async function callTool(
  tool: Tool,
  { workspace, ...input }: Readonly<Record<string, unknown>>,
  house: McpHouse,
  { clientRoots, offered, progress: toClient }: Circumstances,
): Promise<CallToolResult> {
  let progress: ClientProgress | undefined;
  let tools: readonly Tool[] | undefined;
  try {
    const operation = await loadCatalogueOperation(tool.operation);
    const checked = await validateOperationInput(operation, input);
    progress = operation.isLong ? await toClient?.() : undefined;
    const engine = await house.open({
      progress,
      argument: placeOf(workspace),
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
      content: [{ type: "text", text: renderPage(operation.page(output), named) }],
      structuredContent: output as Record<string, unknown>,
    };
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (!(error instanceof Fault)) return defectResult(error, house);
    tools ??= await offered();
    assertOffered(tool, tools);
    return faultResult(error, tools);
  } finally {
    progress?.stop();
  }
}

function assertOffered(tool: Tool, tools: readonly Tool[]): void {
  if (!tools.includes(tool)) throw unknownTool(tool.name, tools);
}

function placeOf(workspace: unknown): string | undefined {
  if (workspace === undefined) return undefined;
  if (typeof workspace === "string" && workspace.trim() !== "") return workspace;
  throw new Fault("input.invalid", {
    what: "The call was not run.",
    why: "workspace must be the path of a folder.",
    fix: "Leave workspace out, or give an absolute path.",
  });
}

function faultResult(fault: Fault, offered: readonly Tool[]): CallToolResult {
  const { code, what, why, fixes } = fault;
  return {
    isError: true,
    content: [{ type: "text", text: renderFault(fault, offered) }],
    _meta: { "tenon/fault": { code, what, why, fix: fixes.map((fix) => renderFix(fix, offered)) } },
  };
}

async function defectResult(error: unknown, house: McpHouse): Promise<CallToolResult> {
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
  const tool = TOOLS.find((candidate) => candidate.name === name);
  if (!tool) return "";
  const comes = COMES[tool.toolset];
  const itself = comes ? `with the default tools ${comes}, or always ` : "";
  return ` now: it is offered ${itself}with tenon mcp --toolsets default,${tool.toolset}`;
}

export function unknownTool(name: string, tools: readonly Tool[]): ProtocolError {
  const names = tools.map((tool) => tool.name).join(", ");
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool ${sanitizeText(name, 60)}${whyHidden(name)}. There are: ${names}.`,
  );
}

import type { CallToolResult } from "@modelcontextprotocol/server";
import { Fault } from "#domain/fault.ts";
import { loadOperation } from "#operations/catalogue.ts";
import { checkInput } from "#operations/input.ts";
import type { ClientProgress } from "./progress.ts";
import { renderFault, renderFix, renderPage } from "./render.ts";
import type { McpHouse } from "./session.ts";
import type { Tool } from "./tool.ts";

interface Circumstances {
  readonly clientRoots: readonly string[] | undefined;
  readonly offered: readonly Tool[];
  /** The tools after the call, which may have begun or ended the work that some of them are for. */
  readonly offeredNow: () => Promise<readonly Tool[]>;
  readonly progress?: () => Promise<ClientProgress>;
}

export async function callTool(
  tool: Tool,
  { workspace, ...input }: Readonly<Record<string, unknown>>,
  house: McpHouse,
  { clientRoots, offered, offeredNow, progress: toClient }: Circumstances,
): Promise<CallToolResult> {
  let progress: ClientProgress | undefined;
  try {
    const operation = await loadOperation(tool.operation);
    const checked = await checkInput(operation, input);
    progress = operation.isLong ? await toClient?.() : undefined;
    const engine = await house.open({
      progress,
      argument: placeOf(workspace),
      clientRoots,
      mayBegin: operation.mayBegin ?? false,
      mayLack: operation.isUsers ?? false,
    });
    const output = await operation.run(engine, checked);
    const named = operation.effect === "read" ? offered : await offeredNow();
    return {
      content: [{ type: "text", text: renderPage(operation.page(output), named) }],
      structuredContent: output as Record<string, unknown>,
    };
  } catch (error) {
    return error instanceof Fault ? faultResult(error, offered) : defectResult(error, house);
  } finally {
    progress?.stop();
  }
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

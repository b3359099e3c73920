import { DOOR_TABLE, type OperationId } from "../catalogue.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";

/** Its description is `assets/tools/<name>.md`; its schemas come from the operation. */
export interface McpTool {
  readonly name: string;
  readonly operation: OperationId;
  readonly toolset: string;
}

export const MCP_TOOLS: readonly McpTool[] = Object.entries(DOOR_TABLE).flatMap(([id, { tool: name, toolset }]) =>
  name === undefined || toolset === undefined ? [] : [{ name, operation: id as OperationId, toolset }],
);

const TOOLSET_NAMES: readonly string[] = ["default", "all", ...new Set(MCP_TOOLS.map((tool) => tool.toolset))];

export function selectTools(names: readonly string[]): McpTool[] {
  for (const name of names) {
    if (TOOLSET_NAMES.includes(name) || MCP_TOOLS.some((tool) => tool.name === name)) continue;
    throw new Fault("usage.unknown-toolset", {
      what: "The server was not started.",
      why: `Unknown toolset ${quote(name, 40)}. Toolsets: ${TOOLSET_NAMES.join(", ")}.`,
      fix: "tenon mcp --toolsets default",
    });
  }
  const wanted = new Set(names);
  return MCP_TOOLS.filter(
    ({ name, operation, toolset }) =>
      wanted.has("all") ||
      wanted.has(toolset) ||
      wanted.has(name) ||
      (wanted.has("default") && DOOR_TABLE[operation].isDefault),
  );
}

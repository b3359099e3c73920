import type { OperationEffect } from "#kernel/operations/operation.ts";
import type { OperationId } from "../catalogue.ts";
import { DOOR_TABLE } from "../door-table.ts";
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

export const MCP_TOOLS: readonly McpTool[] = Object.entries(DOOR_TABLE).flatMap(([id, { tool: name, toolset }]) =>
  name === undefined || toolset === undefined ? [] : [{ name, operation: id as OperationId, toolset }],
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
    ({ name, operation, toolset }) =>
      wanted.has("all") ||
      wanted.has(toolset) ||
      wanted.has(name) ||
      (wanted.has("default") && DOOR_TABLE[operation].isDefault),
  );
}

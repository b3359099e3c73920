import fs from "node:fs";
import * as z from "zod";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import type { OperationEffect } from "#kernel/operations/operation.ts";
import {
  loadCatalogueOperation,
  OPERATION_IDS,
  type OperationId,
  type ToolJsonSchema,
  type ToolSurface,
} from "#doors/catalogue.ts";

/**
 * Maps an effect to the protocol's hints. Hints equal to the protocol's defaults are left out, because they cost tokens
 * in every session. No tool reaches outside the machine, and clients such as Codex ask for approval of a tool that may.
 */
function createToolHints(effect: OperationEffect): Record<string, boolean> {
  const closed = { openWorldHint: false };
  if (effect === "read") return { readOnlyHint: true, ...closed };
  return effect === "destroy" ? closed : { destructiveHint: false, ...closed };
}

/** Every tool accepts it, so no tool describes it. The doors resolve it before an operation runs. */
const WORKSPACE_ARGUMENT: ToolJsonSchema = { type: "string" };

export async function createSurfaceFiles(): Promise<Record<string, string>> {
  const alone = OPERATION_IDS.filter((id) => !MCP_TOOLS.some((tool) => tool.operation === id));
  const surfaces = await Promise.all([...MCP_TOOLS.map(createToolSurface), ...alone.map(createCommandSurface)]);
  return Object.fromEntries(
    surfaces.map((surface) => [`assets/surface/${surface.operation}.json`, `${JSON.stringify(surface, null, 2)}\n`]),
  );
}

async function createToolSurface(tool: (typeof MCP_TOOLS)[number]): Promise<ToolSurface> {
  const operation = await loadCatalogueOperation(tool.operation);
  const input = await loadInputSchema(tool.operation);
  return {
    operation: tool.operation,
    name: tool.name,
    toolset: tool.toolset,
    description: fs.readFileSync(`assets/tools/${tool.name}.md`, "utf8").trim(),
    annotations: createToolHints(operation.effect),
    inputSchema: { ...input, properties: { ...input.properties, workspace: WORKSPACE_ARGUMENT } },
  };
}

/** Operations without a tool. Only the command line uses the schema. */
async function createCommandSurface(operation: OperationId): Promise<Pick<ToolSurface, "operation" | "inputSchema">> {
  return { operation, inputSchema: await loadInputSchema(operation) };
}

async function loadInputSchema(id: OperationId): Promise<ToolJsonSchema> {
  const operation = await loadCatalogueOperation(id);
  return operation.input ? convertToJsonSchema(await operation.input()) : { type: "object", properties: {} };
}

function convertToJsonSchema(schema: z.ZodType): ToolJsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { target: "draft-2020-12" });
  return removeSchemaLimits(json as ToolJsonSchema);
}

/** A client needs only the argument types. A fault explains limits and unknown arguments. A list describes its items. */
function removeSchemaLimits(value: ToolJsonSchema): ToolJsonSchema {
  const limits = ["additionalProperties", "minimum", "maximum", "minLength", "maxLength", "maxItems", "pattern"];
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => {
      if (limits.includes(key)) return undefined;
      const { description: _, ...item } = key === "items" ? (inner as ToolJsonSchema) : { description: "" };
      return key === "items" && !Array.isArray(inner) ? item : inner;
    }),
  ) as ToolJsonSchema;
}

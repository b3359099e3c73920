import type { OperationId } from "./catalogue.ts";

export interface ToolJsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, ToolJsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: ToolJsonSchema;
}

/** An operation as an MCP tool, generated from its schemas into `assets/surface/<operation>.json`. */
export interface ToolSurface {
  readonly operation: OperationId;
  readonly name: string;
  readonly toolset: string;
  readonly description: string;
  readonly annotations: Readonly<Record<string, boolean>>;
  readonly inputSchema: ToolJsonSchema;
}

export interface ToolSurfaceStore {
  of(id: OperationId): Promise<ToolSurface>;
}

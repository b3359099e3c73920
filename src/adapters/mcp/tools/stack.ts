import type { McpTool } from "../tool.ts";

export const STACK_TOOLS: readonly McpTool[] = [{ name: "sdd_stack", operation: "stack.detect", toolset: "stack" }];

import type { McpTool } from "../tool.ts";

export const SPEC_TOOLS: readonly McpTool[] = [
  { name: "sdd_spec_validate", operation: "spec.validate", toolset: "spec" },
];

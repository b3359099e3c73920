import type { Tool } from "../tool.ts";

export const stackTools: readonly Tool[] = [{ name: "sdd_stack", operation: "stack.detect", toolset: "stack" }];

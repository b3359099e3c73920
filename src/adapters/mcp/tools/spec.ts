import type { Tool } from "../tool.ts";

export const specTools: readonly Tool[] = [{ name: "sdd_spec_validate", operation: "spec.validate", toolset: "spec" }];

import type { Tool } from "../tool.ts";

export const exploreTools: readonly Tool[] = [{ name: "sdd_explore", operation: "explore.record", toolset: "explore" }];

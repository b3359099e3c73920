import type { Tool } from "../tool.ts";

export const indexingTools: readonly Tool[] = [];

import type { Tool } from "../tool.ts";

export const traceTools: readonly Tool[] = [];

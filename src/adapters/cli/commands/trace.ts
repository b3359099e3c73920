import type { Command } from "../command.ts";

export const traceCommands: readonly Command[] = [];

import type { Command } from "../command.ts";

export const indexingCommands: readonly Command[] = [];

import { parseCommandArguments } from "./argv.ts";
import { EXIT_CODES, type ExitCode } from "./exit-code.ts";
import type { CliHost } from "./program.ts";

export async function runMcpCommand(words: readonly string[], house: CliHost): Promise<ExitCode> {
  const command = { path: "mcp", operation: "workspace.status", summary: "", examples: [] } as const;
  const { input, common } = parseCommandArguments(command, words, { properties: { toolsets: { type: "string" } } });
  if (common.help) {
    house.io.out(await house.asset("cli/mcp.md"));
    return EXIT_CODES.done;
  }
  const toolsets =
    typeof input["toolsets"] === "string" ? input["toolsets"].split(",").map((name) => name.trim()) : undefined;
  await house.serveMcp({ argument: common.workspace, toolsets });
  return EXIT_CODES.done;
}

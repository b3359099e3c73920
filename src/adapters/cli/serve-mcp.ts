import { parseArgv } from "./argv.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { CliHouse } from "./program.ts";

export async function serveMcp(words: readonly string[], house: CliHouse): Promise<ExitCode> {
  const command = { path: "mcp", operation: "workspace.status", summary: "", examples: [] } as const;
  const { input, common } = parseArgv(command, words, { properties: { toolsets: { type: "string" } } });
  if (common.help) {
    house.io.out(await house.asset("cli/mcp.md"));
    return EXIT.done;
  }
  const toolsets =
    typeof input["toolsets"] === "string" ? input["toolsets"].split(",").map((name) => name.trim()) : undefined;
  await house.serveMcp({ argument: common.workspace, toolsets });
  return EXIT.done;
}

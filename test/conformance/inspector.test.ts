/**
 * The official inspector on the built server, as anybody would look at it. It is 110 MB with what it needs, so only the
 * full tier fetches it.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { temporaryRepository } from "../kit/folder.ts";

const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";

function inspect(cwd: string, ...flags: readonly string[]): { readonly code: number | null; readonly said: unknown } {
  const server = [process.execPath, join(process.cwd(), "bin", "tenon.js"), "mcp", "--structured", "--toolsets", "all"];
  const words = ["--yes", INSPECTOR, "--cli", ...server, ...flags];
  const { status, stdout } = spawnSync("npx", words, { cwd, encoding: "utf8" });
  return { code: status, said: JSON.parse(stdout) };
}

test.skipIf(process.env["TENON_FULL"] !== "1")("passes the inspector's strict checks", () => {
  using repository = temporaryRepository();
  const { code, said } = inspect(repository.path, "--method", "tools/list", "--strict");
  expect(code).toBe(0);
  expect((said as { tools: { name: string }[] }).tools.map((tool) => tool.name)).toEqual(
    MCP_TOOLS.map((tool) => tool.name),
  );
  expect(inspect(repository.path, "--method", "resources/list")).toMatchObject({
    code: 0,
    said: { resources: expect.arrayContaining([expect.objectContaining({ uri: "sdd://status" })]) as unknown },
  });
  expect(inspect(repository.path, "--method", "prompts/get", "--prompt-name", "sdd-memory-guide").code).toBe(0);
  const called = inspect(repository.path, "--method", "tools/call", "--tool-name", "sdd_status");
  expect(called).toMatchObject({ code: 0, said: { structuredContent: { root: repository.path } } });
});

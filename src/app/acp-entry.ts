/** A client of the Agent Client Protocol, in the place of an agent that `tenon run` starts. Prints a line for each event. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { promptAcpAgent } from "#running/adapters/acp-client.ts";
import type { ToolUse } from "#running/model/acp-permission.ts";

const isSource = import.meta.url.endsWith(".ts");
const locate = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const NODE = isSource ? [process.execPath, "--conditions=tenon-source"] : [process.execPath];
const HOOK = [...NODE, locate(isSource ? "./hook-entry.ts" : "../bin/tenon.js"), "hook", "PreToolUse"];
const SERVER = [process.execPath, locate(isSource ? "../../bin/tenon.js" : "../bin/tenon.js"), "mcp"];
/** An agent that does not end its turn after this time is ended with its processes. */
const CANCEL_MS = 2000;

const [options = "{}", ...argv] = process.argv.slice(2);
const { session, model } = JSON.parse(options) as { readonly session?: string; readonly model?: string };
const folder = process.cwd();
const stop = new AbortController();
process.once("SIGTERM", () => {
  stop.abort();
  setTimeout(() => process.exit(1), CANCEL_MS).unref();
});

/** An answer that cannot be read allows nothing. */
async function refuse({ tool, input }: ToolUse): Promise<string | undefined> {
  const [program = "", ...words] = HOOK;
  const call = { hook_event_name: "PreToolUse", cwd: folder, tool_name: tool, tool_input: input };
  const { status, stdout } = spawnSync(program, words, { input: JSON.stringify(call), encoding: "utf8" });
  if (status !== 0) return "The guard did not answer.";
  if (stdout.trim() === "") return undefined;
  const { hookSpecificOutput: answer } = JSON.parse(stdout) as {
    readonly hookSpecificOutput?: { readonly permissionDecision?: string; readonly permissionDecisionReason?: string };
  };
  return answer?.permissionDecision === "deny" ? (answer.permissionDecisionReason ?? "refused") : undefined;
}

const isDone = await promptAcpAgent(
  { argv, folder, prompt: fs.readFileSync(0, "utf8"), session, model, server: SERVER },
  { emit: (event) => void fs.writeSync(1, `${JSON.stringify(event)}\n`), refuse, cancelled: stop.signal },
);
// The agent may not end by itself.
process.exit(isDone ? 0 : 1);

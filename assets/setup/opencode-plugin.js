// Written by `tenon setup opencode`: Tenon hears of edits here, and may refuse them before they happen.
import { spawnSync } from "node:child_process";

const ASKED = new Set(["edit", "write", "patch", "apply_patch", "multiedit", "bash"]);

function ask(event, payload) {
  const isWindows = process.platform === "win32";
  const run = spawnSync("tenon", ["hook", event], { input: JSON.stringify(payload), encoding: "utf8", timeout: 5000, shell: isWindows });
  try {
    return JSON.parse(run.stdout);
  } catch {
    return undefined;
  }
}

export const Tenon = async ({ directory }) => {
  const calls = new Map();
  return {
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      if (!ASKED.has(tool)) return;
      const call = { session_id: sessionID, cwd: directory, tool_name: tool, tool_input: args };
      const said = ask("pre-tool-use", call)?.hookSpecificOutput;
      if (said?.permissionDecision === "deny") throw new Error(said.permissionDecisionReason);
      if (tool !== "bash") calls.set(callID, call);
    },
    "tool.execute.after": async ({ callID }) => {
      const call = calls.get(callID);
      if (call && calls.delete(callID)) ask("post-tool-use", call);
    },
  };
};

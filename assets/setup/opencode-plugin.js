// Written by `tenon setup opencode`. Runs Tenon's hooks: session start and end, edits, and claims of finished work.
import { spawnSync } from "node:child_process";

const EDIT_TOOLS = new Set([
  "edit",
  "write",
  "patch",
  "apply_patch",
  "multiedit",
  "bash",
]);

function runHook(event, payload) {
  const isWindows = process.platform === "win32";
  const input = JSON.stringify(payload);
  const run = spawnSync("tenon", ["hook", event], {
    input,
    encoding: "utf8",
    timeout: 5000,
    shell: isWindows,
  });
  try {
    return JSON.parse(run.stdout);
  } catch {
    return undefined;
  }
}

export const Tenon = async ({ client, directory }) => {
  const calls = new Map();
  const parents = new Map();
  /** Context for the model, by session. A key means that the session has begun. */
  const contexts = new Map();
  const lastTexts = new Map();

  /** A subagent works in the session that started it. */
  const findRoot = (id) => (parents.has(id) ? findRoot(parents.get(id)) : id);
  const payloadFor = (id, more = {}) => ({
    session_id: findRoot(id),
    cwd: directory,
    ...more,
  });
  const endSession = (id) => {
    if (contexts.delete(id)) runHook("session-end", payloadFor(id));
  };
  const endSessions = () => [...contexts.keys()].forEach(endSession);
  process.once("exit", endSessions);

  /** Sends Tenon's objection to a claim back to the model. */
  const challengeClaim = async (id) => {
    const text = lastTexts.get(id);
    if (parents.has(id) || !lastTexts.delete(id)) return;
    const answer = runHook(
      "stop",
      payloadFor(id, { last_assistant_message: text }),
    );
    if (answer?.decision !== "block") return;
    await client.session.promptAsync({
      path: { id },
      body: { parts: [{ type: "text", text: answer.reason }] },
    });
  };

  return {
    // OpenCode also reads the skills of other clients. Its own commands have the same names.
    config: async (config) => {
      if (typeof config.permission === "string")
        config.permission = { "*": config.permission };
      const skill = config.permission?.skill;
      const rules = typeof skill === "string" ? { "*": skill } : skill;
      config.permission = {
        ...config.permission,
        skill: { ...rules, "sdd-*": "deny" },
      };
    },
    event: async ({ event: { type, properties } }) => {
      if (type === "session.created" && properties.info.parentID)
        parents.set(properties.info.id, properties.info.parentID);
      // The session still runs here, so that also a headless one continues with the objection.
      const { part } = properties;
      if (part?.type === "step-finish" && part.reason === "stop")
        await challengeClaim(part.sessionID);
      if (type === "session.idle") await challengeClaim(properties.sessionID);
      if (type === "session.deleted") endSession(properties.info.id);
    },
    "chat.message": async ({ sessionID }) => {
      if (parents.has(sessionID)) return;
      const event = contexts.has(sessionID)
        ? "user-prompt-submit"
        : "session-start";
      const context = runHook(
        event,
        payloadFor(sessionID, { source: "startup" }),
      )?.hookSpecificOutput?.additionalContext;
      if (context !== undefined || !contexts.has(sessionID))
        contexts.set(sessionID, context);
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const context = contexts.get(sessionID);
      if (context !== undefined) system.push(context);
    },
    "experimental.text.complete": async ({ sessionID }, { text }) => {
      lastTexts.set(sessionID, text);
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      if (!EDIT_TOOLS.has(tool)) return;
      const call = payloadFor(sessionID, { tool_name: tool, tool_input: args });
      const answer = runHook("pre-tool-use", call)?.hookSpecificOutput;
      if (answer?.permissionDecision === "deny")
        throw new Error(answer.permissionDecisionReason);
      if (tool !== "bash") calls.set(callID, call);
    },
    "tool.execute.after": async ({ callID }) => {
      const call = calls.get(callID);
      if (call && calls.delete(callID)) runHook("post-tool-use", call);
    },
    dispose: async () => endSessions(),
  };
};

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { connect } from "../kit/client.ts";
import { environment } from "../kit/fixtures.ts";
import { tenon as runTenon } from "../kit/process.ts";
import { put } from "../kit/repository.ts";

export interface HonestAgent extends AsyncDisposable {
  /** Each refused call with its answer. */
  readonly refused: readonly string[];
  /** The name of each called tool. */
  readonly calls: readonly string[];
  readonly tell: (tool: string, input?: Record<string, unknown>) => Promise<Record<string, unknown>>;
  /** An edit that the hooks of its client report. */
  readonly edit: (path: string, text: string) => void;
  /** A message of the user in its client. */
  readonly hear: (prompt: string) => void;
  /** Ends its server as the system does when the client is killed. */
  readonly kill: () => Promise<void>;
}

/** An agent over MCP, in a project whose commands its user trusts. */
export async function meetHonestAgent(root: string, home: string): Promise<HonestAgent> {
  const env = { ...environment(), TENON_HOME: home };
  const tenon = (...words: string[]): string =>
    execFileSync(process.execPath, [join(process.cwd(), "bin/tenon.js"), ...words], {
      cwd: root,
      env,
      encoding: "utf8",
    });
  tenon("trust", "--confirm", /[0-9a-f]{64}/.exec(tenon("trust"))?.[0] ?? "");
  const agent = await connect("2025-11-25", { cwd: root, env });
  const hook = (event: string, more: object): string => {
    const input = JSON.stringify({ cwd: root, session_id: "hooked", ...more });
    return runTenon(["hook", event], { cwd: root, env: { TENON_HOME: home }, input }).out;
  };
  const refused: string[] = [];
  const calls: string[] = [];
  return {
    refused,
    calls,
    edit: (path, text) => {
      const call = { tool_name: "Write", tool_input: { file_path: join(root, path) } };
      const answer = hook("pre-tool-use", call);
      if (answer !== "") refused.push(`edit ${path}: ${answer}`);
      put(root, path, text);
      hook("post-tool-use", call);
    },
    hear: (prompt) => void hook("user-prompt-submit", { prompt }),
    kill: async () => {
      process.kill(agent.pid ?? 0, "SIGKILL");
      await agent.closed;
    },
    tell: async (tool, input = {}) => {
      calls.push(tool);
      const { isError, content, structuredContent } = await agent.call(tool, input);
      // A refusal is an answer of its own kind, so the structured part shows it.
      const { passed = true, ...answer } = (structuredContent ?? {}) as { passed?: boolean; question?: boolean };
      // A call that only asks for the questions of a gate has not passed it, and is not refused.
      if (isError || (!passed && !answer.question)) refused.push(`${tool}: ${JSON.stringify(content)}`);
      return answer;
    },
    [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose](),
  };
}

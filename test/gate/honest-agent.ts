import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { connect } from "../kit/client.ts";
import { environment } from "../kit/fixtures.ts";

export interface HonestAgent extends AsyncDisposable {
  /** Each refused call with its answer. */
  readonly refused: readonly string[];
  /** The name of each called tool. */
  readonly calls: readonly string[];
  readonly tell: (tool: string, input: Record<string, unknown>) => Promise<Record<string, unknown>>;
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
  const refused: string[] = [];
  const calls: string[] = [];
  return {
    refused,
    calls,
    tell: async (tool, input) => {
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

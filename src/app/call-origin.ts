import type { CallOrigin } from "#kernel/operations/engine.ts";
import type { ProcessContext } from "./application-host.ts";

/** Looks for signs of an agent only when an approval asks for them. */
export const createTerminalOrigin = (world: ProcessContext): CallOrigin => ({
  name: "terminal",
  user: readUserName(world.environment),
  canElicit: false,
  async findAgentSign() {
    const { findAgentSign } = await import("#kernel/adapters/agent-signs.ts");
    const { environment } = world;
    return findAgentSign({ isTerminal: world.io.canAsk, environment, ancestors: await world.ancestors() });
  },
  async isUnattended() {
    const { findAgentVariable } = await import("#kernel/adapters/agent-signs.ts");
    return !world.io.canAsk && findAgentVariable(world.environment) === undefined;
  },
});

const readUserName = ({ USER, LOGNAME, USERNAME }: ProcessContext["environment"]): string =>
  USER || LOGNAME || USERNAME || "the user";

/** A call of an MCP client. An agent made it, whoever asked the agent. */
export const createClientOrigin = (
  { environment }: Pick<ProcessContext, "environment">,
  { name, canElicit }: Pick<CallOrigin, "name" | "canElicit">,
): CallOrigin => ({
  name,
  user: readUserName(environment),
  canElicit,
  findAgentSign: async () => "an agent called a tool",
  isUnattended: async () => false,
});

import { describe, expect, test } from "vitest";
import { DEFAULT_CLIENT_IDS } from "#onboarding/model/setup/client-catalog.ts";
import { scriptedModel } from "../plugin/model.ts";
import { findClientProblem, listAgentQuestions, machineWithSetup, REAL_CLIENTS, runSession } from "./real-client.ts";

/** These have commands of their own, and would list the skills of other clients next to them. */
const CLIENTS_WITH_COMMANDS = ["gemini", "opencode"];

describe.each(REAL_CLIENTS.filter(({ id }) => id !== "claude"))("the real $id beside all other clients", (client) => {
  const problem = findClientProblem(client);

  test.skipIf(problem)(
    `lists each command of Tenon once${problem ? ` (${problem})` : ""}`,
    { timeout: 180_000, retry: 2 },
    async () => {
      using own = machineWithSetup(...DEFAULT_CLIENT_IDS);
      await using model = await scriptedModel(() => ({ text: "Hello." }));
      client.prepare(own, model.url);
      await runSession(client, own, "Go.");
      const [question] = listAgentQuestions(model);
      const skills = question?.text.match(/Show the state of all work/g) ?? [];
      expect(skills).toHaveLength(CLIENTS_WITH_COMMANDS.includes(client.id) ? 0 : 1);
      if (client.id !== "opencode") return;
      const { command } = JSON.parse(own.run("opencode", ["debug", "config"]).out) as { command: object };
      expect(Object.keys(command)).toContain("sdd-status");
    },
  );
});

import { spawn } from "node:child_process";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { KNOWN_AGENTS } from "#running/model/agent-catalog.ts";
import type { StartRunOutput } from "#running/operations/run-context.ts";
import { TINY } from "../gate/tiny.ts";
import { finished } from "../kit/process.ts";
import { scriptedModel } from "../plugin/model.ts";
import type { Machine } from "../plugin/client.ts";
import { findClientProblem, machineWithSetup, REAL_CLIENTS } from "./real-client.ts";

const CODE = "export const half = (n) => n / 2;\n";
const TEST = `import { half } from "../src/half.mjs";\n\ntest("halves", () => same(half(4), 2));\n`;

/** Clients whose package also speaks the Agent Client Protocol. */
const ACP_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  gemini: ["gemini", "--acp"],
  opencode: ["opencode", "acp"],
};

const WAYS = REAL_CLIENTS.flatMap((client) => [
  ...(Object.hasOwn(KNOWN_AGENTS, client.id) ? [{ way: client.id, client, command: undefined }] : []),
  ...(client.id in ACP_COMMANDS ? [{ way: `${client.id}-acp`, client, command: ACP_COMMANDS[client.id] }] : []),
]);

/** A project with tests that the user trusts, in its first commit. */
function beginProject(own: Machine, agent: string, command: readonly string[] | undefined): void {
  for (const [path, text] of Object.entries(TINY)) {
    const file = join(own.repository, path);
    fs.mkdirSync(dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  if (command) {
    const config = join(own.repository, "sdd/config.yaml");
    const commands = { [agent]: { command, protocol: "acp" } };
    fs.appendFileSync(config, `run: ${JSON.stringify({ commands })}\n`);
  }
  const token = /[0-9a-f]{64}/.exec(own.run("tenon", ["trust"]).out)?.[0] ?? "";
  const steps = [
    ["tenon", "trust", "--confirm", token],
    ["git", "add", "-A"],
    ["git", "-c", "user.name=U", "-c", "user.email=u@example.org", "commit", "-qm", "Begin"],
  ] as const;
  for (const [program, ...words] of steps) {
    const { code, out, err } = own.run(program, words);
    if (code !== 0) throw new Error(`${program} ${words.join(" ")}: ${out}${err}`);
  }
}

describe.each(WAYS)("the real $way", ({ way, client, command }) => {
  const problem = findClientProblem(client);

  test.skipIf(problem)(
    `is started by tenon run, and its work lands${problem ? ` (${problem})` : ""}`,
    // Clients are large programs of others, with timers of their own.
    { timeout: 240_000, retry: 1 },
    async () => {
      using own = machineWithSetup(client.id, ...(client.also ? [client.also] : []));
      beginProject(own, way, command);
      const folder = join(own.repository, ".sdd/worktrees/work_add-a-function-that-halves-a-number");
      await using model = await scriptedModel(({ tools, results }) => {
        if (tools.length === 0) return { text: "A title" };
        const acts = [
          client.edit(join(folder, "src/half.mjs"), CODE),
          client.edit(join(folder, "tests/half.mjs"), TEST),
        ];
        return acts[results.length] ?? { text: "I added half and its test." };
      });
      client.prepare(own, model.url);
      const words = ["run", "Add a function that halves a number", "--agent", `${way}=1`, "--json"];
      const child = spawn(join(own.repository, "../bin/tenon"), words, {
        cwd: own.repository,
        env: own.environment,
        stdio: "pipe",
      });
      const { out, err } = await finished(child);
      expect(err).toBe("");
      const output = JSON.parse(out.trim().split("\n").at(-1) ?? "{}") as StartRunOutput;
      expect(output).toMatchObject({ complete: true, landed: 1, failed: [], waiting: [] });
      expect(fs.readFileSync(join(own.repository, "src/half.mjs"), "utf8")).toBe(CODE);
      expect(own.run("git", ["log", "-1", "--format=%s"]).out.trim()).toBe("Add a function that halves a number");
      const files = own.run("git", ["show", "--name-only", "--format=", "HEAD"]).out.trim().split("\n");
      expect(files.filter((path) => !path.startsWith("sdd/"))).toEqual(["src/half.mjs", "tests/half.mjs"]);
      // Copilot CLI counts requests, and prints no tokens.
      expect(output.tokens > 0).toBe(way !== "copilot");
    },
  );
});

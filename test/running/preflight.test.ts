import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refusal } from "../kit/fault.ts";
import { checkAgents } from "#running/operations/check-agents.ts";
import { startRun } from "#running/operations/start-run.ts";
import { runStand } from "./run-stand.ts";

const PLAN = { groups: { "tide-model": ["A"] } };

test("reports why a run cannot start, and starts no agent", async () => {
  using stand = await runStand(PLAN);
  const refuse = (input: Readonly<Record<string, unknown>> = {}) => refusal(stand.start(input));
  expect(await refuse({ agent: "claude=0" })).toMatchObject({ code: "run.bad-agents" });
  const unknown = {
    code: "run.not-ready",
    message: expect.stringContaining('Unknown agent "nobody": choose from claude, codex'),
  };
  expect(await refuse({ agent: "nobody=1" })).toEqual(unknown);
  fs.rmSync(join(stand.bin, "gemini"));
  const missing = { code: "run.not-ready", message: expect.stringContaining("Gemini CLI is not installed") };
  expect(await refuse({ agent: "gemini=1" })).toEqual(missing);
  expect(await refusal(stand.run("run.show", { action: "tide-model/build-A/1" }))).toMatchObject({
    code: "run.no-transcript",
  });
  expect(await stand.start({ plan: true })).toMatchObject({
    run: "",
    ended: expect.stringContaining("Nothing was started"),
  });
  await stand.engine.store.exclusively("run", async () => expect(await refuse()).toMatchObject({ code: "run.active" }));
  expect(fs.existsSync(join(stand.home, "starts.log"))).toBe(false);
});

test("names the command that shows a missing tool, not the trust that the user gave", async () => {
  using stand = await runStand(PLAN);
  const started = startRun.run({ ...stand.engine, isInstalled: async () => false }, {});
  await expect(started).rejects.toMatchObject({
    code: "run.not-ready",
    why: expect.stringContaining("is not installed"),
    fixes: ["tenon doctor"],
  });
});

test("tenon run check asks each agent for one word, and gives the line to type for each failure", async () => {
  const acts = [
    { action: "check", client: "claude", act: "login" },
    { action: "check", client: "gemini", act: "limit", text: "429 Too Many Requests, retry after 90 seconds" },
    { action: "check", client: "copilot", act: "crash" },
  ];
  using stand = await runStand({ groups: {}, acts });
  fs.rmSync(join(stand.bin, "opencode"));
  const check = (agent?: string) => checkAgents.run(stand.engine, agent === undefined ? {} : { agent });
  const { agents } = await check();
  expect(agents.map(({ agent, problem }) => [agent, problem])).toEqual([
    ["claude", "Claude Code is not signed in. Run: claude, then /login"],
    ["codex", undefined],
    ["gemini", expect.stringMatching(/^Its provider has a limit, for about 1 min: 429 Too Many Requests/)],
    ["copilot", expect.stringMatching(/^The agent failed with exit code 137\./)],
  ]);
  expect(agents[1]).toEqual({
    agent: "codex",
    version: "9.9.9",
    tools: false,
    hooks: false,
    notes: [
      "It does not see Tenon's tools. Run `tenon setup codex`.",
      "Tenon's hooks did not run. Run `tenon setup codex`, then start codex here and trust the hooks.",
    ],
  });
  expect((await check("opencode")).agents).toEqual([
    { agent: "opencode", problem: expect.stringContaining("OpenCode is not installed") },
  ]);
  expect(checkAgents.isRefusal?.({ agents })).toBe(true);
  expect(checkAgents.page({ agents }).title).toBe("3 of 4 cannot work.");
});

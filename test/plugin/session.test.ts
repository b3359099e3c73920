import { spawn } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Finished, finished } from "../kit/process.ts";
import { put } from "../kit/repository.ts";
import { clientProblem, type Machine, machineWithPlugin } from "./client.ts";
import { type Asked, type Said, type ScriptedModel, scriptedModel } from "./model.ts";

/** The client itself with the plugin installed; only the model is scripted. */
describe.skipIf(clientProblem)(`a session${clientProblem ? ` (${clientProblem})` : ""}`, () => {
  let own: Machine;
  beforeAll(() => {
    own = machineWithPlugin();
    fs.mkdirSync(join(own.repository, "sdd"));
  });
  afterAll(() => own?.[Symbol.dispose]());

  function run(model: ScriptedModel, prompt: string): Promise<Finished> {
    const words = ["-p", prompt, "--permission-mode", "acceptEdits", "--allowedTools", "Bash,mcp__plugin_sdd_tenon"];
    const child = spawn("claude", words, {
      cwd: own.repository,
      env: { ...own.environment, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "sk-ant-scripted" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return finished(child);
  }

  const isAgent = ({ text }: Asked): boolean => text.includes("Your brief is your task");

  /** The session starts an agent, which does one thing after another and reports. */
  const having =
    (agent: string, acts: readonly Said[]) =>
    (asked: Asked): Said => {
      if (isAgent(asked)) return acts[asked.results.length] ?? { text: "The report." };
      const input = { description: "As briefed", prompt: "The brief.", subagent_type: agent, run_in_background: false };
      return asked.results.length === 0 && asked.tools.includes("Agent") ? { tool: "Agent", input } : { text: "Over." };
    };

  const write = (path: string): Said => ({
    tool: "Write",
    input: { file_path: join(own.repository, path), content: "export const one = 1;\n" },
  });
  const shell = (command: string): Said => ({ tool: "Bash", input: { command, description: "Look" } });

  test("lets the impl-agent write code but not tests", async () => {
    await using model = await scriptedModel(having("sdd:impl-agent", [write("test/one.test.ts"), write("src/one.ts")]));
    expect(await run(model, "Build it.")).toMatchObject({ code: 0, out: "Over.\n" });
    const [first, second] = model.asked.filter(isAgent).at(-1)?.results ?? [];
    expect(first).toContain("Edit of test/one.test.ts blocked: the impl-agent writes code only: no tests");
    expect(second).toContain("created successfully");
    expect(["test/one.test.ts", "src/one.ts"].map((path) => fs.existsSync(join(own.repository, path)))).toEqual([
      false,
      true,
    ]);
    const agent = model.asked.find(isAgent);
    expect(agent?.model).toContain("sonnet");
    expect(agent?.tools).toEqual(expect.arrayContaining(["Read", "Write", "Edit", "Bash"]));
  });

  test("gives an inspector no write tool and a shell that only reads", async () => {
    const acts = [write("src/two.ts"), shell("echo 1 > src/two.ts"), shell("ls src")];
    await using model = await scriptedModel(having("sdd:inspector-test", acts));
    expect(await run(model, "Inspect it.")).toMatchObject({ code: 0, out: "Over.\n" });
    const [first, second, third] = model.asked.filter(isAgent).at(-1)?.results ?? [];
    expect(first).toContain("No such tool available: Write");
    expect(second).toContain("the inspector-test only reads, and > src/two.ts writes");
    expect(third).toContain("one.ts");
    expect(fs.existsSync(join(own.repository, "src/two.ts"))).toBe(false);
  });

  const report = (action: string): Said => ({
    tool: "mcp__plugin_sdd_tenon__sdd_report",
    input: { action, report: "VERDICT:GO" },
  });

  test("lets an agent report the action that it began, and no other of its role", async () => {
    const [begun, other] = ["cart/impl/B1/test", "wave-1/impl/B2/test"] as const;
    for (const action of [begun, other]) put(own.repository, `.sdd/briefs/${action}.md`, "The brief.\n");
    const acts = [report(begun), report(other)];
    await using model = await scriptedModel(having("sdd:inspector-test", acts));
    expect(await run(model, "Inspect it.")).toMatchObject({ code: 0, out: "Over.\n" });
    const [first, second] = model.asked.filter(isAgent).at(-1)?.results ?? [];
    expect(first).toMatch(/The report of \\?"cart\/impl\/B1\/test\\?" was not accepted/);
    expect(second).toMatch(/has the action \\?"cart\/impl\/B1\/test\\?", and not \\?"wave-1/);
    // The next agent is not bound by it.
    await using again = await scriptedModel(having("sdd:inspector-test", [report(other)]));
    expect(await run(again, "Inspect it.")).toMatchObject({ code: 0, out: "Over.\n" });
    expect(again.asked.filter(isAgent).at(-1)?.results[0]).toContain("was not accepted");
    fs.rmSync(join(own.repository, ".sdd/briefs"), { recursive: true });
  });

  test("lets an agent report its own action but none of another role", async () => {
    const acts = [report("cart/impl/B1/auditor"), report("cart/impl/B1/test")];
    await using model = await scriptedModel(having("sdd:inspector-test", acts));
    expect(await run(model, "Inspect it.")).toMatchObject({ code: 0, out: "Over.\n" });
    const [first, second] = model.asked.filter(isAgent).at(-1)?.results ?? [];
    expect(first).toMatch(/reports actions of its own role, and \\?"cart\/impl\/B1\/auditor\\?" is not one/);
    // The second call reaches the engine, which knows no such action here.
    expect(second).toMatch(/The report of \\?"cart\/impl\/B1\/test\\?" was not accepted/);
  });

  test("expands a user's command to its page, and shows only the skill and the agents in every session", async () => {
    await using model = await scriptedModel(() => ({ text: "Over." }));
    expect(await run(model, "/sdd:status tide-table --impact")).toMatchObject({ code: 0, out: "Over.\n" });
    const told = model.asked.find(({ text }) => text.includes("Report the state of the work"))?.text ?? "";
    expect(told).toContain("Feature: tide-table --impact");
    expect(told).toContain("sdd:specs");
    expect(told).toContain("sdd:inspector-quality");
    expect(told).not.toContain("Move work in the queue");
  });
});

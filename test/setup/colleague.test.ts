import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MCP_TOOLS, selectTools } from "#doors/mcp/tool-table.ts";
import { CLIENT_IDS, SETUP_CLIENTS } from "#onboarding/model/setup/client-catalog.ts";
import { COMMAND_PAGE_NAMES } from "#onboarding/model/setup/command-pages.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { tenon } from "../kit/process.ts";
import { SOURCE_TEXTS } from "../kit/suggested-calls.ts";

/** Every command line of every hook that setup writes for a client into a repository. */
function listHookCommands(root: string, file: string): string[] {
  const commands: string[] = [];
  JSON.parse(fs.readFileSync(join(root, file), "utf8"), (key, value: unknown) => {
    if ((key === "command" || key === "bash") && typeof value === "string" && value.includes("tenon hook"))
      commands.push(value);
    return value;
  });
  return commands;
}

const HOOK_FILES = CLIENT_IDS.flatMap((id) => {
  const { hooks } = SETUP_CLIENTS[id];
  return hooks?.files.project === undefined || hooks.shape === "plugin" ? [] : [[id, hooks.files.project] as const];
});

test.each(HOOK_FILES)("the hooks of %s do nothing, silently, on a machine without Tenon", async (id, file) => {
  using folder = temporaryRepository();
  using empty = temporaryFolder();
  using house = testHouse(folder.path);
  await house.run("setup", id);
  const commands = listHookCommands(folder.path, file);
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) {
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], {
      cwd: folder.path,
      env: { PATH: empty.path },
      encoding: "utf8",
      input: "{}",
    });
    expect({ command, status, stdout, stderr }).toEqual({ command, status: 0, stdout: "", stderr: "" });
  }
});

const USER_FILES = CLIENT_IDS.flatMap((id) => {
  const { server, commands } = SETUP_CLIENTS[id];
  const path = server?.files.user?.at(-1) ?? commands?.folder.user;
  return path === undefined ? [] : [[id, path] as const];
});

test.each(USER_FILES)("runs setup %s --user as the first command on a new machine", (id, path) => {
  using folder = temporaryRepository();
  using home = temporaryFolder();
  const env = { HOME: home.path, TENON_HOME: "", XDG_DATA_HOME: "", XDG_CACHE_HOME: "" };
  const { code, err } = tenon(["setup", id, "--user"], { cwd: folder.path, env });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(fs.existsSync(join(home.path, path))).toBe(true);
});

test("setup says what a client still needs from the user: trust in the folder, approval of hooks", async () => {
  using folder = temporaryRepository();
  using house = testHouse(folder.path);
  expect((await house.run("setup", "gemini")).out).toContain("start gemini here once and choose to trust it");
  expect((await house.run("setup", "codex")).out).toContain("after you approve them: type /hooks");
  using home = temporaryFolder();
  const { out } = tenon(["setup", "claude", "--user"], { cwd: folder.path, env: { HOME: home.path, TENON_HOME: "" } });
  expect(out.replaceAll(/\n\s*/g, " ")).toContain("Install its plugin: claude plugin marketplace add");
});

/** Toolsets that the server offers by itself once there is work for them, through a notification. */
const COMING_TOOLSETS = ["adopt", "gate", "project", "spec", "stack", "workflow"];

test.each(CLIENT_IDS.filter((id) => SETUP_CLIENTS[id].server && SETUP_CLIENTS[id].commands))(
  "offers %s every tool that its installed commands and hooks name",
  (id) => {
    const words = JSON.stringify(SETUP_CLIENTS[id].server?.value);
    const [, toolsets = "default"] = /--toolsets","([^"]+)"/.exec(words) ?? [];
    const isDeaf = toolsets === "all";
    const offered = selectTools([...toolsets.split(","), ...(isDeaf ? [] : COMING_TOOLSETS)]).map(({ name }) => name);
    const named = COMMAND_PAGE_NAMES.flatMap((page) =>
      [...fs.readFileSync(`assets/pages/${page}.md`, "utf8").matchAll(/\b(?:sdd|mem)_[a-z_]+[a-z]/g)].map(
        ([name]) => name,
      ),
    ).filter((name) => MCP_TOOLS.some((tool) => tool.name === name));
    const refusals = fs.readFileSync("src/doors/hook/model/hook-refusals.json", "utf8");
    const hookTexts = SOURCE_TEXTS.filter(({ path }) => path.startsWith("doors/hook")).map(({ text }) => text);
    const hooked = [...hookTexts, refusals].flatMap((text) => text.match(/\b(?:sdd|mem)_[a-z_]+[a-z]/g) ?? []);
    expect(named.length).toBeGreaterThan(20);
    expect(hooked).toContain("sdd_doctor");
    expect([...new Set([...named, ...hooked])].filter((name) => !offered.includes(name))).toEqual([]);
  },
);

test("offers every tool from the start to a client that ignores changed tool lists", () => {
  expect(SETUP_CLIENTS.codex.server?.value["args"]).toEqual(["mcp", "--toolsets", "all"]);
});

test("handles ended sessions and subagents of Codex", () => {
  const events = SETUP_CLIENTS.codex.hooks?.events.map(({ name }) => name);
  expect(events).toEqual(expect.arrayContaining(["SessionEnd", "SubagentStop"]));
});

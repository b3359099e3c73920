import { expect, test } from "vitest";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { connect, VERSIONS } from "../kit/client.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";
import { PROJECT_LIFE, TIDES } from "../kit/project.ts";

const PROJECT = MCP_TOOLS.filter(({ toolset }) => toolset === "project").map(({ name }) => name);
const nameOf = (id: string): string => MCP_TOOLS.find((tool) => tool.operation === id)?.name ?? id;
/** What is left when a project is through: to look at it, and to go back. */
const THROUGH = ["sdd_init_project", "sdd_get_context", "sdd_project_reopen"];
const ADOPT = ["sdd_reverse_engineer", "sdd_bootstrap"];
const INIT = ["project", "init", "--name", TIDES.init.name, "--description", TIDES.init.description];

test.each(VERSIONS)("lists the project's tools to a %s client while a project is open", async (version) => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  await using connection = await connect(version, { cwd: repository.path, env: { TENON_HOME: home.path } });
  let relisted = 0;
  connection.client.setNotificationHandler("notifications/tools/list_changed", () => void relisted++);
  if (version === "2026-07-28") await connection.client.listen({ toolsListChanged: true });
  const offered = async (): Promise<string[]> =>
    (await connection.client.request({ method: "tools/list" })).tools.map(({ name }) => name);
  const own = async (): Promise<string[]> => (await offered()).filter((name) => PROJECT.includes(name));
  const before = await offered();
  expect(await own()).toEqual(["sdd_init_project"]);
  expect(before.filter((name) => ADOPT.includes(name))).toEqual(ADOPT);
  const counts: number[] = [];
  for (const [id, input] of PROJECT_LIFE.slice(0, 9)) {
    const result = await connection.call(nameOf(id), input);
    expect([id, result.isError]).toEqual([id, undefined]);
    expect(await own()).toEqual(id === "project.validate" ? THROUGH : PROJECT);
    counts.push(relisted);
  }
  // There are specs now: what drafts them from code has gone.
  const after = await offered();
  expect(after.filter((name) => !THROUGH.includes(name))).toEqual(
    before.filter((name) => ![...ADOPT, ...THROUGH].includes(name)),
  );
  const call = connection.client.request({ method: "tools/call", params: { name: "sdd_create_design" } });
  await expect(call).rejects.toMatchObject({
    message: expect.stringContaining(
      "sdd_create_design is not offered now. It is offered with the default tools once sdd_init_project",
    ),
  });
  // Once when it began, not with every stage, and once when it was through.
  await expect.poll(() => relisted, { timeout: 10_000 }).toBe(2);
  expect(new Set(counts.slice(1, -1))).toEqual(new Set([1]));
});

test("notices a project that the command line starts or reopens", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const settings = { cwd: repository.path, env: { TENON_HOME: home.path } };
  tenon(["init"], settings);
  await using connection = await connect("2025-11-25", settings);
  let relisted = 0;
  connection.client.setNotificationHandler("notifications/tools/list_changed", () => void relisted++);
  await connection.call("sdd_status");
  expect(tenon(INIT, settings).code).toBe(0);
  await expect.poll(() => relisted, { timeout: 15_000 }).toBe(1);
  const names = (await connection.client.listTools()).tools.map(({ name }) => name);
  expect(PROJECT.filter((name) => !names.includes(name))).toEqual([]);
});

test.each(VERSIONS)("notifies a %s client when the first feature adds the tools of the roadmap", async (version) => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const settings = { cwd: repository.path, env: { TENON_HOME: home.path } };
  tenon(["init"], settings);
  await using connection = await connect(version, settings);
  let relisted = 0;
  connection.client.setNotificationHandler("notifications/tools/list_changed", () => void relisted++);
  if (version === "2026-07-28") await connection.client.listen({ toolsListChanged: true });
  await connection.call("sdd_status");
  expect(tenon(["design", "Harbour tides"], settings).code).toBe(0);
  await expect.poll(() => relisted, { timeout: 15_000 }).toBe(1);
  const names = (await connection.client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("sdd_next");
});

test.each(["workspace", "change,adr", "memory"])("keeps --toolsets %s during a project", async (toolsets) => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const settings = { cwd: repository.path, env: { TENON_HOME: home.path } };
  const listed = async (): Promise<string[]> => {
    await using connection = await connect("2026-07-28", { ...settings, words: ["--toolsets", toolsets] });
    return (await connection.client.listTools()).tools.map(({ name }) => name);
  };
  const before = await listed();
  expect(tenon(INIT, settings).code).toBe(0);
  expect(await listed()).toEqual(before);
});

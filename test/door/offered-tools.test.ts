import { expect, test } from "vitest";
import { connect } from "../kit/client.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";

const FEATURE = { title: "Log in with a passkey", id: "AUTH-001" };

/** What an answer says to do next, without the arguments. */
function listNextCalls({ content }: { readonly content: readonly unknown[] }): string[] {
  const [{ text = "" } = {}] = content as readonly { readonly text?: string }[];
  return text
    .split("\n")
    .filter((line) => line.startsWith("Next: "))
    .map((line) => line.replace(/^Next: | \{.*/g, ""));
}

test("names the tools that exist after a call, not before", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  await using connection = await connect("2026-07-28", { cwd: repository.path, env: { TENON_HOME: home.path } });
  const tools = async (): Promise<string[]> =>
    (await connection.client.request({ method: "tools/list" })).tools.map(({ name }) => name);
  expect(listNextCalls(await connection.call("sdd_feature", FEATURE))).toEqual([
    "sdd_spec_validate",
    "sdd_workflow_advance",
  ]);
  expect(await tools()).toEqual(expect.arrayContaining(["sdd_spec_validate", "sdd_workflow_advance"]));
  expect(
    listNextCalls(await connection.call("sdd_workflow_abandon", { id: "AUTH-001", reason: "Solved upstream" })),
  ).toEqual(["sdd_status"]);
  expect(await tools()).not.toContain("sdd_workflow_status");
});

test("offers the tools of a roadmap once there is a feature", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  tenon(["design", "Skippers see the tides"], { cwd: repository.path, env: { TENON_HOME: home.path } });
  await using connection = await connect("2026-07-28", { cwd: repository.path, env: { TENON_HOME: home.path } });
  const { tools } = await connection.client.request({ method: "tools/list" });
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["sdd_roadmap", "sdd_next", "sdd_report", "sdd_design", "sdd_impl", "sdd_review"]),
  );
});

const WHILE_DEFAULT = "it is offered with the default tools";
test.each([
  [
    "sdd_workflow_status",
    `${WHILE_DEFAULT} once a workflow has started, or always with tenon mcp --toolsets default,workflow`,
  ],
  ["sdd_verify", `${WHILE_DEFAULT} once a workflow has started, or always with tenon mcp --toolsets default,gate`],
  [
    "sdd_spec_validate",
    `${WHILE_DEFAULT} once a workflow has started, or always with tenon mcp --toolsets default,spec`,
  ],
  [
    "sdd_create_design",
    `${WHILE_DEFAULT} once sdd_init_project has started a project, or always with tenon mcp --toolsets default,project`,
  ],
  [
    "sdd_next",
    `${WHILE_DEFAULT} once tenon design or tenon roadmap create has started a feature, or always with tenon mcp --toolsets default,roadmap`,
  ],
  ["sdd_doctor", "it is offered with tenon mcp --toolsets default,workspace"],
])("rejects %s, which is not offered now, and names when it is", async (name, when) => {
  using repository = temporaryRepository();
  await using connection = await connect("2025-11-25", { cwd: repository.path });
  await expect(connection.client.request({ method: "tools/call", params: { name } })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining(
      `The tool ${name} is not offered now. ${when.replace(/^it/, "It")}. Tools: sdd_status, `,
    ),
  });
});

import { expect, test } from "vitest";
import { connect } from "../kit/client.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";

test("does not list its tools when memory is off", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const env = { TENON_HOME: home.path, TENON_MEMORY: "off" };
  await using connection = await connect("2025-11-25", { cwd: repository.path, env });
  const { tools } = await connection.client.listTools();
  expect(tools.filter(({ name }) => /^mem_|^sdd_explore$/.test(name))).toEqual([]);
  expect(tools.map(({ name }) => name)).toContain("sdd_change");
});

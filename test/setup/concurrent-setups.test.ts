import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { BIN, environment, tenonAsync } from "../kit/process.ts";
import { fillHome, takePicture, read } from "./home.ts";

const HOOK = new URL("../kit/fault-hook.ts", import.meta.url).href;
const isFull = Boolean(process.env["TENON_FULL"]);

test("keeps the files of all concurrent setups", async () => {
  using folder = temporaryRepository();
  const root = folder.path;
  fillHome(root);
  const before = takePicture(root);
  const clients = ["codex", "opencode", "agents", "zed"];
  const runs = await Promise.all(clients.map((client) => tenonAsync(["setup", client], { cwd: root })));
  expect(runs.map(({ code, err }) => [code, err])).toEqual(clients.map(() => [0, ""]));
  expect(read(root, "AGENTS.md").match(/tenon:begin/g)).toHaveLength(1);
  using house = testHouse(root);
  const { clients: known } = JSON.parse((await house.run("setup", "--json")).out) as {
    clients: { id: string; set_up: boolean }[];
  };
  expect(
    known
      .filter(({ set_up }) => set_up)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(clients.toSorted());
  expect((await house.run("setup", ...clients)).out).toContain("nothing was changed");
  await house.run("setup", "--remove");
  expect(takePicture(root)).toEqual(before);
});

/** Runs in a process of its own, which dies before its `k`th write. */
function killed(root: string, words: readonly string[], k: number): boolean {
  using folder = temporaryFolder();
  const env = { ...environment(), TENON_FAULT: `SIGKILL:${k}`, TENON_FAULT_LOG: join(folder.path, "calls") };
  const { signal } = spawnSync(process.execPath, ["--import", HOOK, BIN, ...words], { cwd: root, env });
  return signal === "SIGKILL";
}

test.each([
  ["set up", ["setup", "cursor"], []],
  ["removed", ["setup", "--remove"], ["setup", "cursor"]],
])("finishes a client that was half %s when the process died", async (_, words, earlier) => {
  let strikes = 0;
  for (let k = 3; ; k += isFull ? 1 : 23) {
    using folder = temporaryRepository();
    const root = folder.path;
    fillHome(root);
    const before = takePicture(root);
    using house = testHouse(root);
    if (earlier.length > 0) await house.run(...earlier);
    if (!killed(root, words, k)) break;
    strikes++;
    expect(await house.run("setup", "cursor")).toMatchObject({ code: 0, err: "" });
    const kept = JSON.parse((await house.run("setup", "cursor", "--json")).out) as {
      files: unknown[];
      kept: unknown[];
    };
    expect([k, kept.files, kept.kept]).toEqual([k, [], []]);
    expect([k, await house.run("setup", "--remove")]).toMatchObject([k, { code: 0, err: "" }]);
    expect([k, takePicture(root)]).toEqual([k, before]);
    expect(fs.existsSync(join(root, "sdd"))).toBe(false);
  }
  expect(strikes).toBeGreaterThan(2);
});

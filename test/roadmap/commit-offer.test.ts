import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git } from "../kit/folder.ts";
import { built } from "../kit/features.ts";
import { put } from "./records.ts";
import { roadmapStand } from "./stand.ts";

test("offers a commit for deleted files that git tracks", async () => {
  using it = await roadmapStand({ "src/old.mjs": "export const old = 1;\n" });
  const removed = ["src/never-committed.mjs", "src/old.mjs"];
  await put(it.engine, [built("cart", ["src/cart.mjs"], { implementation: { files_removed: removed } })]);
  await it.run("roadmap.manage", { action: "run" });
  it.write("src/cart.mjs", "export const cart = 1;\n");
  fs.rmSync(join(it.root, "src/old.mjs"));
  await it.next();
  await it.report("wave-1/gate/1", {});
  const { actions } = await it.next();
  expect(actions.map(({ id, paths }) => [id, paths])).toEqual([
    ["wave-1/commit", ["sdd/", "src/cart.mjs", "src/old.mjs"]],
  ]);
  const peeked = await it.next({ peek: true });
  expect(peeked.actions[0]?.paths).toEqual(["sdd/", "src/cart.mjs", "src/old.mjs"]);
  git(it.root, "add", "sdd", "src/cart.mjs");
  git(it.root, "commit", "--quiet", "-m", "Half");
  const half = await it.report("wave-1/commit", {});
  expect([half.outcome, half.problems[0]?.problem]).toEqual([
    "refused",
    expect.stringMatching(/^Commit [0-9a-f]+ lacks files of the work: src\/old\.mjs\./),
  ]);
  it.commit("All");
  expect((await it.report("wave-1/commit", {})).outcome).toBe("applied");
});

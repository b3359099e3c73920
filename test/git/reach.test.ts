import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refusal } from "../kit/fault.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { commitAll, put } from "../kit/repository.ts";

test("gives an operation the snapshots and worktrees of its workspace", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  put(root, "own", "1\n");
  commitAll(root);
  using own = testHouse(root);
  const { snapshots, worktrees } = await own.house.open({ argument: root });
  expect([await snapshots.isPossible(), await snapshots.obstacle()]).toEqual([true, undefined]);
  const to = await snapshots.take("AUTH-001", 1, "before");
  put(root, "own", "2\n");
  const from = await snapshots.take("AUTH-001", 2, "safety");
  expect([await snapshots.tree(), await snapshots.uncommitted()]).toEqual([from.tree, ["own"]]);
  expect(await snapshots.sourceTreeOf(from.commit)).toBe(await snapshots.sourceTree());
  expect((await snapshots.between(to.commit, from.commit)).map(({ path }) => path)).toEqual(["own"]);
  expect((await snapshots.commitsSince(undefined)).map(({ paths }) => paths)).toEqual([["own"]]);
  await snapshots.restore({ from: from.commit, to: to.commit, paths: ["own"] });
  expect(fs.readFileSync(join(root, "own"), "utf8")).toBe("1\n");
  await snapshots.drop("AUTH-001", 1);
  expect(await snapshots.has(to.commit)).toBe(true);
  const { path } = await worktrees.add("AUTH-001");
  expect([fs.existsSync(join(path, "own")), await worktrees.remove("AUTH-001")]).toEqual([true, { removed: true }]);
});

test("reports a missing workspace outside any", async () => {
  using folder = temporaryFolder();
  using own = testHouse(folder.path);
  const { snapshots, worktrees } = await own.house.open({ mayLack: true });
  expect((await refusal(snapshots.isPossible())).code).toBe("workspace.not-found");
  expect((await refusal(worktrees.add("AUTH-001"))).code).toBe("workspace.not-found");
});

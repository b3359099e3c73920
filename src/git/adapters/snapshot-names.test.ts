import { expect, test } from "vitest";
import { temporaryRepository } from "../../../test/kit/folder.ts";
import { commitAll, put } from "../../../test/kit/repository.ts";
import { openGitSession } from "./git-repository.ts";
import { createGitSnapshots } from "./git-snapshots.ts";

test.each(["修复登录", "ошибка-входа", "गलती"])("keeps a snapshot under the id %s", async (id) => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  put(root, "a.txt", "a\n");
  commitAll(root);
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  const { commit } = await snapshots.take(id, 1, "Begin");
  expect(await snapshots.list()).toMatchObject([{ id, n: 1, commit }]);
  await snapshots.dropAll(id);
  expect(await snapshots.list()).toEqual([]);
});

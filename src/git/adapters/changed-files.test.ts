import fs from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { git, temporaryRepository } from "../../../test/kit/folder.ts";
import { put } from "../../../test/kit/repository.ts";
import { listFilesChangedBetween } from "./changed-files.ts";

const LONG = `${"deep/".repeat(30)}${"name".repeat(20)}.txt`;

/** A moment that the clock of the disk, which advances in ticks, tells from earlier and later changes. */
async function waitForTick(): Promise<number> {
  const from = Date.now();
  await vi.waitUntil(() => Date.now() > from + 24, { interval: 1 });
  return from + 12;
}

test.each([
  ["2", ["update-index", "--index-version", "2"]],
  ["3", ["add", "--intent-to-add", "later.txt"]],
  ["4", ["update-index", "--index-version", "4"]],
])("lists new, edited and deleted files with an index of version %s", async (_, words) => {
  using folder = temporaryRepository();
  const root = folder.path;
  for (const path of ["a.txt", "kept.txt", "src/b.txt", "src/gone/c.txt", "späte.txt", LONG, "later.txt"])
    put(root, path, "1\n");
  git(root, "add", "a.txt", "kept.txt", "src", "späte.txt", "deep");
  git(root, "commit", "-qm", "Begin");
  git(root, ...words);
  put(root, "notes/mine.txt", "1\n");
  const from = await waitForTick();
  for (const path of ["a.txt", "späte.txt", LONG]) fs.appendFileSync(join(root, path), "2\n");
  fs.rmSync(join(root, "src/gone"), { recursive: true });
  put(root, "src/new/d.txt", "1\n");
  put(root, "node_modules/x/index.js", "1\n");
  const to = await waitForTick();
  put(root, "after.txt", "1\n");
  expect(
    listFilesChangedBetween(root, from, to)
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual([LONG, "a.txt", "späte.txt", "src/gone/c.txt", "src/new/d.txt"].toSorted());
  expect(listFilesChangedBetween(root, 1, 2)).toEqual([]);
});

test("lists files of a worktree, and none with an index that it cannot read", async () => {
  using folder = temporaryRepository();
  put(folder.path, "a.txt", "1\n");
  git(folder.path, "add", "-A");
  git(folder.path, "commit", "-qm", "Begin");
  const root = join(folder.path, ".sdd/worktrees/one");
  git(folder.path, "worktree", "add", "-q", root);
  const from = await waitForTick();
  put(root, "a.txt", "2\n");
  const to = await waitForTick();
  expect(listFilesChangedBetween(root, from, to).map(({ path }) => path)).toEqual(["a.txt"]);
  fs.writeFileSync(join(folder.path, ".git/index"), "DIRC and no more");
  expect(listFilesChangedBetween(folder.path, from, to)).toEqual([]);
});

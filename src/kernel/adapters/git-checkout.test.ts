import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../../../test/kit/folder.ts";
import { commitAll, put } from "../../../test/kit/repository.ts";
import { readCurrentBranch } from "./git-checkout.ts";

test("reads the branch of a checkout and of a worktree", () => {
  using repository = temporaryRepository();
  const root = repository.path;
  put(root, "a.txt", "a\n");
  commitAll(root);
  git(root, "checkout", "--quiet", "-b", "topic/tides");
  git(root, "worktree", "add", "--quiet", "-b", "side", join(root, ".side"));
  expect([readCurrentBranch(root), readCurrentBranch(join(root, ".side"))]).toEqual(["topic/tides", "side"]);
  git(root, "checkout", "--quiet", "--detach");
  expect(readCurrentBranch(root)).toMatch(/^[0-9a-f]{12}$/);
});

test.each([
  ["a folder without a repository", () => undefined],
  ["a git folder without a head", (root: string) => fs.mkdirSync(join(root, ".git"))],
  ["a file that leads nowhere", (root: string) => fs.writeFileSync(join(root, ".git"), "gitdir: nowhere\n")],
])("finds no branch for %s", (_, make) => {
  using folder = temporaryFolder();
  make(folder.path);
  expect(readCurrentBranch(folder.path)).toBeUndefined();
});

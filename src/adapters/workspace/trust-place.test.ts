import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../../../test/kit/folder.ts";
import { refusal } from "../../../test/kit/fault.ts";
import { trustPlaceOf } from "./trust-place.ts";

/** A repository with a commit. */
function begun() {
  const repository = temporaryRepository();
  git(repository.path, "commit", "--quiet", "--allow-empty", "--message=First");
  return repository;
}

const alone = (root: string, repository = "") => ({ root, main: root, repository });

test("a folder stands for itself", () => {
  using folder = temporaryFolder();
  using repository = begun();
  expect(trustPlaceOf(folder.path)).toEqual(alone(folder.path));
  expect(trustPlaceOf(repository.path)).toEqual(alone(repository.path, join(repository.path, ".git")));
});

test("a worktree that its repository lists stands for the main checkout too", () => {
  using repository = begun();
  using elsewhere = temporaryFolder();
  const worktree = join(elsewhere.path, "one");
  git(repository.path, "worktree", "add", "--quiet", worktree);
  const shared = { main: repository.path, repository: join(repository.path, ".git") };
  expect(trustPlaceOf(worktree)).toEqual({ root: worktree, ...shared });
  fs.symlinkSync(worktree, join(elsewhere.path, "link"));
  expect(trustPlaceOf(join(elsewhere.path, "link"))).toEqual({ root: worktree, ...shared });
});

/** Ways in which a folder that somebody made could pass for a checkout of another repository. */
const CRAFTED: readonly (readonly [string, (crafted: string, victim: string) => void])[] = [
  ["a .git file that names it", (crafted, victim) => gitFile(crafted, join(victim, ".git"))],
  ["a .git file that names its worktree", (crafted, victim) => gitFile(crafted, join(victim, ".git/worktrees/one"))],
  ["a link to its git folder", (crafted, victim) => fs.symlinkSync(join(victim, ".git"), join(crafted, ".git"))],
  [
    "a link to its worktree's file",
    (crafted, victim) => fs.symlinkSync(join(victim, "one/.git"), join(crafted, ".git")),
  ],
  [
    "a commondir in a git folder",
    (crafted, victim) => {
      git(crafted, "init", "--quiet");
      fs.writeFileSync(join(crafted, ".git/commondir"), join(victim, ".git"));
    },
  ],
  [
    "a commondir in a worktree's folder of its own",
    (crafted, victim) => {
      const folder = join(crafted, "fake/worktrees/one");
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(join(folder, "HEAD"), "ref: refs/heads/main\n");
      fs.writeFileSync(join(folder, "gitdir"), join(crafted, ".git"));
      fs.writeFileSync(join(folder, "commondir"), join(victim, ".git"));
      gitFile(crafted, folder);
    },
  ],
  [
    "linked worktrees of its own",
    (crafted, victim) => {
      fs.mkdirSync(join(crafted, "fake"));
      fs.symlinkSync(join(victim, ".git/worktrees"), join(crafted, "fake/worktrees"));
      gitFile(crafted, join(crafted, "fake/worktrees/one"));
    },
  ],
  [
    "core.worktree of its own that names it",
    (crafted, victim) => {
      git(crafted, "init", "--quiet");
      git(crafted, "config", "core.worktree", victim);
    },
  ],
];

function gitFile(crafted: string, target: string): void {
  fs.writeFileSync(join(crafted, ".git"), `gitdir: ${target}\n`);
}

test.each(CRAFTED)("%s borrows no trust", async (_, craft) => {
  using repository = begun();
  using crafted = temporaryFolder();
  git(repository.path, "worktree", "add", "--quiet", join(repository.path, "one"));
  craft(crafted.path, repository.path);
  const place = async () => trustPlaceOf(crafted.path);
  const found = await place().catch(() => undefined);
  if (found) expect([found.root, found.main]).toEqual([crafted.path, crafted.path]);
  else expect((await refusal(place())).code).toBe("workspace.unreadable-git");
});

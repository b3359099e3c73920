import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../../../test/kit/folder.ts";
import { refusal } from "../../../test/kit/fault.ts";
import { locateTrust } from "./trust-location.ts";

/** A repository with a commit. */
function begun() {
  const repository = temporaryRepository();
  git(repository.path, "commit", "--quiet", "--allow-empty", "--message=First");
  return repository;
}

const alone = (root: string, repository = "") => ({ root, main: root, repository });

test("counts a folder as itself", () => {
  using folder = temporaryFolder();
  using repository = begun();
  expect(locateTrust(folder.path)).toEqual(alone(folder.path));
  expect(locateTrust(repository.path)).toEqual(alone(repository.path, join(repository.path, ".git")));
});

test("counts a listed worktree as the main checkout", () => {
  using repository = begun();
  using elsewhere = temporaryFolder();
  const worktree = join(elsewhere.path, "one");
  git(repository.path, "worktree", "add", "--quiet", worktree);
  const shared = { main: repository.path, repository: join(repository.path, ".git") };
  expect(locateTrust(worktree)).toEqual({ root: worktree, ...shared });
  fs.symlinkSync(worktree, join(elsewhere.path, "link"));
  expect(locateTrust(join(elsewhere.path, "link"))).toEqual({ root: worktree, ...shared });
});

/** Ways in which a folder that somebody made could pass for a checkout of another repository. */
const CRAFTED: readonly (readonly [string, "alone" | "refused", (crafted: string, victim: string) => void])[] = [
  ["a .git file that names it", "refused", (crafted, victim) => gitFile(crafted, join(victim, ".git"))],
  [
    "a .git file that names its worktree",
    "refused",
    (crafted, victim) => gitFile(crafted, join(victim, ".git/worktrees/one")),
  ],
  [
    "a link to its git folder",
    "alone",
    (crafted, victim) => fs.symlinkSync(join(victim, ".git"), join(crafted, ".git")),
  ],
  [
    "a link to its worktree's file",
    "refused",
    (crafted, victim) => fs.symlinkSync(join(victim, "one/.git"), join(crafted, ".git")),
  ],
  [
    "a commondir in a git folder",
    "alone",
    (crafted, victim) => {
      git(crafted, "init", "--quiet");
      fs.writeFileSync(join(crafted, ".git/commondir"), join(victim, ".git"));
    },
  ],
  [
    "a commondir in a worktree's folder of its own",
    "refused",
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
    "refused",
    (crafted, victim) => {
      fs.mkdirSync(join(crafted, "fake"));
      fs.symlinkSync(join(victim, ".git/worktrees"), join(crafted, "fake/worktrees"));
      gitFile(crafted, join(crafted, "fake/worktrees/one"));
    },
  ],
  [
    "core.worktree of its own that names it",
    "alone",
    (crafted, victim) => {
      git(crafted, "init", "--quiet");
      git(crafted, "config", "core.worktree", victim);
    },
  ],
];

function gitFile(crafted: string, target: string): void {
  fs.writeFileSync(join(crafted, ".git"), `gitdir: ${target}\n`);
}

/** Whether a folder stands for itself, is refused, or has somebody else's trust. */
async function standing(root: string): Promise<string> {
  try {
    const { root: own, main } = locateTrust(root);
    return own === root && main === root ? "alone" : `shares ${main}`;
  } catch (error) {
    return (await refusal(Promise.reject(error))).code === "workspace.unreadable-git" ? "refused" : "otherwise";
  }
}

test.each(CRAFTED)("gives %s no trust of another folder: %s", async (_, expected, craft) => {
  using repository = begun();
  using crafted = temporaryFolder();
  git(repository.path, "worktree", "add", "--quiet", join(repository.path, "one"));
  craft(crafted.path, repository.path);
  expect(await standing(crafted.path)).toBe(expected);
});

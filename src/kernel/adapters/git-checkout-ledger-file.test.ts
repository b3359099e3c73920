import fs from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Fault } from "../model/fault.ts";
import { git, temporaryFolder, temporaryRepository } from "../../../test/kit/folder.ts";
import { locateLedgerFile } from "./git-checkout.ts";

/** The ledger's place, or how it is refused. */
function place(root: string): unknown {
  try {
    return locateLedgerFile(root);
  } catch (error) {
    if (error instanceof Fault) return { code: error.code, message: error.message, fixes: error.fixes };
    throw error;
  }
}

function commit(repository: string): void {
  git(repository, "commit", "--quiet", "--allow-empty", "--message", "first");
}

function write(path: string, text: string): void {
  fs.mkdirSync(join(path, ".."), { recursive: true });
  fs.writeFileSync(path, text);
}

const refused = (root: string, why: string, fix = "git worktree repair") => ({
  code: "workspace.unreadable-git",
  message: `${join(root, ".git")} cannot be followed. ${why}`,
  fixes: [`Repair it: ${fix}`],
});
const ANOTHERS = "The repository that it names belongs to another folder.";
const NO_WAY_BACK = "The worktree it names does not lead back to it.";

test("is in .sdd outside git", () => {
  using folder = temporaryFolder();
  expect(place(folder.path)).toBe(join(folder.path, ".sdd/ledger.db"));
});

test("is in the git folder of a repository", () => {
  using repository = temporaryRepository();
  expect(place(repository.path)).toBe(join(repository.path, ".git/tenon/ledger.db"));
});

test.each(["tenon", "tenon/ledger.db"])("rejects .git/%s if it is a link", (name) => {
  using repository = temporaryRepository();
  using elsewhere = temporaryFolder();
  const link = join(repository.path, ".git", name);
  fs.mkdirSync(dirname(link), { recursive: true });
  fs.symlinkSync(join(elsewhere.path, "other"), link);
  expect(place(repository.path)).toMatchObject({
    code: "files.escape",
    message: `.git/${name} cannot be used. It is a symbolic link.`,
  });
});

test.each([
  ["absolute", []],
  ["relative", ["../../../.sdd/worktrees/one/.git"]],
])("shares the ledger of a repository among its worktrees: %s ways back", (_, backs) => {
  using repository = temporaryRepository();
  commit(repository.path);
  const worktree = join(repository.path, ".sdd/worktrees/one");
  git(repository.path, "worktree", "add", "--quiet", worktree);
  for (const back of backs) write(join(repository.path, ".git/worktrees/one/gitdir"), `${back}\n`);
  expect(place(worktree)).toBe(place(repository.path));
});

test("rejects a worktree that was moved by hand until git repairs it", () => {
  using repository = temporaryRepository();
  using elsewhere = temporaryFolder();
  commit(repository.path);
  git(repository.path, "worktree", "add", "--quiet", join(elsewhere.path, "before"));
  const worktree = join(elsewhere.path, "after");
  fs.renameSync(join(elsewhere.path, "before"), worktree);
  expect(place(worktree)).toEqual(refused(worktree, NO_WAY_BACK));
  git(worktree, "worktree", "repair");
  expect(place(worktree)).toBe(place(repository.path));
});

test("gives a submodule and its worktrees their own ledger", () => {
  using library = temporaryRepository();
  using repository = temporaryRepository();
  using elsewhere = temporaryFolder();
  commit(library.path);
  git(repository.path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.path, "library");
  const submodule = join(repository.path, "library");
  git(submodule, "worktree", "add", "--quiet", join(elsewhere.path, "one"));
  const own = join(repository.path, ".git/modules/library/tenon/ledger.db");
  expect([place(submodule), place(join(elsewhere.path, "one"))]).toEqual([own, own]);
});

test("follows a git folder that is elsewhere", () => {
  using folder = temporaryFolder();
  git(folder.path, "init", "--quiet", "--separate-git-dir", join(folder.path, "store.git"), "tree");
  expect(place(join(folder.path, "tree"))).toBe(join(folder.path, "store.git/tenon/ledger.db"));
});

test("rejects a file that names another repository, unless that repository lists it", () => {
  using another = temporaryRepository();
  using crafted = temporaryFolder();
  write(join(crafted.path, ".git"), `gitdir: ${another.path}/.git\n`);
  const wayOut = `git config core.worktree ${crafted.path}`;
  expect(place(crafted.path)).toEqual(refused(crafted.path, ANOTHERS, wayOut));
  git(another.path, "config", "core.worktree", crafted.path);
  expect(place(crafted.path)).toBe(join(another.path, ".git/tenon/ledger.db"));
});

const victim = temporaryRepository();
afterAll(() => victim[Symbol.dispose]());
beforeAll(() => {
  using library = temporaryRepository();
  for (const repository of [victim.path, library.path]) commit(repository);
  git(victim.path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.path, "library");
  git(victim.path, "worktree", "add", "--quiet", join(victim.path, "one"));
  git(victim.path, "clone", "--quiet", "--bare", library.path, join(victim.path, "bare.git"));
});

test.each<[string, (crafted: string) => string, string]>([
  ["a bare repository", () => join(victim.path, "bare.git"), ANOTHERS],
  ["a submodule of another", () => join(victim.path, ".git/modules/library"), ANOTHERS],
  ["a worktree of another", () => join(victim.path, ".git/worktrees/one"), NO_WAY_BACK],
  [
    "a link to another",
    (crafted) => (fs.symlinkSync(join(victim.path, ".git"), join(crafted, "link")), "link"),
    ANOTHERS,
  ],
  ["a worktree of its own that names another's folder", ownWorktree, NO_WAY_BACK],
  ["a folder that is not a repository", (crafted) => join(crafted, "nothing"), "It does not name a git folder."],
])("rejects a crafted file that names %s", (_, name, why) => {
  using crafted = temporaryFolder();
  write(join(crafted.path, ".git"), `gitdir: ${name(crafted.path)}\n`);
  const wayOut = why === ANOTHERS ? `git config core.worktree ${crafted.path}` : undefined;
  expect(place(crafted.path)).toEqual(refused(crafted.path, why, wayOut));
});

test("rejects a link to the file of a different worktree", () => {
  using crafted = temporaryFolder();
  fs.symlinkSync(join(victim.path, "one/.git"), join(crafted.path, ".git"));
  expect(place(crafted.path)).toEqual(refused(crafted.path, NO_WAY_BACK));
});

/** Leads back to the file as a real one does, but gives another repository's folder as the common one. */
function ownWorktree(crafted: string): string {
  const folder = join(crafted, "fake/worktrees/one");
  write(join(folder, "HEAD"), "ref: refs/heads/main\n");
  write(join(folder, "gitdir"), "../../../.git\n");
  write(join(folder, "commondir"), join(victim.path, ".git"));
  return folder;
}

test.each([
  ["empty", ""],
  ["missing gitdir", "/somewhere/.git\n"],
  ["longer than one line", "gitdir: a\ngitdir: b\n"],
])("rejects a .git file that is %s", (_, text) => {
  using folder = temporaryFolder();
  write(join(folder.path, ".git"), text);
  expect(place(folder.path)).toEqual(refused(folder.path, "It does not name a git folder."));
});

test("does not take a dangling .git link for a repository", () => {
  using folder = temporaryFolder();
  fs.symlinkSync("nowhere", join(folder.path, ".git"));
  expect(place(folder.path)).toBe(join(folder.path, ".sdd/ledger.db"));
});

test("rejects a linked .sdd outside git", () => {
  using folder = temporaryFolder();
  using elsewhere = temporaryFolder();
  fs.symlinkSync(elsewhere.path, join(folder.path, ".sdd"));
  expect(place(folder.path)).toEqual({
    code: "files.escape",
    message: ".sdd cannot be used. It is a symbolic link.",
    fixes: ["Replace the link with a file or folder of the workspace."],
  });
});

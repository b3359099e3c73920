import { openGitSession } from "./git-repository.ts";
import fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { refusal } from "../../../test/kit/fault.ts";
import { git, temporaryFolder, temporaryRepository, type TemporaryFolder } from "../../../test/kit/folder.ts";
import { commitAll, takeLikeness, put } from "../../../test/kit/repository.ts";
import { startWorker } from "../../../test/kit/worker.ts";
import { createGitSnapshots } from "./git-snapshots.ts";
import { createGitWorktrees } from "./git-worktrees.ts";

function repositoryWithCommit(): TemporaryFolder {
  const repository = temporaryRepository();
  put(repository.path, "a.txt", "1\n");
  commitAll(repository.path);
  return repository;
}

test("a worktree has its own branch, and the user's files and index do not change", async () => {
  using repository = repositoryWithCommit();
  const { path: root } = repository;
  put(root, "a.txt", "not committed\n");
  const { refs: _, ...before } = takeLikeness(root);
  const { path, branch } = await createGitWorktrees(openGitSession(root, process.env)).add("AUTH-001");
  expect([path, branch]).toEqual([join(root, ".sdd/worktrees/AUTH-001"), "tenon/AUTH-001"]);
  expect(fs.readFileSync(join(path, "a.txt"), "utf8")).toBe("1\n");
  expect(git(path, "symbolic-ref", "HEAD")).toBe("refs/heads/tenon/AUTH-001\n");
  expect(git(root, "status", "--porcelain")).toBe(" M a.txt\n");
  const { refs: __, ...after } = takeLikeness(root);
  const isOurs = (name: string): boolean => name.includes(".sdd") || name === "logs";
  expect(Object.entries(after).filter(([name]) => !isOurs(name))).toEqual(
    Object.entries(before).filter(([name]) => !isOurs(name)),
  );
  expect(await createGitSnapshots(openGitSession(root, process.env)).uncommitted()).toEqual(["a.txt"]);
});

test("creates 24 worktrees in 24 processes at once, for any tracked branch", async () => {
  using folder = temporaryFolder();
  const [origin, root] = [join(folder.path, "origin"), join(folder.path, "work")];
  fs.mkdirSync(origin);
  git(origin, "init", "--quiet", "--initial-branch=main");
  put(origin, "a.txt", "1\n");
  commitAll(origin);
  git(folder.path, "clone", "--quiet", origin, root);
  git(root, "config", "branch.autoSetupMerge", "always");
  const names = Array.from({ length: 24 }, (_, i) => `AUTH-${100 + i}`);
  const workers = names.map((name) => startWorker<string>("worktree", [root, name]));
  await Promise.all(workers.map((worker) => worker.hear(1)));
  for (const worker of workers) worker.tell("go");
  const said = await Promise.all(workers.map(async (worker) => (await worker.hear(2))[1]));
  await Promise.all(workers.map((worker) => worker.ended));
  expect(said).toEqual(names.map((name) => `tenon/${name}`));
  expect(git(root, "worktree", "list", "--porcelain").match(/^branch refs\/heads\/tenon\//gm)).toHaveLength(24);
  expect(git(root, "config", "--local", "--list")).not.toMatch(/branch\.tenon/);
}, 120_000);

test("gives up after long contention, and a dead process does not block", async () => {
  using repository = repositoryWithCommit();
  const { path: root } = repository;
  fs.mkdirSync(join(root, ".git/tenon"));
  const holder = new DatabaseSync(join(root, ".git/tenon/worktrees.lock"));
  holder.exec("BEGIN EXCLUSIVE");
  expect((await refusal(createGitWorktrees(openGitSession(root, process.env), 1).add("AUTH-001"))).code).toBe(
    "worktree.busy",
  );
  holder.close();
  expect((await createGitWorktrees(openGitSession(root, process.env), 1).add("AUTH-001")).branch).toBe(
    "tenon/AUTH-001",
  );
});

test("removes a worktree that is not isolated, without leftovers", async () => {
  using repository = repositoryWithCommit();
  const { path: root } = repository;
  git(root, "config", "extensions.worktreeConfig", "true");
  git(root, "config", "core.worktree", root);
  put(root, "a.txt", "not committed\n");
  const before = takeLikeness(root);
  const { code, message } = await refusal(createGitWorktrees(openGitSession(root, process.env)).add("AUTH-001"));
  expect([code, message]).toEqual([
    "worktree.not-isolated",
    `The worktree AUTH-001 was created and removed again. Its files are those of "${root}".`,
  ]);
  const { "file .sdd/.gitignore": _, "folder .sdd/worktrees": __, ...after } = takeLikeness(root);
  expect(after).toEqual(before);
  expect(git(root, "worktree", "list").trim().split("\n")).toHaveLength(1);
});

test.each(["", "../x", "a/b", "-x", "x.lock", "a b", ".", "x".repeat(101)])(
  "finds no worktree under %j",
  async (name) => {
    using repository = repositoryWithCommit();
    const worktrees = createGitWorktrees(openGitSession(repository.path, process.env));
    expect((await refusal(worktrees.add(name))).code).toBe("worktree.bad-name");
    expect((await refusal(worktrees.remove(name))).code).toBe("worktree.bad-name");
  },
);

test.each<readonly [string, (root: string) => void, string]>([
  ["a branch of that name exists", (root) => void git(root, "branch", "tenon/AUTH-001"), "worktree.exists"],
  ["a file is in its place", (root) => put(root, ".sdd/worktrees/AUTH-001", "x\n"), "worktree.exists"],
  ["the repository has no commit", (root) => void git(root, "update-ref", "-d", "HEAD"), "git.refused"],
  ["the machine's folder is a link", (root) => fs.symlinkSync(root, join(root, ".sdd")), "files.not-a-file"],
  ["there is no repository", (root) => fs.rmSync(join(root, ".git"), { recursive: true }), "git.missing"],
])("creates no worktree when %s", async (_, prepare, code) => {
  using repository = repositoryWithCommit();
  prepare(repository.path);
  const environment = { ...process.env, GIT_CEILING_DIRECTORIES: join(repository.path, "..") };
  expect((await refusal(createGitWorktrees(openGitSession(repository.path, environment)).add("AUTH-001"))).code).toBe(
    code,
  );
});

test.each<readonly [string, (worktree: string, root: string) => void, RegExp]>([
  ["a file is changed", (worktree) => put(worktree, "a.txt", "2\n"), /^these are not committed: "a.txt"$/],
  ["a file is new", (worktree) => put(worktree, "new/b.txt", "2\n"), /^these are not committed: "new\/b.txt"$/],
  [
    "its branch has commits of its own",
    (worktree) => {
      put(worktree, "a.txt", "2\n");
      commitAll(worktree);
    },
    /^its commit [0-9a-f]{12} is not part of the branch that is checked out$/,
  ],
  [
    "its commit is on no branch",
    (worktree) => {
      git(worktree, "checkout", "--quiet", "--detach");
      put(worktree, "a.txt", "2\n");
      commitAll(worktree);
    },
    /^its commit [0-9a-f]{12} is not part/,
  ],
  [
    "its branch moved elsewhere",
    (worktree, root) => {
      git(worktree, "checkout", "--quiet", "--detach");
      git(root, "branch", "--force", "tenon/AUTH-001", git(root, "commit-tree", "HEAD^{tree}", "-m", "x").trim());
    },
    /^its commit [0-9a-f]{12} is not part/,
  ],
  [
    "git locked it",
    (worktree, root) => void git(root, "worktree", "lock", worktree),
    /^git reported "fatal: cannot remove/,
  ],
  [
    "it is a folder of the user",
    (worktree, root) => {
      git(root, "worktree", "remove", worktree);
      put(worktree, "mine", "m\n");
    },
    /is not a worktree of this repository$/,
  ],
  ["none exists", (worktree, root) => void git(root, "worktree", "remove", worktree), /^there is no worktree at/],
])("keeps a worktree when %s", async (_, work, why) => {
  using repository = repositoryWithCommit();
  const { path: root } = repository;
  const worktrees = createGitWorktrees(openGitSession(root, process.env));
  const { path } = await worktrees.add("AUTH-001");
  work(path, root);
  const before = takeLikeness(root);
  const { removed, why: said } = await worktrees.remove("AUTH-001");
  expect([removed, said]).toEqual([false, expect.stringMatching(why)]);
  expect(takeLikeness(root)).toEqual(before);
});

test("removes a worktree and its branch once its work is merged", async () => {
  using repository = repositoryWithCommit();
  const { path: root } = repository;
  const worktrees = createGitWorktrees(openGitSession(root, process.env));
  const { path } = await worktrees.add("AUTH-001");
  put(path, "b.txt", "2\n");
  commitAll(path);
  git(root, "merge", "--quiet", "tenon/AUTH-001");
  expect(await worktrees.remove("AUTH-001")).toEqual({ removed: true });
  expect([fs.existsSync(path), git(root, "branch", "--list", "tenon/*")]).toEqual([false, ""]);
  expect((await worktrees.add("AUTH-001")).path).toBe(path);
});

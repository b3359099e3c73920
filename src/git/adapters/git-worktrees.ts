import fs from "node:fs";
import { dirname, join } from "node:path";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { WorktreeManager } from "../operations/ports/git-files.ts";
import * as repositories from "./git-repository.ts";
import type { GitRepository, GitSession } from "./git-repository.ts";
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { createCheckoutPool } from "./temporary-checkout.ts";
import { createTemporaryClone } from "./temporary-clone.ts";

/** `git worktree add` fails when another process is making a worktree at the same time. */
const WORKTREE_TRIES = 5;
const WORKTREE_DISTURBED = /\.lock'?: File exists|could not lock|cannot lock|failed to read .*commondir/i;
const WORKTREE_TIMEOUT_MS = 600_000;
export const WORKTREE_LOCK_MS = 120_000;

type WorktreeLocation = ReturnType<typeof locateWorktree>;

export function createGitWorktrees(session: GitSession, longestTurnMs = WORKTREE_LOCK_MS) {
  const { root, environment } = session;
  return {
    async add(name: string, files: Parameters<WorktreeManager["add"]>[1] = []) {
      const place = locateWorktree(root, name);
      const repository = await repositories.openGitRepository(session);
      const answer = await repository.git.run(["rev-parse", "--verify", "HEAD^{commit}"]);
      if (answer.code !== 0)
        throw repositories.createGitFault("Git cannot create a worktree before the first commit.", answer);
      const base = answer.out.toString("utf8").trim();
      prepareWorktreeFolder(root);
      await assertWorktreeFree(repository, place);
      await withWorktreeLock(repository, longestTurnMs, () => addWorktree(repository, place, base));
      const wrong = await describeWorktreeFlaw(repository, environment, place, base);
      if (wrong === undefined) {
        for (const { path, text } of files) {
          const file = join(place.path, path);
          fs.mkdirSync(dirname(file), { recursive: true });
          if (!fs.existsSync(file)) fs.writeFileSync(file, text, { flag: "wx", mode: 0o644 });
        }
        return { path: place.path, branch: place.branch, missing: listMissingInstalls(root, place.path) };
      }
      // Our own folder first: if the settings mislead git about it, git must not delete anything else.
      fs.rmSync(place.path, { recursive: true, force: true });
      await repository.git.run(["worktree", "remove", "--force", place.path]);
      await repository.git.run(["update-ref", "-d", `refs/heads/${place.branch}`, base]);
      throw new Fault("worktree.not-isolated", {
        what: `The worktree ${name} was created and removed again.`,
        why: wrong,
        fix: "Check the settings of this repository: git config --list --show-origin",
      });
    },
    async remove(name: string): ReturnType<WorktreeManager["remove"]> {
      const place = locateWorktree(root, name);
      const repository = await repositories.openGitRepository(session);
      const why = await describeWorktreeLoss(repository, environment, place);
      if (why !== undefined) return { removed: false, why };
      return withWorktreeLock(repository, longestTurnMs, () => removeWorktree(repository, place));
    },
    ...createCheckoutPool(session),
    clone: (commit: string) => createTemporaryClone(session, commit),
  };
}

/** Git's list of worktrees is not safe for concurrent changes. */
export async function withWorktreeLock<T>(
  { commonFolder }: GitRepository,
  longestWaitMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const lock = join(commonFolder, "tenon", "worktrees.lock");
  const done = await withFileLock(lock, longestWaitMs, async () => ({ result: await work() }));
  if (done) return done.result;
  throw new Fault("worktree.busy", {
    what: "The worktrees cannot change now.",
    why: "Other processes blocked them for too long.",
    fix: "Run the command again.",
  });
}

function locateWorktree(root: string, name: string) {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?$/.test(name) && name.length <= 100)
    return { name, path: join(root, ".sdd", "worktrees", name), branch: `tenon/${name}` };
  throw new Fault("worktree.bad-name", {
    what: `${quote(name)} is not a valid worktree name.`,
    why: "A name has at most 100 letters, digits, hyphens and underscores.",
    fix: "Give it the id of a workflow, such as AUTH-001.",
  });
}

/** Folders of installed packages, the file that shows how they came, and the command. The first that fits counts. */
const INSTALLS: readonly (readonly [string, string, string])[] = [
  ["node_modules", "pnpm-lock.yaml", "pnpm install"],
  ["node_modules", "yarn.lock", "yarn install"],
  ["node_modules", "bun.lock", "bun install"],
  ["node_modules", "package-lock.json", "npm ci"],
  ["node_modules", "package.json", "npm install"],
  [".venv", "uv.lock", "uv sync"],
  [".venv", "poetry.lock", "poetry install"],
  [".venv", "requirements.txt", "python -m venv .venv && .venv/bin/pip install -r requirements.txt"],
  [".venv", "pyproject.toml", "python -m venv .venv && .venv/bin/pip install -e ."],
  ["vendor", "composer.lock", "composer install"],
  ["vendor", "Gemfile.lock", "bundle install"],
];

/** A new worktree has no ignored files, so the packages are missing that the project's tools need. */
function listMissingInstalls(root: string, place: string): { folder: string; command: string }[] {
  const has = (folder: string, name: string): boolean => fs.existsSync(join(folder, name));
  const fitting = INSTALLS.filter(([folder, sign]) => has(root, folder) && !has(place, folder) && has(place, sign));
  return fitting
    .filter(([folder], i) => fitting.findIndex((each) => each[0] === folder) === i)
    .map(([folder, , command]) => ({ folder, command }));
}

export function prepareWorktreeFolder(root: string): void {
  for (const folder of [join(root, ".sdd"), join(root, ".sdd", "worktrees")]) {
    const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
    if (stat && !stat.isDirectory()) {
      throw new Fault("files.not-a-file", {
        what: `${folder} cannot hold worktrees.`,
        why: "It is a link or a file, not a folder.",
        fix: `Move it away: ls -ld ${folder}`,
      });
    }
    fs.mkdirSync(folder, { recursive: true });
  }
  const ignore = join(root, ".sdd", ".gitignore");
  if (!fs.existsSync(ignore)) fs.writeFileSync(ignore, "*\n");
}

async function assertWorktreeFree({ git }: GitRepository, { name, path, branch }: WorktreeLocation): Promise<void> {
  const isBranch = (await git.ask(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`])) !== undefined;
  if (!isBranch && !fs.lstatSync(path, { throwIfNoEntry: false })) return;
  throw new Fault("worktree.exists", {
    what: `The worktree ${name} cannot be made.`,
    why: isBranch ? `The branch ${branch} exists already.` : `.sdd/worktrees/${name} exists already.`,
    fix: isBranch ? `If its work is done: git branch -d ${branch}` : "List the worktrees: git worktree list",
  });
}

/** Creates the branch first, and only if it does not exist. It tracks nothing, so git writes no settings. */
async function addWorktree(
  { git, zeros }: GitRepository,
  { name, path, branch }: WorktreeLocation,
  base: string,
): Promise<void> {
  const what = `The worktree ${name} cannot be made.`;
  await repositories.runGitOrFault(git, what, ["update-ref", `refs/heads/${branch}`, base, zeros]);
  for (let tries = 1; ; tries++) {
    const answer = await git.run(["worktree", "add", "--quiet", path, branch], { longestWaitMs: WORKTREE_TIMEOUT_MS });
    if (answer.code === 0) return;
    if (tries < WORKTREE_TRIES && WORKTREE_DISTURBED.test(answer.err)) continue;
    await git.run(["update-ref", "-d", `refs/heads/${branch}`, base]);
    throw repositories.createGitFault(what, answer);
  }
}

/** Undefined when it is sound. A worktree that only looks like one would change the user's files. */
async function describeWorktreeFlaw(
  { commonFolder }: GitRepository,
  environment: GitSession["environment"],
  { path, branch }: WorktreeLocation,
  base: string,
): Promise<string | undefined> {
  const made = await repositories.openGitSession(path, environment).repository();
  if (!made) return "Git finds no repository in it.";
  const real = fs.realpathSync(path);
  if (fs.realpathSync(made.top) !== real) return `Its files are those of ${quote(made.top, 200)}.`;
  if (!isLinkedWorktree(made, commonFolder)) return "It has no git folder of its own.";
  const head = (await made.git.ask(["symbolic-ref", "--quiet", "HEAD"]))?.trim();
  if (head !== `refs/heads/${branch}`) return "It is not on its own branch.";
  const commit = (await made.git.ask(["rev-parse", "HEAD"]))?.trim();
  return commit === base ? undefined : "It is not at the commit that it was created from.";
}

function isLinkedWorktree({ gitFolder }: GitRepository, commonFolder: string): boolean {
  return dirname(fs.realpathSync(gitFolder)) === join(fs.realpathSync(commonFolder), "worktrees");
}

/** Why removing the worktree would lose work. Ignored files do not count. */
async function describeWorktreeLoss(
  { git, commonFolder }: GitRepository,
  environment: GitSession["environment"],
  { name, path, branch }: WorktreeLocation,
): Promise<string | undefined> {
  if (!fs.existsSync(path)) return `there is no worktree at .sdd/worktrees/${name}`;
  const made = await repositories.openGitSession(path, environment).repository();
  if (!made || !isLinkedWorktree(made, commonFolder))
    return `.sdd/worktrees/${name} is not a worktree of this repository`;
  const obstacle = await repositories.describeGitObstacle(made);
  if (obstacle !== undefined) return `${obstacle} in it`;
  const status = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty"];
  const lines = (await repositories.runGitOrFault(made.git, "The worktree cannot be read.", status))
    .toString("utf8")
    .split("\0");
  const files = lines.slice(0, -1).map((line) => quote(line.slice(3)));
  if (files.length > 0) return `these are not committed: ${files.slice(0, 5).join(", ")}${files.length > 5 ? "…" : ""}`;
  for (const commit of [`refs/heads/${branch}`, await made.git.ask(["rev-parse", "HEAD"])]) {
    const tip = commit && (await git.ask(["rev-parse", "--verify", "--quiet", `${commit.trim()}^{commit}`]))?.trim();
    if (tip && (await git.ask(["merge-base", "--is-ancestor", tip, "HEAD"])) === undefined)
      return `its commit ${tip.slice(0, 12)} is not part of the branch that is checked out`;
  }
  return undefined;
}

/** Git itself refuses for submodules with files. The branch goes only if it did not move meanwhile. */
async function removeWorktree(
  { git }: GitRepository,
  { path, branch }: WorktreeLocation,
): ReturnType<WorktreeManager["remove"]> {
  const tip = (await git.ask(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]))?.trim();
  const answer = await git.run(["worktree", "remove", path], { longestWaitMs: WORKTREE_TIMEOUT_MS });
  if (answer.code !== 0) return { removed: false, why: `git reported ${quote(answer.err, 200)}` };
  if (tip) await git.run(["update-ref", "-d", `refs/heads/${branch}`, tip]);
  return { removed: true };
}

const LOCK_POLL_MS = 40;

/** The system drops SQLite's lock when the process dies. Undefined when the lock was not free in time. */
export async function withFileLock<T>(
  file: string,
  longestWaitMs: number,
  work: () => Promise<T>,
): Promise<T | undefined> {
  fs.mkdirSync(dirname(file), { recursive: true });
  const { DatabaseSync } = await import("node:sqlite");
  for (const end = performance.now() + longestWaitMs; ;) {
    const database = new DatabaseSync(file, { timeout: 0 });
    try {
      if (hasTakenFileLock(database)) return await work();
    } finally {
      database.close();
    }
    if (performance.now() > end) return undefined;
    await pause(LOCK_POLL_MS + randomInt(LOCK_POLL_MS));
  }
}

function hasTakenFileLock(database: { exec(sql: string): void }): boolean {
  try {
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && /locked|busy/i.test(error.message)) return false;
    throw error;
  }
}

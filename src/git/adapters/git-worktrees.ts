import fs from "node:fs";
import { dirname, join } from "node:path";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import type {
  CreatedWorktree,
  WorktreeManager,
  TemporaryCheckoutRequest,
  TemporaryCheckout,
} from "../operations/ports/git-files.ts";
import {
  describeGitObstacle,
  type GitSession,
  runGitOrFault,
  openGitSession,
  openGitRepository,
  createGitFault,
  type GitRepository,
} from "./git-repository.ts";
import os from "node:os";
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

/** `git worktree add` fails when another process is making a worktree at the same time. */
const WORKTREE_TRIES = 5;
const WORKTREE_DISTURBED = /\.lock'?: File exists|could not lock|cannot lock|failed to read .*commondir/i;
const WORKTREE_TIMEOUT_MS = 600_000;
const WORKTREE_LOCK_MS = 120_000;

interface WorktreeLocation {
  readonly name: string;
  readonly path: string;
  readonly branch: string;
}

type UnnamedWorktrees = Omit<WorktreeManager, "add"> & {
  add(...of: Parameters<WorktreeManager["add"]>): Promise<Omit<CreatedWorktree, "checkout">>;
};

export function createGitWorktrees(session: GitSession, longestTurnMs = WORKTREE_LOCK_MS): UnnamedWorktrees {
  const { root, environment } = session;
  return {
    async add(name, files = []) {
      const place = locateWorktree(root, name);
      const repository = await openGitRepository(session);
      const base = await readBaseCommit(repository);
      prepareWorktreeFolder(root);
      await assertWorktreeFree(repository, place);
      await withWorktreeLock(repository, longestTurnMs, () => addWorktree(repository, place, base));
      const wrong = await describeWorktreeFlaw(repository, environment, place, base);
      if (wrong === undefined) {
        for (const { path, text } of files) writeWorktreeFile(join(place.path, path), text);
        return { path: place.path, branch: place.branch };
      }
      await discardWorktree(repository, place, base);
      throw new Fault("worktree.not-isolated", {
        what: `The worktree ${name} was made and removed again.`,
        why: wrong,
        fix: "See what the settings of this repository say: git config --list --show-origin",
      });
    },
    async remove(name) {
      const place = locateWorktree(root, name);
      const repository = await openGitRepository(session);
      const why = await describeWorktreeLoss(repository, environment, place);
      if (why !== undefined) return { removed: false, why };
      return withWorktreeLock(repository, longestTurnMs, () => removeWorktree(repository, place));
    },
    lend: (lending) => createTemporaryCheckout(session, lending),
  };
}

function writeWorktreeFile(file: string, text: string): void {
  fs.mkdirSync(dirname(file), { recursive: true });
  if (!fs.existsSync(file)) fs.writeFileSync(file, text, { flag: "wx", mode: 0o644 });
}

/** Git's list of worktrees is not safe for concurrent changes. */
async function withWorktreeLock<T>(
  { commonFolder }: GitRepository,
  longestWaitMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const done = await withFileLock(join(commonFolder, "tenon", "worktrees.lock"), longestWaitMs, async () => ({
    result: await work(),
  }));
  if (done) return done.result;
  throw new Fault("worktree.busy", {
    what: "The worktrees cannot be changed now.",
    why: "Other processes were at it for too long.",
    fix: "Run the command again.",
  });
}

function locateWorktree(root: string, name: string): WorktreeLocation {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?$/.test(name) && name.length <= 100)
    return { name, path: join(root, ".sdd", "worktrees", name), branch: `tenon/${name}` };
  throw new Fault("worktree.bad-name", {
    what: `No worktree can be called ${quote(name)}.`,
    why: "Such a name has letters, digits, hyphens and underscores, and at most 100 of them.",
    fix: "Give it the id of a workflow, such as AUTH-001.",
  });
}

async function readBaseCommit({ git }: GitRepository): Promise<string> {
  const answer = await git.run(["rev-parse", "--verify", "HEAD^{commit}"]);
  if (answer.code !== 0) throw createGitFault("No worktree can be made before the first commit.", answer);
  return answer.out.toString("utf8").trim();
}

function prepareWorktreeFolder(root: string): void {
  for (const folder of [join(root, ".sdd"), join(root, ".sdd", "worktrees")]) {
    const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
    if (stat && !stat.isDirectory()) {
      throw new Fault("files.not-a-file", {
        what: `${folder} cannot hold worktrees.`,
        why: "A link or a file stands where a folder is expected.",
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
    why: isBranch ? `There is a branch ${branch} already.` : `Something stands at .sdd/worktrees/${name} already.`,
    fix: isBranch ? `If its work is done: git branch -d ${branch}` : "See which worktrees there are: git worktree list",
  });
}

/** Creates the branch first, and only if it does not exist. It tracks nothing, so git writes no settings. */
async function addWorktree(
  { git, zeros }: GitRepository,
  { name, path, branch }: WorktreeLocation,
  base: string,
): Promise<void> {
  const what = `The worktree ${name} cannot be made.`;
  await runGitOrFault(git, what, ["update-ref", `refs/heads/${branch}`, base, zeros]);
  for (let tries = 1; ; tries++) {
    const answer = await git.run(["worktree", "add", "--quiet", path, branch], { longestWaitMs: WORKTREE_TIMEOUT_MS });
    if (answer.code === 0) return;
    if (tries < WORKTREE_TRIES && WORKTREE_DISTURBED.test(answer.err)) continue;
    await git.run(["update-ref", "-d", `refs/heads/${branch}`, base]);
    throw createGitFault(what, answer);
  }
}

/**
 * Why a new worktree is unsafe to use; undefined when it is sound. A worktree that only looks like one would change the
 * user's files.
 */
async function describeWorktreeFlaw(
  { commonFolder }: GitRepository,
  environment: GitSession["environment"],
  { path, branch }: WorktreeLocation,
  base: string,
): Promise<string | undefined> {
  const made = await openGitSession(path, environment).repository();
  if (!made) return "Git does not see a repository in it.";
  const real = fs.realpathSync(path);
  if (fs.realpathSync(made.top) !== real) return `Its files are those of ${quote(made.top, 200)}.`;
  if (!isLinkedWorktree(made, commonFolder)) return "It has no git folder of its own.";
  const head = (await made.git.ask(["symbolic-ref", "--quiet", "HEAD"]))?.trim();
  if (head !== `refs/heads/${branch}`) return "It is on another branch than its own.";
  const commit = (await made.git.ask(["rev-parse", "HEAD"]))?.trim();
  return commit === base ? undefined : "It is at another commit than the one it was made from.";
}

function isLinkedWorktree({ gitFolder }: GitRepository, commonFolder: string): boolean {
  return dirname(fs.realpathSync(gitFolder)) === join(fs.realpathSync(commonFolder), "worktrees");
}

/** Deletes our own folder first: if the settings mislead git about it, git must not delete anything else. */
async function discardWorktree(
  { git }: GitRepository,
  { path, branch }: WorktreeLocation,
  base: string,
): Promise<void> {
  fs.rmSync(path, { recursive: true, force: true });
  await git.run(["worktree", "remove", "--force", path]);
  await git.run(["update-ref", "-d", `refs/heads/${branch}`, base]);
}

/** Why removing the worktree would lose work. Ignored files do not count. */
async function describeWorktreeLoss(
  { git, commonFolder }: GitRepository,
  environment: GitSession["environment"],
  { name, path, branch }: WorktreeLocation,
): Promise<string | undefined> {
  if (!fs.existsSync(path)) return `there is no worktree at .sdd/worktrees/${name}`;
  const made = await openGitSession(path, environment).repository();
  if (!made || !isLinkedWorktree(made, commonFolder))
    return `what stands at .sdd/worktrees/${name} is no worktree of this repository`;
  const obstacle = await describeGitObstacle(made);
  if (obstacle !== undefined) return `${obstacle} in it`;
  const status = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty"];
  const lines = (await runGitOrFault(made.git, "The worktree cannot be looked at.", status))
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

/**
 * Git refuses by itself if there are submodules with files. The branch is deleted only if it did not move meanwhile.
 */
async function removeWorktree(
  { git }: GitRepository,
  { path, branch }: WorktreeLocation,
): ReturnType<WorktreeManager["remove"]> {
  const tip = (await git.ask(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]))?.trim();
  const answer = await git.run(["worktree", "remove", path], { longestWaitMs: WORKTREE_TIMEOUT_MS });
  if (answer.code !== 0) return { removed: false, why: `git said ${quote(answer.err, 200)}` };
  if (tip) await git.run(["update-ref", "-d", `refs/heads/${branch}`, tip]);
  return { removed: true };
}

/**
 * A temporary checkout of a commit. Git does not register it as a worktree, so nothing in the repository needs cleanup
 * when the process is killed.
 */
export async function createTemporaryCheckout(
  session: GitSession,
  lending: TemporaryCheckoutRequest,
): Promise<TemporaryCheckout> {
  const { root } = session;
  const repository = await openGitRepository(session);
  // The runner finds leftovers of a killed process by this name.
  const folder = fs.mkdtempSync(join(fs.realpathSync(os.tmpdir()), `tenon-lent-${process.pid}-`));
  try {
    const tree = join(folder, "tree");
    fs.mkdirSync(tree);
    await checkOutCommit(repository, lending.commit, join(folder, "index"), tree);
    const place = join(tree, repository.prefix).replace(/\/$/, "");
    fs.mkdirSync(place, { recursive: true });
    for (const path of lending.over) copyWorkingFile(root, place, path);
    for (const path of lending.linked) linkWorkspacePath(root, place, path);
    let puts = 0;
    const put = async (path: string, text: string): Promise<void> =>
      writeCheckoutText(resolveCheckoutPath(place, path), text, ++puts);
    return { root: place, put, [Symbol.asyncDispose]: async () => removeTemporaryCheckout(folder) };
  } catch (error) {
    removeTemporaryCheckout(folder);
    throw error;
  }
}

const removeTemporaryCheckout = (folder: string): void =>
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });

async function checkOutCommit({ git, top }: GitRepository, commit: string, index: string, tree: string): Promise<void> {
  const what = "The files of the commit cannot be put into a folder.";
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new RangeError(`${commit} is no commit.`);
  const variables = { GIT_INDEX_FILE: index, GIT_WORK_TREE: top };
  await runGitOrFault(git, what, ["read-tree", commit], { variables });
  await runGitOrFault(git, what, ["checkout-index", "--all", "--force", `--prefix=${tree}/`], { variables });
}

function copyWorkingFile(root: string, place: string, path: string): void {
  const [from, to] = [join(root, path), resolveCheckoutPath(place, path)];
  fs.rmSync(to, { recursive: true, force: true });
  const stat = fs.lstatSync(from, { throwIfNoEntry: false });
  if (!stat) return;
  if (stat.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(from), to);
  else if (stat.isFile()) fs.copyFileSync(from, to);
}

/** Each write gets a later second: Python treats a file with the same second and size as unchanged. */
function writeCheckoutText(to: string, text: string, later: number): void {
  // Writing through a link would change a file outside.
  if (fs.lstatSync(to, { throwIfNoEntry: false })?.isFile() !== true) fs.rmSync(to, { recursive: true, force: true });
  fs.writeFileSync(to, text);
  const at = Math.floor(fs.statSync(to).mtimeMs / 1000) + later;
  fs.utimesSync(to, at, at);
}

function linkWorkspacePath(root: string, place: string, path: string): void {
  const [from, to] = [join(root, path), resolveCheckoutPath(place, path)];
  if (!fs.existsSync(from) || fs.existsSync(to)) return;
  fs.symlinkSync(fs.realpathSync(from), to);
}

function resolveCheckoutPath(place: string, path: string): string {
  const to = join(place, path);
  if (!to.startsWith(`${place}/`)) throw createOutsideFault(path);
  for (let up = dirname(to); up !== place; up = dirname(up)) {
    if (fs.lstatSync(up, { throwIfNoEntry: false })?.isSymbolicLink()) throw createOutsideFault(path);
  }
  fs.mkdirSync(dirname(to), { recursive: true });
  return to;
}

function createOutsideFault(path: string): Fault {
  return new Fault("files.escape", {
    what: "No folder was made to try the tests in.",
    why: `${path} leads out of it.`,
    fix: "Name files of the workspace.",
  });
}

const LOCK_POLL_MS = 40;

/**
 * Runs `work` while no other process does. The lock is SQLite's lock on its own file: the system drops it when the
 * process dies, so it never stays locked. Undefined when the lock was not free in time.
 */
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

import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { TemporaryCheckout, TemporaryCheckoutRequest, WorktreeManager } from "../operations/ports/git-files.ts";
import { listGitPaths } from "./file-view.ts";
import { type CheckoutPlaces, linkInstalledPackages } from "./linked-packages.ts";
import * as repositories from "./git-repository.ts";
import type { GitRepository, GitSession } from "./git-repository.ts";
import { tmpdir } from "node:os";
import { createHash, randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

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
    lend: (lending: TemporaryCheckoutRequest) => createTemporaryCheckout(session, lending),
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

/** A checkout that git does not register, so nothing in the repository needs cleanup when the process is killed. */
export async function createTemporaryCheckout(
  session: GitSession,
  lending: TemporaryCheckoutRequest,
): Promise<TemporaryCheckout> {
  const { root } = session;
  const repository = await repositories.openGitRepository(session);
  // The runner finds leftovers of a killed process by this name.
  const folder = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), `tenon-lent-${process.pid}-`));
  try {
    const tree = join(folder, "tree");
    fs.mkdirSync(tree);
    const what = "The files of the commit cannot be copied to a folder.";
    if (!/^[0-9a-f]{40,64}$/.test(lending.commit)) throw new RangeError(`${lending.commit} is not a commit.`);
    const variables = { GIT_INDEX_FILE: join(folder, "index"), GIT_WORK_TREE: repository.top };
    for (const words of [
      ["read-tree", lending.commit],
      ["checkout-index", "--all", "--force", `--prefix=${tree}/`],
    ])
      await repositories.runGitOrFault(repository.git, what, words, { variables });
    const place = join(tree, repository.prefix).replace(/\/$/, "");
    fs.mkdirSync(place, { recursive: true });
    for (const path of lending.over) {
      const [from, to] = [join(root, path), resolveCheckoutPath(place, path)];
      fs.rmSync(to, { recursive: true, force: true });
      const stat = fs.lstatSync(from, { throwIfNoEntry: false });
      if (stat?.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(from), to);
      else if (stat?.isFile()) fs.copyFileSync(from, to);
    }
    const listPaths = async (): Promise<string[]> =>
      (await listGitPaths(repository)).map((path) => `${repository.prefix}${path}`);
    const places = { working: fs.realpathSync(repository.top), checkout: tree, paths: listPaths };
    const leaks: string[] = [];
    for (const path of lending.linked) {
      const [from, to] = [join(root, path), resolveCheckoutPath(place, path)];
      if (fs.existsSync(from) && !fs.existsSync(to))
        leaks.push(...(await linkBorrowedFolder(fs.realpathSync(from), to, places)));
    }
    let puts = 0;
    const put = async (path: string, text: string): Promise<void> =>
      writeCheckoutText(resolveCheckoutPath(place, path), text, ++puts);
    const read = async (paths: readonly string[]): Promise<Map<string, string>> =>
      new Map(paths.map((path) => [path, describeCheckoutPath(join(place, path))]));
    const remove = async (paths: readonly string[]): Promise<void> => {
      for (const path of paths) fs.rmSync(resolveCheckoutPath(place, path), { force: true });
    };
    return {
      root: place,
      leaks,
      put,
      read,
      remove,
      [Symbol.asyncDispose]: async () => removeTemporaryCheckout(folder),
    };
  } catch (error) {
    removeTemporaryCheckout(folder);
    throw error;
  }
}

function describeCheckoutPath(place: string): string {
  try {
    const stat = fs.lstatSync(place);
    const mode = stat.mode.toString(8);
    if (stat.isSymbolicLink()) return `${mode} ${fs.readlinkSync(place)}`;
    return stat.isFile() ? `${mode} ${createHash("sha256").update(fs.readFileSync(place)).digest("hex")}` : mode;
  } catch {
    return "missing";
  }
}

/** Composer's loader finds the project beside its own real path, so these parts of `vendor` are copied. */
const COMPOSER_LOADER = ["autoload.php", "composer", "bin"];

export async function linkBorrowedFolder(from: string, to: string, places: CheckoutPlaces): Promise<string[]> {
  if (basename(to) === "node_modules") return linkInstalledPackages(from, to, places);
  if (!fs.existsSync(join(from, "composer", "autoload_real.php"))) {
    fs.symlinkSync(from, to);
    return [];
  }
  fs.mkdirSync(to);
  for (const name of fs.readdirSync(from)) {
    if (!COMPOSER_LOADER.includes(name)) fs.symlinkSync(join(from, name), join(to, name));
    else fs.cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
  }
  return [];
}

const removeTemporaryCheckout = (folder: string): void =>
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });

/** Each write gets a later second: Python treats a file with the same second and size as unchanged. */
function writeCheckoutText(to: string, text: string, later: number): void {
  // Writing through a link would change a file outside.
  if (fs.lstatSync(to, { throwIfNoEntry: false })?.isFile() !== true) fs.rmSync(to, { recursive: true, force: true });
  fs.writeFileSync(to, text);
  const at = Math.floor(fs.statSync(to).mtimeMs / 1000) + later;
  fs.utimesSync(to, at, at);
}

function resolveCheckoutPath(place: string, path: string): string {
  const to = join(place, path);
  let isOutside = !to.startsWith(`${place}/`);
  for (let up = dirname(to); !isOutside && up !== place; up = dirname(up))
    isOutside = fs.lstatSync(up, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (isOutside) {
    throw new Fault("files.escape", {
      what: "Tenon could not create a folder for the tests.",
      why: `${path} leads out of it.`,
      fix: "Name files of the workspace.",
    });
  }
  fs.mkdirSync(dirname(to), { recursive: true });
  return to;
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

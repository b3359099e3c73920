import fs from "node:fs";
import { dirname, join } from "node:path";
import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import type { CreatedWorktree, WorktreeManager } from "#operations/ports/snapshots.ts";
import { lendTree } from "./lent.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { obstacleIn } from "./obstacle.ts";
import { type GitSession, insist, openGitSession, openRepository, refused, type Repository } from "./repository.ts";

/** `git worktree add` fails when another process is making a worktree at the same time. */
const TRIES = 5;
const DISTURBED = /\.lock'?: File exists|could not lock|cannot lock|failed to read .*commondir/i;
const LONGEST_WAIT_MS = 600_000;
const LONGEST_TURN_MS = 120_000;

interface Place {
  readonly name: string;
  readonly path: string;
  readonly branch: string;
}

type UnnamedWorktrees = Omit<WorktreeManager, "add"> & {
  add(...of: Parameters<WorktreeManager["add"]>): Promise<Omit<CreatedWorktree, "checkout">>;
};

export function worktreesIn(session: GitSession, longestTurnMs = LONGEST_TURN_MS): UnnamedWorktrees {
  const { root, environment } = session;
  return {
    async add(name, files = []) {
      const place = placeOf(root, name);
      const repository = await openRepository(session);
      const base = await baseOf(repository);
      prepareFolder(root);
      await mustBeFree(repository, place);
      await inTurn(repository, longestTurnMs, () => make(repository, place, base));
      const wrong = await wrongWith(repository, environment, place, base);
      if (wrong === undefined) {
        for (const { path, text } of files) put(join(place.path, path), text);
        return { path: place.path, branch: place.branch };
      }
      await takeBack(repository, place, base);
      throw new Fault("worktree.not-isolated", {
        what: `The worktree ${name} was made and removed again.`,
        why: wrong,
        fix: "See what the settings of this repository say: git config --list --show-origin",
      });
    },
    async remove(name) {
      const place = placeOf(root, name);
      const repository = await openRepository(session);
      const why = await lossIn(repository, environment, place);
      if (why !== undefined) return { removed: false, why };
      return inTurn(repository, longestTurnMs, () => finishRemoval(repository, place));
    },
    lend: (lending) => lendTree(session, lending),
  };
}

function put(file: string, text: string): void {
  fs.mkdirSync(dirname(file), { recursive: true });
  if (!fs.existsSync(file)) fs.writeFileSync(file, text, { flag: "wx", mode: 0o644 });
}

/** Git's list of worktrees is not safe for concurrent changes. */
async function inTurn<T>({ commonFolder }: Repository, longestWaitMs: number, work: () => Promise<T>): Promise<T> {
  const done = await oneAtATime(join(commonFolder, "tenon", "worktrees.lock"), longestWaitMs, async () => ({
    result: await work(),
  }));
  if (done) return done.result;
  throw new Fault("worktree.busy", {
    what: "The worktrees cannot be changed now.",
    why: "Other processes were at it for too long.",
    fix: "Run the command again.",
  });
}

function placeOf(root: string, name: string): Place {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?$/.test(name) && name.length <= 100)
    return { name, path: join(root, ".sdd", "worktrees", name), branch: `tenon/${name}` };
  throw new Fault("worktree.bad-name", {
    what: `No worktree can be called ${quote(name)}.`,
    why: "Such a name has letters, digits, hyphens and underscores, and at most 100 of them.",
    fix: "Give it the id of a workflow, such as AUTH-001.",
  });
}

async function baseOf({ git }: Repository): Promise<string> {
  const answer = await git.run(["rev-parse", "--verify", "HEAD^{commit}"]);
  if (answer.code !== 0) throw refused("No worktree can be made before the first commit.", answer);
  return answer.out.toString("utf8").trim();
}

function prepareFolder(root: string): void {
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

async function mustBeFree({ git }: Repository, { name, path, branch }: Place): Promise<void> {
  const isBranch = (await git.ask(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`])) !== undefined;
  if (!isBranch && !fs.lstatSync(path, { throwIfNoEntry: false })) return;
  throw new Fault("worktree.exists", {
    what: `The worktree ${name} cannot be made.`,
    why: isBranch ? `There is a branch ${branch} already.` : `Something stands at .sdd/worktrees/${name} already.`,
    fix: isBranch ? `If its work is done: git branch -d ${branch}` : "See which worktrees there are: git worktree list",
  });
}

/** Creates the branch first, and only if it does not exist. It tracks nothing, so git writes no settings. */
async function make({ git, zeros }: Repository, { name, path, branch }: Place, base: string): Promise<void> {
  const what = `The worktree ${name} cannot be made.`;
  await insist(git, what, ["update-ref", `refs/heads/${branch}`, base, zeros]);
  for (let tries = 1; ; tries++) {
    const answer = await git.run(["worktree", "add", "--quiet", path, branch], { longestWaitMs: LONGEST_WAIT_MS });
    if (answer.code === 0) return;
    if (tries < TRIES && DISTURBED.test(answer.err)) continue;
    await git.run(["update-ref", "-d", `refs/heads/${branch}`, base]);
    throw refused(what, answer);
  }
}

/**
 * Why a new worktree is unsafe to use; undefined when it is sound. A worktree that only looks like one would change the
 * user's files.
 */
async function wrongWith(
  { commonFolder }: Repository,
  environment: GitSession["environment"],
  { path, branch }: Place,
  base: string,
): Promise<string | undefined> {
  const made = await openGitSession(path, environment).repository();
  if (!made) return "Git does not see a repository in it.";
  const real = fs.realpathSync(path);
  if (fs.realpathSync(made.top) !== real) return `Its files are those of ${quote(made.top, 200)}.`;
  if (!isWorktree(made, commonFolder)) return "It has no git folder of its own.";
  const head = (await made.git.ask(["symbolic-ref", "--quiet", "HEAD"]))?.trim();
  if (head !== `refs/heads/${branch}`) return "It is on another branch than its own.";
  const commit = (await made.git.ask(["rev-parse", "HEAD"]))?.trim();
  return commit === base ? undefined : "It is at another commit than the one it was made from.";
}

function isWorktree({ gitFolder }: Repository, commonFolder: string): boolean {
  return dirname(fs.realpathSync(gitFolder)) === join(fs.realpathSync(commonFolder), "worktrees");
}

/** Deletes our own folder first: if the settings mislead git about it, git must not delete anything else. */
async function takeBack({ git }: Repository, { path, branch }: Place, base: string): Promise<void> {
  fs.rmSync(path, { recursive: true, force: true });
  await git.run(["worktree", "remove", "--force", path]);
  await git.run(["update-ref", "-d", `refs/heads/${branch}`, base]);
}

/** Why removing the worktree would lose work. Ignored files do not count. */
async function lossIn(
  { git, commonFolder }: Repository,
  environment: GitSession["environment"],
  { name, path, branch }: Place,
): Promise<string | undefined> {
  if (!fs.existsSync(path)) return `there is no worktree at .sdd/worktrees/${name}`;
  const made = await openGitSession(path, environment).repository();
  if (!made || !isWorktree(made, commonFolder))
    return `what stands at .sdd/worktrees/${name} is no worktree of this repository`;
  const obstacle = await obstacleIn(made);
  if (obstacle !== undefined) return `${obstacle} in it`;
  const status = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty"];
  const lines = (await insist(made.git, "The worktree cannot be looked at.", status)).toString("utf8").split("\0");
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
async function finishRemoval({ git }: Repository, { path, branch }: Place): ReturnType<WorktreeManager["remove"]> {
  const tip = (await git.ask(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]))?.trim();
  const answer = await git.run(["worktree", "remove", path], { longestWaitMs: LONGEST_WAIT_MS });
  if (answer.code !== 0) return { removed: false, why: `git said ${quote(answer.err, 200)}` };
  if (tip) await git.run(["update-ref", "-d", `refs/heads/${branch}`, tip]);
  return { removed: true };
}

import fs from "node:fs";
import { dirname, join } from "node:path";
import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { PathDifference, SnapshotFile } from "../operations/ports/git-files.ts";
import type { KeptWorktree, LandingResult, LandingStore, MergeResult } from "../operations/ports/landings.ts";
import * as repositories from "./git-repository.ts";
import type { GitRepository, GitSession } from "./git-repository.ts";
import { listGitPaths } from "./file-view.ts";
import { prepareWorktreeFolder, WORKTREE_LOCK_MS, withWorktreeLock } from "./git-worktrees.ts";
import { linkBorrowedFolder } from "./linked-packages.ts";

const LONG_CALL = { largestAnswer: 2 ** 30, longestWaitMs: 600_000 };
const WORK_NOT_SAVED = "The work of the agent cannot be saved.";

export function createGitLandings(session: GitSession): LandingStore {
  const { root, environment } = session;
  const main = (): Promise<GitRepository> => repositories.openGitRepository(session);
  const inside = (name: string): Promise<GitRepository> =>
    repositories.openGitRepository(repositories.openGitSession(locate(root, name), environment));
  return {
    target: async () => readTarget(await main()),
    async open({ name, base, linked, isExact = false, prepare, isReadOnly }) {
      const repository = await main();
      const place = locate(root, name);
      assertRoom(place);
      prepareWorktreeFolder(root);
      await withWorktreeLock(repository, WORKTREE_LOCK_MS, async () => {
        if (fs.existsSync(place)) await removeWorktree(repository, place);
        const words = ["worktree", "add", "--quiet", "--detach", place, base];
        if ((await repository.git.run(words, LONG_CALL)).code === 0) return;
        // A crash in the middle of adding it leaves half of it.
        await removeWorktree(repository, place);
        await repositories.runGitOrFault(repository.git, `The worktree ${name} cannot be made.`, words, LONG_CALL);
      });
      const folder = join(place, repository.prefix).replace(/\/$/, "");
      if (!isExact) copyDocuments(root, folder);
      await linkFolders(repository, { root, folder, place }, linked);
      await prepare?.(folder);
      return { folder, start: isReadOnly ? base : await saveTree(await inside(name), base) };
    },
    async folder(name) {
      const place = locate(root, name);
      if (!fs.existsSync(join(place, ".git"))) return undefined;
      return join(place, (await main()).prefix).replace(/\/$/, "");
    },
    async changes(name, start) {
      const repository = await inside(name);
      const tree = await saveTree(repository, start);
      return { tree, changed: await compareTrees(repository, start, tree) };
    },
    async restore(name, tree, changes) {
      const { git, prefix } = await inside(name);
      for (const { path, from } of changes)
        if (!from) fs.rmSync(join(locate(root, name), prefix, path), { force: true });
      const paths = changes.flatMap(({ path, from }) => (from ? [`:(literal,top)${prefix}${path}`] : []));
      if (paths.length === 0) return;
      const words = ["restore", "--quiet", `--source=${tree}`, "--worktree", "--", ...paths];
      await repositories.runGitOrFault(git, "Files of Tenon cannot be restored.", words, LONG_CALL);
    },
    commit: async (request) => commitWork(await main(), request),
    async text(tree, path) {
      const { git, prefix } = await main();
      return git.ask(["cat-file", "blob", `${tree}:${prefix}${path}`]);
    },
    merge: async (tip, commit) => mergeOnto(await main(), tip, commit),
    async diff(from, to, paths, most) {
      const { git, prefix } = await main();
      const words = ["diff", "--no-color", from, to, "--", ...paths.map((path) => `:(literal,top)${prefix}${path}`)];
      return ((await git.ask(words)) ?? "").slice(0, most);
    },
    isAncestor: async (commit, of) =>
      (await (await main()).git.run(["merge-base", "--is-ancestor", commit, of])).code === 0,
    land: async (request) => landCommit(await main(), request),
    async remove(name, mayHaveCommit = true) {
      const repository = await main();
      await withWorktreeLock(repository, WORKTREE_LOCK_MS, async () => {
        await removeWorktree(repository, locate(root, name));
        if (mayHaveCommit) await repository.git.run(["update-ref", "--no-deref", "-d", `refs/tenon/run/${name}`]);
      });
    },
    list: async (except) => listKept(join(root, ".sdd", "worktrees"), except),
    freeBytes: async () => readFreeBytes(root),
  };
}

const locate = (root: string, name: string): string => {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name)) throw new RangeError(`${name} is not a worktree name.`);
  return join(root, ".sdd", "worktrees", name);
};

function assertRoom(place: string): void {
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (!stat || stat.isDirectory()) return;
  throw new Fault("files.not-a-file", {
    what: `${place} cannot hold a worktree.`,
    why: "It is a link or a file, not a folder.",
    fix: `Move it away: ls -ld ${place}`,
  });
}

async function readTarget({ git }: GitRepository) {
  const answer = await git.ask(["rev-parse", "HEAD^{commit}", "--symbolic-full-name", "HEAD"]);
  const [tip = "", ref = ""] = (answer ?? "").split("\n");
  return ref.startsWith("refs/") ? { branch: ref.replace(/^refs\/heads\//, ""), tip } : undefined;
}

/** Also after a crash in the middle of adding it. */
async function removeWorktree({ git }: GitRepository, place: string): Promise<void> {
  const removed = await git.run(["worktree", "remove", "--force", "--force", place], LONG_CALL);
  if (removed.code === 0 && !fs.existsSync(place)) return;
  fs.rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  await git.run(["worktree", "prune"]);
}

/** The agent reads the documents as they are now, although not all of them are committed. */
function copyDocuments(root: string, folder: string): void {
  const [from, to] = [join(root, "sdd"), join(folder, "sdd")];
  fs.rmSync(to, { recursive: true, force: true });
  if (fs.existsSync(from)) fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}

/** The tree of all files that are not ignored. An index of its own leaves that of the worktree alone. */
async function saveTree(repository: GitRepository, base: string): Promise<string> {
  const { git, gitFolder } = repository;
  const variables = { GIT_INDEX_FILE: join(gitFolder, "tenon-run-index") };
  if (!fs.existsSync(variables.GIT_INDEX_FILE))
    await repositories.runGitOrFault(git, WORK_NOT_SAVED, ["read-tree", base], { variables });
  // Git fails on an ignored folder that is excluded by its exact name.
  const paths = ["--", ":/", ":(exclude,top,glob)**/.sdd/**"];
  await repositories.runGitOrFault(git, WORK_NOT_SAVED, ["add", "-A", ...paths], { ...LONG_CALL, variables });
  return (await repositories.runGitOrFault(git, WORK_NOT_SAVED, ["write-tree"], { variables })).toString().trim();
}

async function compareTrees({ git, prefix }: GitRepository, from: string, to: string): Promise<PathDifference[]> {
  const words = ["diff-tree", "-r", "-z", "--no-renames", "--full-index", from, to];
  const parts = repositories.splitRawPaths(
    await repositories.runGitOrFault(git, "The work of the agent cannot be compared.", words, LONG_CALL),
  );
  const read = (mode = "", blob = ""): SnapshotFile | undefined => (/^0+$/.test(mode) ? undefined : { mode, blob });
  return parts.flatMap((head, i): PathDifference[] => {
    const [, fromMode, toMode, fromBlob, toBlob] = /^:(\d+) (\d+) (\w+) (\w+) /.exec(head) ?? [];
    const raw = parts[i + 1];
    if (fromMode === undefined || raw === undefined) return [];
    const path = repositories.decodeRawPath(raw) ?? raw;
    const own = path.startsWith(prefix) ? path.slice(prefix.length) : `../${path}`;
    const [before, after] = [read(fromMode, fromBlob), read(toMode, toBlob)];
    return [{ path: own, ...(before && { from: before }), ...(after && { to: after }) }];
  });
}

async function linkFolders(
  repository: GitRepository,
  { root, folder, place }: Readonly<Record<"root" | "folder" | "place", string>>,
  linked: readonly string[],
): Promise<void> {
  const listPaths = async (): Promise<string[]> =>
    (await listGitPaths(repository)).map((path) => `${repository.prefix}${path}`);
  const places = { working: fs.realpathSync(repository.top), checkout: place, paths: listPaths };
  for (const path of linked) {
    const [from, to] = [join(root, path), join(folder, path)];
    if (!fs.existsSync(from) || fs.existsSync(to) || !fs.existsSync(dirname(to))) continue;
    await linkBorrowedFolder(fs.realpathSync(from), to, places);
  }
}

async function commitWork(
  { git, gitFolder, prefix }: GitRepository,
  { name, base, changes, message }: Parameters<LandingStore["commit"]>[0],
): Promise<string> {
  const variables = { GIT_INDEX_FILE: join(gitFolder, `tenon-commit-${name}`) };
  const run = async (words: readonly string[], input?: string): Promise<string> =>
    (
      await repositories.runGitOrFault(git, WORK_NOT_SAVED, words, {
        variables,
        ...(input === undefined ? {} : { input }),
      })
    )
      .toString()
      .trim();
  try {
    await run(["read-tree", base]);
    const lines = changes.map(({ path, to }) =>
      to ? `${to.mode} ${to.blob}\t${prefix}${path}\0` : `0 ${"0".repeat(40)}\t${prefix}${path}\0`,
    );
    await run(["update-index", "-z", "--index-info"], lines.join(""));
    const commit = await commitTree(git, await run(["write-tree"]), [base], message);
    await run(["update-ref", "--no-deref", `refs/tenon/run/${name}`, commit]);
    return commit;
  } finally {
    fs.rmSync(variables.GIT_INDEX_FILE, { force: true });
  }
}

/** Without an identity in the settings, git would refuse: a run may take place on a machine that has none. */
async function commitTree(
  git: GitRepository["git"],
  tree: string,
  parents: readonly string[],
  message: string,
): Promise<string> {
  const words = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])];
  const answer = await git.run(words, { input: `${message}\n` });
  if (answer.code === 0) return answer.out.toString().trim();
  if (!/identity|user\.(?:name|email)|empty ident/i.test(answer.err))
    throw repositories.createGitFault(WORK_NOT_SAVED, answer);
  const settings = [
    ["user.name", "Tenon"],
    ["user.email", "tenon@localhost"],
  ] as const;
  const asked = { input: `${message}\n`, settings };
  return (await repositories.runGitOrFault(git, WORK_NOT_SAVED, words, asked)).toString().trim();
}

export async function mergeOnto(
  { git, prefix }: GitRepository,
  tip: string,
  commit: string,
  parents: readonly string[] = [tip],
): Promise<MergeResult> {
  const answer = await git.run(["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", tip, commit]);
  if (answer.code !== 0 && answer.code !== 1)
    throw repositories.createGitFault("The work of the agent cannot be merged.", answer);
  const [tree = "", ...names] = answer.out.toString("utf8").split("\0");
  if (answer.code === 1) {
    const conflicts = [...new Set(names.filter((path) => path !== ""))];
    return { conflicts: conflicts.map((path) => (path.startsWith(prefix) ? path.slice(prefix.length) : `../${path}`)) };
  }
  const message = parents.length > 1 ? "Merge the team's work" : await git.ask(["log", "-1", "--format=%B", commit]);
  return { commit: await commitTree(git, tree.trim(), parents, (message ?? "").trim()) };
}

/** `git merge --ff-only` changes the files first, and moves the branch only if it is still where it was. */
async function landCommit(
  repository: GitRepository,
  { branch, from, to }: Parameters<LandingStore["land"]>[0],
): Promise<LandingResult> {
  const { git } = repository;
  const now = await readTarget(repository);
  const block = (why: string, paths: readonly string[] = []): LandingResult => ({ kind: "blocked", why, paths });
  if (now?.branch !== branch) return block(`${branch} is not checked out here. Run: git switch ${branch}`);
  if (now.tip === to) return { kind: "landed" };
  if (now.tip !== from) return { kind: "moved" };
  const obstacle = await repositories.describeGitObstacle(repository);
  if (obstacle !== undefined) return block(obstacle);
  for (let isRepeated = false; ; isRepeated = true) {
    const words = ["merge", "--ff-only", "--quiet", "--no-autostash", to];
    const answer = await git.run(words, LONG_CALL);
    const after = await readTarget(repository);
    if (after?.tip === to) return { kind: "landed" };
    if (after?.tip !== from) return { kind: "moved" };
    const named = [...answer.err.matchAll(/^\t(.+)$/gm)].map(([, path = ""]) => path);
    if (named.length === 0) return block(sanitizeText(answer.err, 300));
    if (isRepeated || !(await stageFinishedFiles(repository, to, named)))
      return block("Changed files are in the way.", named);
  }
}

/** A landing that was interrupted leaves files with their new contents. Git takes them for changes of the user. */
async function stageFinishedFiles({ git, top }: GitRepository, to: string, paths: readonly string[]): Promise<boolean> {
  for (const path of paths) {
    const blob = (await git.ask(["rev-parse", "--verify", "--quiet", `${to}:${path}`]))?.trim();
    const own = (await git.ask(["-C", top, "hash-object", "--", path]))?.trim();
    if (blob === undefined || own !== blob) return false;
  }
  return (await git.run(["add", "--", ...paths.map((path) => `:(literal,top)${path}`)])).code === 0;
}

function listKept(folder: string, except: ReadonlySet<string>): KeptWorktree[] {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !except.has(entry.name))
    .map(({ name }) => {
      const place = join(folder, name);
      return { name, bytes: measureFolder(place), ageMs: Date.now() - fs.statSync(place).mtimeMs };
    });
}

/** Links are not followed, so linked packages do not count. */
function measureFolder(folder: string): number {
  let bytes = 0;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const place = join(folder, entry.name);
    if (entry.isDirectory()) bytes += measureFolder(place);
    else if (entry.isFile()) bytes += fs.lstatSync(place).size;
  }
  return bytes;
}

function readFreeBytes(root: string): number {
  const { bavail, bsize } = fs.statfsSync(fs.existsSync(root) ? root : dirname(root));
  return bavail * bsize;
}

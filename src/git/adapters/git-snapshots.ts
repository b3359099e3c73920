import { createHash } from "node:crypto";
import { dirname } from "node:path/posix";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import type {
  ComingFile,
  SnapshotFile,
  PathDifference,
  SnapshotStore,
  TakenSnapshot,
} from "../operations/ports/git-files.ts";
import { listCommitsSinceHash } from "./commit-history.ts";
import type { GitCommand } from "./git-command.ts";
import { appendIndexTrailer, storeSnapshotIndex, writeCommit } from "./git-index.ts";
import { isLooseObject, listTree, type TreeListing } from "./git-objects.ts";
import {
  describeGitObstacle,
  type GitSession,
  runGitOrFault,
  isObjectHash,
  decodeRawPath,
  openGitRepository,
  splitRawPaths,
  type GitRepository,
} from "./git-repository.ts";
import { restoreSnapshot } from "./snapshot-restore.ts";
import {
  addComingFile,
  isMachinePath,
  readWorkingTree,
  withoutOwnFiles,
  writeRawTree,
  writeRememberedTree,
  writeSourceTree,
} from "./working-tree.ts";

/**
 * The working files below a folder, stored as trees in its repository. Names that are not UTF-8 are stored but not
 * reported.
 */
export function createGitSnapshots(session: GitSession): SnapshotStore {
  const open = (): Promise<GitRepository> => openGitRepository(session);
  return {
    isPossible: async () => (await session.repository()) !== undefined,
    obstacle: async () => describeGitObstacle(await open()),
    async tree() {
      const repository = await open();
      return writeRawTree(repository, (await readWorkingTree(repository)).files);
    },
    sourceTree: async () => writeSourceTree(await open()),
    async sourceTreeOf(commit) {
      const repository = await open();
      return writeRememberedTree(repository, withoutOwnFiles(await listSnapshot(repository, commit)));
    },
    async take(id, n, message, coming) {
      const repository = await open();
      return takeGitSnapshot(repository, formatSnapshotRef(repository, id, n), message, coming);
    },
    async drop(id, n) {
      const repository = await open();
      await deleteSnapshotRefs(repository.git, [formatSnapshotRef(repository, id, n)]);
    },
    async dropAll(id) {
      const repository = await open();
      const { git } = repository;
      const words = ["for-each-ref", "--format=%(refname)", dirname(formatSnapshotRef(repository, id, 0))];
      const refs = (await runGitOrFault(git, "The snapshots cannot be listed.", words)).toString().split("\n");
      await deleteSnapshotRefs(git, refs.slice(0, -1));
    },
    async has(commit) {
      const repository = await open();
      if (!isObjectHash(commit)) return false;
      const isKnown = isLooseObject(repository, commit);
      return isKnown || (await repository.git.ask(["cat-file", "-e", `${commit}^{tree}`])) !== undefined;
    },
    async between(from, to) {
      const repository = await open();
      return compareTrees(await listSnapshot(repository, from), await listSnapshot(repository, to));
    },
    uncommitted: async () => listUncommittedPaths(await open()),
    async commitsSince(commit) {
      const { git } = await open();
      await assertTreesExist(git, commit === undefined ? [] : [commit]);
      return listCommitsSinceHash(git, commit);
    },
    async restore(request) {
      const repository = await open();
      await assertTreesExist(repository.git, [request.from, request.to]);
      return restoreSnapshot(repository, request);
    },
  };
}

const LARGE_SNAPSHOT_ANSWER = { largestAnswer: 2 ** 30 };
const WITHOUT_REFLOG = { settings: [["core.logAllRefUpdates", "false"]] as const };

/**
 * Callers check ids long before; here an id must not name another ref. A workspace below the top of its repository has
 * ids of its own, so it gets its own namespace.
 */
function formatSnapshotRef({ prefix }: Pick<GitRepository, "prefix">, id: string, n: number): string {
  const place = prefix === "" ? "" : `in-${createHash("sha256").update(prefix).digest("hex").slice(0, 12)}/`;
  if (/^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/.test(id) && Number.isSafeInteger(n) && n >= 0)
    return `refs/tenon/${place}${id}/${n}`;
  throw new Fault("snapshot.bad-id", {
    what: `No snapshot can be called ${quote(id)} ${n}.`,
    why: "A workflow's id has letters, digits and hyphens, and snapshots have whole numbers.",
    fix: "Name the workflow as its list does.",
  });
}

async function deleteSnapshotRefs(git: GitCommand, refs: readonly string[]): Promise<void> {
  for (const ref of refs)
    await runGitOrFault(
      git,
      "The snapshot cannot be dropped.",
      ["update-ref", "--no-deref", "-d", ref],
      WITHOUT_REFLOG,
    );
}

async function assertTreesExist(git: GitCommand, commits: readonly string[]): Promise<void> {
  for (const commit of commits)
    if (!isObjectHash(commit) || (await git.ask(["cat-file", "-e", `${commit}^{tree}`])) === undefined)
      throw createUnknownSnapshotFault(commit);
}

const createUnknownSnapshotFault = (commit: string): Fault =>
  new Fault("snapshot.unknown", {
    what: `${quote(commit)} cannot be used.`,
    why: "The repository has no snapshot or commit of that hash; it may have been dropped.",
    fix: "See which snapshots there are: git for-each-ref refs/tenon",
  });

async function takeGitSnapshot(
  repository: GitRepository,
  ref: string,
  message: string,
  coming: ComingFile | undefined,
): Promise<TakenSnapshot> {
  const { git } = repository;
  const head = (await git.ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]))?.trim();
  const { index, files, absent } = await readWorkingTree(repository);
  const tree = await writeRawTree(repository, coming ? await addComingFile(repository, files, coming) : files);
  const staged = await storeSnapshotIndex(repository, index, absent);
  const parents = [head, staged].filter((parent) => parent !== undefined);
  const commit = writeCommit(repository, tree, parents, appendIndexTrailer(message, staged));
  const what = "The snapshot cannot be kept.";
  await runGitOrFault(git, what, ["update-ref", "--no-deref", ref, commit], WITHOUT_REFLOG);
  return { commit, tree, ...(head === undefined ? {} : { head }) };
}

function compareTrees(from: TreeListing, to: TreeListing): PathDifference[] {
  const isSame = (a: SnapshotFile | undefined, b: SnapshotFile | undefined): boolean =>
    a?.blob === b?.blob && a?.mode === b?.mode;
  const paths = [...new Set([...from.keys(), ...to.keys()])].filter((path) => !isSame(from.get(path), to.get(path)));
  return paths
    .flatMap((raw): PathDifference[] => {
      const [path, before, after] = [decodeRawPath(raw), from.get(raw), to.get(raw)];
      return path === undefined ? [] : [{ path, ...(before && { from: before }), ...(after && { to: after }) }];
    })
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

async function listSnapshot(repository: GitRepository, commit: string): Promise<TreeListing> {
  if (!isObjectHash(commit)) throw createUnknownSnapshotFault(commit);
  return listTree(repository, commit).catch(async (error: unknown) => {
    await assertTreesExist(repository.git, [commit]);
    throw error;
  });
}

/** Asks `git status`, because a snapshot holds the bytes on disk and a commit holds git's converted bytes. */
async function listUncommittedPaths({ git, prefix }: GitRepository): Promise<string[]> {
  const options = ["--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty"];
  const words = ["status", ...options, "--", "."];
  const found = splitRawPaths(
    await runGitOrFault(git, "The uncommitted files cannot be listed.", words, LARGE_SNAPSHOT_ANSWER),
  );
  const names = found.flatMap((line) => decodeRawPath(line.slice(3))?.slice(prefix.length) ?? []);
  return [...new Set(names)].filter((path) => !path.endsWith("/") && !isMachinePath(path)).toSorted();
}

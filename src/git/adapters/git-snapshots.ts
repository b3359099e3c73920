import { createHash } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path/posix";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { SnapshotFile, PathDifference, SnapshotRef, SnapshotStore } from "../operations/ports/git-files.ts";
import { findDamagedRefs } from "./damaged-refs.ts";
import { listCommitsSinceHash } from "./commit-history.ts";
import { storeSnapshotIndex, writeCommit } from "./git-index.ts";
import { isLooseObject, listTree, type TreeListing } from "./git-objects.ts";
import { listHiddenFiles } from "./hidden-files.ts";
import * as repositories from "./git-repository.ts";
import type { GitRepository, GitSession } from "./git-repository.ts";
import { restoreSnapshot } from "./snapshot-restore.ts";
import {
  compareWithBaseline,
  listPathsChangedOutside,
  readBranch,
  storeBaseline,
  storeFilesWithout,
} from "./work-difference.ts";
import * as working from "./working-tree.ts";

/** Stores working files as trees in the repository. Names that are not UTF-8 are stored but not reported. */
export function createGitSnapshots(session: GitSession): SnapshotStore {
  const open = (): Promise<GitRepository> => repositories.openGitRepository(session);
  return {
    isPossible: async () => (await session.repository()) !== undefined,
    obstacle: async () => repositories.describeGitObstacle(await open()),
    async tree() {
      const repository = await open();
      return working.writeRawTree(repository, (await working.readWorkingTree(repository)).files);
    },
    sourceTree: async () => working.writeSourceTree(await open()),
    async sourceTreeOf(commit) {
      const repository = await open();
      return working.writeRememberedTree(repository, working.withoutOwnFiles(await listSnapshot(repository, commit)));
    },
    async take(id, n, message, coming) {
      const repository = await open();
      const ref = formatSnapshotRef(repository, id, n);
      const head = await repositories.readHeadCommit(repository);
      const { index, files, absent } = await working.readWorkingTree(repository);
      const all = coming ? await working.addComingFile(repository, files, coming) : files;
      const tree = await working.writeRawTree(repository, all);
      const staged = await storeSnapshotIndex(repository, index, absent);
      const parents = [head, staged].filter((parent) => parent !== undefined);
      const text = `${message.trim()}\n\nTenon-Index: ${staged ?? "none"}\n`;
      const commit = writeCommit(repository, tree, parents, text);
      await updateSnapshotRef(repository, "The snapshot cannot be saved.", [ref, commit]);
      return { commit, tree, ...(head === undefined ? {} : { head }) };
    },
    async drop(id, n) {
      const repository = await open();
      await updateSnapshotRef(repository, REF_NOT_DROPPED, ["-d", formatSnapshotRef(repository, id, n)]);
    },
    list: async () => listSnapshotRefs(await open()),
    async dropAll(id) {
      const repository = await open();
      const words = ["for-each-ref", "--format=%(refname)", dirname(formatSnapshotRef(repository, id, 0))];
      const listed = await repositories.runGitOrFault(repository.git, "The snapshots cannot be listed.", words);
      const refs = listed.toString().split("\n").slice(0, -1);
      for (const ref of refs) await updateSnapshotRef(repository, REF_NOT_DROPPED, ["-d", ref]);
    },
    damagedRefs: async (isRemoving) => findDamagedRefs(await open(), isRemoving),
    branch: async () => readBranch(await open()),
    takeBaseline: async () => storeBaseline(await open()),
    keepBaseline: async (id, commit) => keepBaseline(await open(), id, commit),
    changedOutside: async (baseline) => listPathsChangedOutside(await open(), baseline),
    sinceBaseline: async (baseline) => compareWithBaseline(await open(), baseline),
    without: async (work, records) => storeFilesWithout(await open(), work, records),
    async has(commit) {
      const repository = await open();
      if (!repositories.isObjectHash(commit)) return false;
      const isKnown = isLooseObject(repository, commit);
      return isKnown || (await repository.git.ask(["cat-file", "-e", `${commit}^{tree}`])) !== undefined;
    },
    async listFiles(tree) {
      const listing = await listSnapshot(await open(), tree);
      return new Map([...listing].flatMap(([raw, file]) => decodeEntry(raw, file)));
    },
    async between(from, to) {
      const repository = await open();
      return compareTrees(await listSnapshot(repository, from), await listSnapshot(repository, to));
    },
    changedAt: async (paths) => readChangeTimes((await open()).root, paths),
    hidden: async (isIgnoreEdited) => listHiddenFiles(await open(), isIgnoreEdited),
    uncommitted: async () => listUncommittedPaths(await open()),
    commitOwnFiles: async (...words) => commitOwnFiles(await open(), ...words),
    tags: async () => listTags(await open()),
    createTag: async (...tag) => createTag(await open(), ...tag),
    commitsSince: async (commit) => listCommitsSince(await open(), commit),
    async restore(request) {
      const repository = await open();
      await assertTreesExist(repository, [request.from, request.to]);
      return restoreSnapshot(repository, request);
    },
  };
}

async function listCommitsSince(repository: GitRepository, commit: string | undefined) {
  await assertTreesExist(repository, commit === undefined ? [] : [commit]);
  return listCommitsSinceHash(repository.git, commit);
}

function readChangeTimes(root: string, paths: readonly string[]): Map<string, number> {
  const readTime = (place: string): number | undefined => fs.lstatSync(place, { throwIfNoEntry: false })?.ctimeMs;
  return new Map(
    paths.map((path) => {
      let place = join(root, path);
      while (readTime(place) === undefined && place.length > root.length) place = dirname(place);
      return [path, readTime(place) ?? 0];
    }),
  );
}

async function listTags({ git }: GitRepository): Promise<string[]> {
  const listed = await git.ask(["tag", "--merged", "HEAD", "--sort=-version:refname"]);
  return (listed ?? "").split("\n").filter((name) => name !== "");
}

async function createTag({ git }: GitRepository, name: string, message: string, commit: string) {
  const words = ["tag", "--annotate", "--cleanup=verbatim", "-m", message, "--", name, commit];
  const { code, err } = await git.run(words);
  return code === 0 ? undefined : `Git said ${quote(err.split("\n")[0] ?? "", 200)}.`;
}

async function commitOwnFiles(repository: GitRepository, message: string, also: readonly string[] = []) {
  const own = (await listUncommittedPaths(repository)).filter((path) => path.startsWith("sdd/") || also.includes(path));
  if (own.length === 0) return undefined;
  const paths = ["--", ...own.map((path) => `:(literal,top)${repository.prefix}${path}`)];
  for (const words of [
    ["add", ...paths],
    ["commit", "--quiet", "--only", "-m", message, ...paths],
  ]) {
    const { code, err } = await repository.git.run(words);
    if (code === 0) continue;
    const said = err.split("\n").find((line) => /^(?:fatal|error): /.test(line)) ?? err.split("\n")[0] ?? "";
    return { why: `Git said ${quote(said, 200)}.` };
  }
  const hash = (await repository.git.ask(["rev-parse", "HEAD"]))?.trim() ?? "";
  return { hash };
}

/** Asks `git status`, because a snapshot holds the bytes on disk and a commit holds git's converted bytes. */
async function listUncommittedPaths({ git, prefix }: GitRepository): Promise<string[]> {
  const options = ["--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty"];
  const words = ["status", ...options, "--", "."];
  const answer = { largestAnswer: 2 ** 30 };
  const out = await repositories.runGitOrFault(git, "The uncommitted files cannot be listed.", words, answer);
  const lines = repositories.splitRawPaths(out);
  const names = lines.flatMap((line) => repositories.decodeRawPath(line.slice(3))?.slice(prefix.length) ?? []);
  return [...new Set(names)].filter((path) => !path.endsWith("/") && !working.isMachinePath(path)).toSorted();
}

function decodeEntry(raw: repositories.RawPath, file: SnapshotFile): (readonly [string, SnapshotFile])[] {
  const path = repositories.decodeRawPath(raw);
  return path === undefined ? [] : [[path, file]];
}

const keepBaseline = (repository: GitRepository, id: string, commit: string): Promise<void> =>
  updateSnapshotRef(repository, "The files cannot be saved.", [formatSnapshotRef(repository, id, 0), commit]);

const REF_NOT_DROPPED = "The snapshot cannot be removed.";

async function updateSnapshotRef({ git }: GitRepository, what: string, words: readonly string[]): Promise<void> {
  const options = { settings: [["core.logAllRefUpdates", "false"]] as const };
  await repositories.runGitOrFault(git, what, ["update-ref", "--no-deref", ...words], options);
}

/** An id must not name another ref. A workspace below the top has ids of its own, so it gets a namespace. */
function formatSnapshotRef({ prefix }: Pick<GitRepository, "prefix">, id: string, n: number): string {
  const place = prefix === "" ? "" : `in-${createHash("sha256").update(prefix).digest("hex").slice(0, 12)}/`;
  if (/^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u.test(id) && Number.isSafeInteger(n) && n >= 0)
    return `refs/tenon/${place}${id}/${n}`;
  throw new Fault("snapshot.bad-id", {
    what: `${quote(id)} ${n} is not a valid snapshot name.`,
    why: "A workflow's id has letters, digits and hyphens, and snapshots have whole numbers.",
    fix: "Use the id that tenon workflow status shows.",
  });
}

async function listSnapshotRefs(repository: GitRepository): Promise<SnapshotRef[]> {
  const place = dirname(dirname(formatSnapshotRef(repository, "X", 0)));
  const fields = ["refname", "objectname", "tree", "parent", "committerdate:unix", "subject", "contents:body"];
  const words = ["for-each-ref", `--format=${fields.map((field) => `%(${field})`).join("%00")}%01`, place];
  const listed = await repositories.runGitOrFault(repository.git, "The snapshots cannot be listed.", words);
  return listed
    .toString()
    .split("\u0001\n")
    .flatMap((record): SnapshotRef[] => {
      const [ref = "", commit = "", tree = "", parents = "", time = "", message = "", body = ""] = record.split("\0");
      const [, id, n] = /^\/([^/]+)\/(\d+)$/.exec(ref.slice(place.length)) ?? [];
      if (id === undefined) return [];
      const head = parents.split(" ").find((parent) => parent !== "" && !body.includes(`Tenon-Index: ${parent}`));
      const at = new Date(Number(time) * 1000).toISOString().replace(".000Z", "Z");
      return [{ id, n: Number(n), commit, tree, at, message, ...(head ? { head } : {}) }];
    })
    .toSorted((a, b) => a.n - b.n);
}

async function assertTreesExist({ git }: GitRepository, commits: readonly string[]): Promise<void> {
  for (const commit of commits)
    if (!repositories.isObjectHash(commit) || (await git.ask(["cat-file", "-e", `${commit}^{tree}`])) === undefined)
      throw createUnknownSnapshotFault(commit);
}

const createUnknownSnapshotFault = (commit: string): Fault =>
  new Fault("snapshot.unknown", {
    what: `${quote(commit)} cannot be used.`,
    why: "The repository has no snapshot or commit with that hash; it may have been removed.",
    fix: "List the snapshots: git for-each-ref refs/tenon",
  });

function compareTrees(from: TreeListing, to: TreeListing): PathDifference[] {
  const isSame = (a: SnapshotFile | undefined, b: SnapshotFile | undefined): boolean =>
    a?.blob === b?.blob && a?.mode === b?.mode;
  const paths = [...new Set([...from.keys(), ...to.keys()])].filter((path) => !isSame(from.get(path), to.get(path)));
  return paths
    .flatMap((raw): PathDifference[] => {
      const [path, before, after] = [repositories.decodeRawPath(raw), from.get(raw), to.get(raw)];
      return path === undefined ? [] : [{ path, ...(before && { from: before }), ...(after && { to: after }) }];
    })
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

async function listSnapshot(repository: GitRepository, commit: string): Promise<TreeListing> {
  if (!repositories.isObjectHash(commit)) throw createUnknownSnapshotFault(commit);
  return listTree(repository, commit).catch(async (error: unknown) => {
    await assertTreesExist(repository, [commit]);
    throw error;
  });
}

import { createHash } from "node:crypto";
import { dirname } from "node:path/posix";
import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import type {
  ComingFile,
  SnapshotFile,
  PathDifference,
  SnapshotStore,
  TakenSnapshot,
} from "#operations/ports/snapshots.ts";
import { commitsSince } from "./commits.ts";
import type { Git } from "./git.ts";
import { copyOfIndex, readIndex } from "./index-entries.ts";
import { IDENTITY, keepIndex, withTrailer } from "./index-part.ts";
import { obstacleIn } from "./obstacle.ts";
import {
  DURABLE,
  type GitSession,
  insist,
  isHash,
  nameOf,
  openRepository,
  rawParts,
  type Repository,
} from "./repository.ts";
import { restore } from "./restore.ts";
import { isAskedFor, rememberedTree, unchangedTree } from "./trees/known-tree.ts";
import { sourceTree, sourceTreeOf } from "./trees/source-tree.ts";
import { isMachines, recordFiles, type Recorded } from "./view.ts";

/**
 * The working files below a folder, stored as trees in its repository. Names that are not UTF-8 are stored but not
 * reported.
 */
export function snapshotsIn(session: GitSession): SnapshotStore {
  const { root } = session;
  const open = (): Promise<Repository> => openRepository(session);
  return {
    isPossible: async () => (await session.repository()) !== undefined,
    obstacle: async () => obstacleIn(await open()),
    async tree() {
      const repository = await open();
      using index = copyOfIndex(repository);
      return (await recordFiles(repository, await readIndex(repository, index.file), index.file)).tree;
    },
    sourceTree: async () => sourceTree(await open()),
    knownSourceTree: async () => unchangedTree(root),
    async rememberSourceTree() {
      const repository = await session.repository();
      return repository && rememberedTree(repository);
    },
    async keepKnown() {
      if (isAskedFor(root) && unchangedTree(root) === undefined) await rememberedTree(await open());
    },
    async sourceTreeOf(commit) {
      const repository = await open();
      await mustHave(repository.git, [commit]);
      return sourceTreeOf(repository, commit);
    },
    async take(id, n, message, coming) {
      const repository = await open();
      return take(repository, refOf(repository, id, n), message, coming);
    },
    async drop(id, n) {
      const repository = await open();
      await drop(repository.git, [refOf(repository, id, n)]);
    },
    async dropAll(id) {
      const repository = await open();
      const { git } = repository;
      const words = ["for-each-ref", "--format=%(refname)", dirname(refOf(repository, id, 0))];
      const refs = (await insist(git, "The snapshots cannot be listed.", words)).toString().split("\n");
      await drop(git, refs.slice(0, -1));
    },
    async has(commit) {
      const { git } = await open();
      return isHash(commit) && (await git.ask(["cat-file", "-e", `${commit}^{tree}`])) !== undefined;
    },
    async between(from, to) {
      const { git } = await open();
      await mustHave(git, [from, to]);
      const words = ["diff-tree", "-r", "-z", "--raw", "--full-index", "--no-renames", "--relative", from, to];
      return readDifferences(rawParts(await insist(git, "The snapshots cannot be compared.", words, LARGE)));
    },
    uncommitted: async () => uncommitted(await open()),
    async commitsSince(commit) {
      const { git } = await open();
      await mustHave(git, commit === undefined ? [] : [commit]);
      return commitsSince(git, commit);
    },
    async restore(request) {
      const repository = await open();
      await mustHave(repository.git, [request.from, request.to]);
      return restore(repository, request);
    },
  };
}

const LARGE = { largestAnswer: 2 ** 30 };
const UNLOGGED = { settings: [["core.logAllRefUpdates", "false"]] as const, variables: IDENTITY };

/**
 * Callers check ids long before; here an id must not name another ref. A workspace below the top of its repository has
 * ids of its own, so it gets its own namespace.
 */
function refOf({ prefix }: Pick<Repository, "prefix">, id: string, n: number): string {
  const place = prefix === "" ? "" : `in-${createHash("sha256").update(prefix).digest("hex").slice(0, 12)}/`;
  if (/^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/.test(id) && Number.isSafeInteger(n) && n >= 0)
    return `refs/tenon/${place}${id}/${n}`;
  throw new Fault("snapshot.bad-id", {
    what: `No snapshot can be called ${quote(id)} ${n}.`,
    why: "A workflow's id has letters, digits and hyphens, and snapshots have whole numbers.",
    fix: "Name the workflow as its list does.",
  });
}

async function drop(git: Git, refs: readonly string[]): Promise<void> {
  for (const ref of refs)
    await insist(git, "The snapshot cannot be dropped.", ["update-ref", "--no-deref", "-d", ref], UNLOGGED);
}

async function mustHave(git: Git, commits: readonly string[]): Promise<void> {
  for (const commit of commits) {
    if (isHash(commit) && (await git.ask(["cat-file", "-e", `${commit}^{tree}`])) !== undefined) continue;
    throw new Fault("snapshot.unknown", {
      what: `${quote(commit)} cannot be used.`,
      why: "The repository has no snapshot or commit of that hash; it may have been dropped.",
      fix: "See which snapshots there are: git for-each-ref refs/tenon",
    });
  }
}

async function take(
  repository: Repository,
  ref: string,
  message: string,
  coming: ComingFile | undefined,
): Promise<TakenSnapshot> {
  const { git } = repository;
  using copy = copyOfIndex(repository);
  const head = (await git.ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]))?.trim();
  const index = await readIndex(repository, copy.file);
  const { tree, absent }: Recorded = await recordFiles(repository, index, copy.file, coming);
  const staged = await keepIndex(repository, copy.file, index, absent);
  const parents = [head, staged].flatMap((parent) => (parent === undefined ? [] : ["-p", parent]));
  const what = "The snapshot cannot be kept.";
  const asking = { input: withTrailer(message, staged), settings: DURABLE, variables: IDENTITY };
  const commit = (await insist(git, what, ["commit-tree", tree, ...parents, "-F", "-"], asking)).toString().trim();
  await insist(git, what, ["update-ref", "--no-deref", ref, commit], UNLOGGED);
  return { commit, tree, ...(head === undefined ? {} : { head }) };
}

/** `:100644 100755 <blob> <blob> M`, then the path. */
function readDifferences(parts: readonly string[]): PathDifference[] {
  const differences = Array.from({ length: Math.floor(parts.length / 2) }, (_, i): PathDifference[] => {
    const [head = "", raw = ""] = parts.slice(2 * i);
    const [fromMode = "", toMode = "", fromBlob = "", toBlob = ""] = head.slice(1).split(" ");
    const path = nameOf(raw);
    const side = (name: "from" | "to", mode: string, blob: string): { [name]?: SnapshotFile } =>
      mode === "000000" ? {} : { [name]: { mode, blob } };
    return path === undefined ? [] : [{ path, ...side("from", fromMode, fromBlob), ...side("to", toMode, toBlob) }];
  });
  return differences.flat().toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** Asks `git status`, because a snapshot holds the bytes on disk and a commit holds git's converted bytes. */
async function uncommitted({ git, prefix }: Repository): Promise<string[]> {
  const options = ["--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty"];
  const words = ["status", ...options, "--", "."];
  const found = rawParts(await insist(git, "The uncommitted files cannot be listed.", words, LARGE));
  const names = found.flatMap((line) => nameOf(line.slice(3))?.slice(prefix.length) ?? []);
  return [...new Set(names)].filter((path) => !path.endsWith("/") && !isMachines(path)).toSorted();
}

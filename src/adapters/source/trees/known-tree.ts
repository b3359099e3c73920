import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { dirname as above } from "node:path/posix";
import { runGitOrFault, type RawPath, encodeRawPath, splitRawPaths, type GitRepository } from "../repository.ts";
import { writeSourceTree } from "./source-tree.ts";

interface KnownTree {
  readonly tree: string;
  readonly stamps: ReadonlyMap<RawPath, string>;
}

const knownTreeByRoot = new Map<string, KnownTree>();

const TREE_NOT_STAMPED = "The hash of the source files cannot be told.";
const LARGE_STAMP_ANSWER = { largestAnswer: 2 ** 30, longestWaitMs: 600_000 };
const NOT_SOURCE_FOLDERS = new Set([".git", ".sdd", "sdd"]);
const GIT_RULE_FILES = [".gitignore", ".gitattributes"];

/**
 * The last tree, if no stamp changed: of a file, of a folder that could receive a file, or of the ignore rules. A write
 * always changes the change time, which no program can set; git relies on the same.
 */
export function findUnchangedTree(root: string): string | undefined {
  const last = knownTreeByRoot.get(root);
  if (!last) return undefined;
  for (const [place, stamp] of last.stamps) if (formatTreeStamp(statRawPath(place)) !== stamp) return undefined;
  return last.tree;
}

export const isKnownWorkspace = (root: string): boolean => knownTreeByRoot.has(root);

export async function rememberWrittenTree(repository: GitRepository): Promise<string> {
  const { root } = repository;
  const begun = readFileSystemTime(repository);
  const tree = await writeSourceTree(repository);
  const stamps = await collectTreeStamps(repository, tree, begun);
  knownTreeByRoot.set(root, { tree, stamps: stamps ?? NEVER_MATCHING_STAMPS });
  return tree;
}

const NEVER_MATCHING_STAMPS: ReadonlyMap<RawPath, string> = new Map([["", "never"]]);

/** A stamp is valid only if the file last changed before the tree was begun; undefined if one is not. */
async function collectTreeStamps(
  repository: GitRepository,
  tree: string,
  begun: number,
): Promise<Map<RawPath, string> | undefined> {
  const { git, root } = repository;
  const listed = splitRawPaths(
    await runGitOrFault(git, TREE_NOT_STAMPED, ["ls-tree", "-r", "-z", "--full-tree", tree], LARGE_STAMP_ANSWER),
  );
  // Changes inside a submodule are not visible from outside.
  if (listed.some((entry) => entry.startsWith("160000"))) return undefined;
  const files = listed.map((entry) => entry.slice(entry.indexOf("\t") + 1));
  const folders = await listReceivingFolders(repository, files);
  const standing = [...files, ...folders].map((path) => [joinRawPath(root, path), true] as const);
  const besides = listGitRuleFiles(repository).map((place) => [place, false] as const);
  const stamps = new Map<RawPath, string>();
  for (const [place, mustStand] of [...standing, ...besides]) {
    const stat = statRawPath(place);
    if (stat ? stat.ctimeMs >= begun : mustStand) return undefined;
    stamps.set(place, formatTreeStamp(stat));
  }
  return stamps;
}

async function listReceivingFolders({ git, root }: GitRepository, files: readonly RawPath[]): Promise<Set<RawPath>> {
  const folders = new Set<RawPath>(["."]);
  for (const file of files) for (let at = above(file); !folders.has(at); at = above(at)) folders.add(at);
  let looked = [...folders];
  while (looked.length > 0) {
    const others = looked.flatMap((folder) => listSubfolders(root, folder)).filter((folder) => !folders.has(folder));
    const ignored = others.length === 0 ? new Set() : await listIgnoredFolders(git, others);
    looked = others.filter((folder) => !ignored.has(folder));
    for (const folder of looked) folders.add(folder);
  }
  return folders;
}

async function listIgnoredFolders(git: GitRepository["git"], folders: readonly RawPath[]): Promise<Set<RawPath>> {
  const input = Buffer.from(folders.map((folder) => `${folder}/\0`).join(""), "latin1");
  const { out } = await git.run(["check-ignore", "-z", "--stdin"], { ...LARGE_STAMP_ANSWER, input });
  return new Set(splitRawPaths(out).map((path) => path.replace(/\/$/, "")));
}

function listSubfolders(root: string, folder: RawPath): RawPath[] {
  const found = fs.readdirSync(Buffer.from(joinRawPath(root, folder), "latin1"), {
    withFileTypes: true,
    encoding: "latin1",
  });
  return found
    .filter(
      (entry) =>
        entry.isDirectory() && entry.name !== ".git" && !(folder === "." && NOT_SOURCE_FOLDERS.has(entry.name)),
    )
    .map(({ name }) => (folder === "." ? name : `${folder}/${name}`));
}

function listGitRuleFiles({ root, top, gitFolder, commonFolder }: GitRepository): RawPath[] {
  const folders: string[] = [root];
  for (let at = root; at !== top && at !== dirname(at); at = dirname(at)) folders.push(dirname(at));
  return [
    join(gitFolder, "index"),
    join(commonFolder, "config"),
    ...["exclude", "attributes", "sparse-checkout"].map((name) => join(commonFolder, "info", name)),
    ...folders.flatMap((folder) => GIT_RULE_FILES.map((name) => join(folder, name))),
  ].map(encodeRawPath);
}

const joinRawPath = (root: string, path: RawPath): RawPath =>
  path === "." ? encodeRawPath(root) : `${encodeRawPath(root)}/${path}`;

const statRawPath = (place: RawPath): fs.Stats | undefined =>
  fs.lstatSync(Buffer.from(place, "latin1"), { throwIfNoEntry: false });

function formatTreeStamp(stat: fs.Stats | undefined): string {
  if (!stat) return "";
  return stat.isDirectory() ? `${stat.ino} ${stat.ctimeMs}` : `${stat.ino} ${stat.ctimeMs} ${stat.size} ${stat.mode}`;
}

/** The clock of the file system, which may be on another machine. */
function readFileSystemTime({ gitFolder }: GitRepository): number {
  const folder = join(gitFolder, "tenon", "files");
  const file = join(folder, `time-${randomUUID()}`);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(file, "");
  const { ctimeMs } = fs.statSync(file);
  fs.rmSync(file);
  return ctimeMs;
}

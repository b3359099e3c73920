import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { dirname as above } from "node:path/posix";
import { insist, type RawName, rawName, rawParts, type Repository } from "../repository.ts";
import { sourceTree } from "./source-tree.ts";

interface Known {
  readonly tree: string;
  readonly stamps: ReadonlyMap<RawName, string>;
}

const known = new Map<string, Known>();

const WHAT = "The hash of the source files cannot be told.";
const LARGE = { largestAnswer: 2 ** 30, longestWaitMs: 600_000 };
const NOT_SOURCE = new Set([".git", ".sdd", "sdd"]);
const SAYS_HOW = [".gitignore", ".gitattributes"];

/**
 * The last tree, if no stamp changed: of a file, of a folder that could receive a file, or of the ignore rules. A write
 * always changes the change time, which no program can set; git relies on the same.
 */
export function unchangedTree(root: string): string | undefined {
  const last = known.get(root);
  if (!last) return undefined;
  for (const [place, stamp] of last.stamps) if (stampOf(lookAt(place)) !== stamp) return undefined;
  return last.tree;
}

export const isAskedFor = (root: string): boolean => known.has(root);

export async function rememberedTree(repository: Repository): Promise<string> {
  const { root } = repository;
  const begun = timeOn(repository);
  const tree = await sourceTree(repository);
  const stamps = await stampsOf(repository, tree, begun);
  known.set(root, { tree, stamps: stamps ?? NEVER });
  return tree;
}

const NEVER: ReadonlyMap<RawName, string> = new Map([["", "never"]]);

/** A stamp is valid only if the file last changed before the tree was begun; undefined if one is not. */
async function stampsOf(
  repository: Repository,
  tree: string,
  begun: number,
): Promise<Map<RawName, string> | undefined> {
  const { git, root } = repository;
  const listed = rawParts(await insist(git, WHAT, ["ls-tree", "-r", "-z", "--full-tree", tree], LARGE));
  // Changes inside a submodule are not visible from outside.
  if (listed.some((entry) => entry.startsWith("160000"))) return undefined;
  const files = listed.map((entry) => entry.slice(entry.indexOf("\t") + 1));
  const folders = await foldersOf(repository, files);
  const standing = [...files, ...folders].map((path) => [placeOf(root, path), true] as const);
  const besides = whatSaysHow(repository).map((place) => [place, false] as const);
  const stamps = new Map<RawName, string>();
  for (const [place, mustStand] of [...standing, ...besides]) {
    const stat = lookAt(place);
    if (stat ? stat.ctimeMs >= begun : mustStand) return undefined;
    stamps.set(place, stampOf(stat));
  }
  return stamps;
}

async function foldersOf({ git, root }: Repository, files: readonly RawName[]): Promise<Set<RawName>> {
  const folders = new Set<RawName>(["."]);
  for (const file of files) for (let at = above(file); !folders.has(at); at = above(at)) folders.add(at);
  let looked = [...folders];
  while (looked.length > 0) {
    const others = looked.flatMap((folder) => subfolders(root, folder)).filter((folder) => !folders.has(folder));
    const ignored = others.length === 0 ? new Set() : await ignoredOf(git, others);
    looked = others.filter((folder) => !ignored.has(folder));
    for (const folder of looked) folders.add(folder);
  }
  return folders;
}

async function ignoredOf(git: Repository["git"], folders: readonly RawName[]): Promise<Set<RawName>> {
  const input = Buffer.from(folders.map((folder) => `${folder}/\0`).join(""), "latin1");
  const { out } = await git.run(["check-ignore", "-z", "--stdin"], { ...LARGE, input });
  return new Set(rawParts(out).map((path) => path.replace(/\/$/, "")));
}

function subfolders(root: string, folder: RawName): RawName[] {
  const found = fs.readdirSync(Buffer.from(placeOf(root, folder), "latin1"), {
    withFileTypes: true,
    encoding: "latin1",
  });
  return found
    .filter((entry) => entry.isDirectory() && entry.name !== ".git" && !(folder === "." && NOT_SOURCE.has(entry.name)))
    .map(({ name }) => (folder === "." ? name : `${folder}/${name}`));
}

function whatSaysHow({ root, top, gitFolder, commonFolder }: Repository): RawName[] {
  const folders: string[] = [root];
  for (let at = root; at !== top && at !== dirname(at); at = dirname(at)) folders.push(dirname(at));
  return [
    join(gitFolder, "index"),
    join(commonFolder, "config"),
    ...["exclude", "attributes", "sparse-checkout"].map((name) => join(commonFolder, "info", name)),
    ...folders.flatMap((folder) => SAYS_HOW.map((name) => join(folder, name))),
  ].map(rawName);
}

const placeOf = (root: string, path: RawName): RawName => (path === "." ? rawName(root) : `${rawName(root)}/${path}`);

const lookAt = (place: RawName): fs.Stats | undefined =>
  fs.lstatSync(Buffer.from(place, "latin1"), { throwIfNoEntry: false });

function stampOf(stat: fs.Stats | undefined): string {
  if (!stat) return "";
  return stat.isDirectory() ? `${stat.ino} ${stat.ctimeMs}` : `${stat.ino} ${stat.ctimeMs} ${stat.size} ${stat.mode}`;
}

/** The clock of the file system, which may be on another machine. */
function timeOn({ gitFolder }: Repository): number {
  const folder = join(gitFolder, "tenon", "files");
  const file = join(folder, `time-${randomUUID()}`);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(file, "");
  const { ctimeMs } = fs.statSync(file);
  fs.rmSync(file);
  return ctimeMs;
}

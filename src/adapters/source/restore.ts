import { dirname } from "node:path";
import type { SnapshotFile, RestoreResult, SnapshotStore } from "#operations/ports/snapshots.ts";
import { settingIn } from "./git-settings.ts";
import { type IndexPart, listTree, readIndexPart } from "./index-part.ts";
import { putFile, removeFile, removeTemporary } from "./put-file.ts";
import { nameOf, rawName, type Repository } from "./repository.ts";
import { restoreIndex } from "./restore-index.ts";
import { findFile, isReachable } from "./working-file.ts";

type Request = Parameters<SnapshotStore["restore"]>[0];

type Files = ReadonlyMap<string, SnapshotFile>;

interface Work {
  readonly repository: Repository;
  readonly before: Files;
  readonly after: Files;
  readonly folders: ReadonlySet<string>;
  readonly format: "sha1" | "sha256";
  readonly isSame: (found: SnapshotFile | "nothing", kept: SnapshotFile | undefined) => boolean;
}

/**
 * Checks each path right before changing it, and recognises finished work by the file that is already there, so it may
 * be killed at any point and called again. Deletions come first, deepest path first, so that files and folders can
 * replace each other.
 */
export async function restore(repository: Repository, { from, to, paths }: Request): Promise<RestoreResult> {
  const staged = await readIndexPart(repository.git, to);
  const before = await filesOf(repository, from, await readIndexPart(repository.git, from));
  const after = await filesOf(repository, to, staged);
  const format = to.length === 64 ? "sha256" : "sha1";
  const work: Work = { repository, before, after, folders: foldersOf(after), format, isSame: samenessIn(repository) };
  const own = [...new Set(paths)].toSorted();
  const [going, coming] = [own.filter((path) => !after.has(path)), own.filter((path) => after.has(path))];
  const foreign = new Set<string>();
  for (const path of [...going.toReversed(), ...coming]) if (!(await restorePath(work, path))) foreign.add(path);
  const isDone = (path: string): boolean => !foreign.has(path);
  if (staged) await restoreIndex(repository, staged, own.filter(isDone).map(rawName));
  const isTold = (path: string): boolean =>
    isDone(path) && !work.isSame(before.get(path) ?? "nothing", after.get(path));
  return { restored: coming.filter(isTold), deleted: going.filter(isTold), foreign: [...foreign].toSorted() };
}

/**
 * Whether the path now matches the target snapshot. False when another program changed it; then the path is not
 * touched.
 */
async function restorePath(work: Work, path: string): Promise<boolean> {
  const { before, after, folders, isSame } = work;
  const { git, root } = work.repository;
  const [was, becomes] = [before.get(path), after.get(path)];
  if (isSubmodule(was) || isSubmodule(becomes)) return was?.blob === becomes?.blob;
  if (isReachable(root, path)) removeTemporary(root, path);
  const found = findFile(root, path, work.format);
  if (found === "other") return false;
  if (found === "folder" || found === "blocked") {
    // The path has no file. That is correct if the target has none either, and the old snapshot had none or the target
    // has a folder here or a file above.
    const isMeant = was === undefined || folders.has(path) || isBelowFile(after, path);
    return becomes === undefined && isMeant;
  }
  const isBecome = isSame(found, becomes);
  if (!isBecome && !isSame(found, was)) return false;
  if (becomes === undefined) {
    if (was !== undefined) removeFile(root, path, (folder) => !folders.has(folder) && !isSubmodule(after.get(folder)));
  } else if (!isBecome) await putFile(git, root, path, becomes);
  return true;
}

function isBelowFile(files: Files, path: string): boolean {
  for (let folder = dirname(path); folder !== "." && folder !== "/"; folder = dirname(folder)) {
    const file = files.get(folder);
    if (file) return !isSubmodule(file);
  }
  return false;
}

const isSubmodule = (kept: SnapshotFile | undefined): boolean => kept?.mode === "160000";

async function filesOf({ git }: Repository, snapshot: string, staged: IndexPart | undefined): Promise<Files> {
  const files = (await listTree(git, snapshot)).filter(({ path }) => !staged?.absent.has(path));
  return new Map(
    files.flatMap(({ path, mode, blob }) => {
      const name = nameOf(path);
      return name === undefined ? [] : [[name, { mode, blob }] as const];
    }),
  );
}

function foldersOf(files: Files): Set<string> {
  const folders = new Set<string>();
  for (const path of files.keys()) {
    for (let folder = dirname(path); folder !== "." && !folders.has(folder); folder = dirname(folder))
      folders.add(folder);
  }
  return folders;
}

/** Where the file system has no executable bit or no links, git trusts its index, and so does this comparison. */
function samenessIn({ git }: Repository): Work["isSame"] {
  const knowsModes = settingIn(git.listing, "core.fileMode") !== "false";
  const knowsLinks = settingIn(git.listing, "core.symlinks") !== "false";
  return (found, kept) => {
    if (found === "nothing" || kept === undefined) return found === "nothing" && kept === undefined;
    if (found.blob !== kept.blob) return false;
    if (found.mode === kept.mode) return true;
    const isLink = found.mode === "120000" || kept.mode === "120000";
    return isLink ? !knowsLinks && found.mode !== "120000" : !knowsModes;
  };
}

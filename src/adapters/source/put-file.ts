import { createHash } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import type { SnapshotFile } from "#operations/ports/snapshots.ts";
import type { GitCommand } from "./git.ts";
import { findGitSetting } from "./git-settings.ts";
import { runGitOrFault } from "./repository.ts";

/** Next to its target and always the same, so that the next run after a crash finds and removes it. */
const formatTemporaryPath = (root: string, path: string): string =>
  join(root, dirname(path), `.tenon-${createHash("sha256").update(path).digest("hex").slice(0, 24)}`);

export function removeTemporaryFile(root: string, path: string): void {
  const place = formatTemporaryPath(root, path);
  if (fs.lstatSync(place, { throwIfNoEntry: false })) fs.rmSync(place);
}

/** Writes a file or link atomically, with the bytes in git, unconverted. */
export async function writeWorkingFile(
  git: GitCommand,
  root: string,
  path: string,
  { mode, blob }: SnapshotFile,
): Promise<void> {
  const place = join(root, path);
  const temporary = formatTemporaryPath(root, path);
  const what = `${path} cannot be restored.`;
  makeParentFolders(root, dirname(path));
  removeTemporaryFile(root, path);
  if (mode === "120000" && findGitSetting(git.listing, "core.symlinks") !== "false") {
    fs.symlinkSync(await runGitOrFault(git, what, ["cat-file", "blob", blob]), temporary);
  } else {
    const fd = fs.openSync(temporary, "wx", mode === "100755" ? 0o777 : 0o666);
    try {
      await runGitOrFault(git, what, ["cat-file", "blob", blob], { output: fd });
      copyFilePermissions(fd, place, mode === "100755");
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  }
  fs.renameSync(temporary, place);
  syncGitFolder(dirname(place));
}

function copyFilePermissions(fd: number, place: string, isExecutable: boolean): void {
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (!stat?.isFile()) return;
  const plain = stat.mode & 0o666;
  fs.fchmodSync(fd, isExecutable ? plain | ((plain & 0o444) >> 2) : plain);
}

function makeParentFolders(root: string, folder: string): void {
  if (folder === "." || fs.existsSync(join(root, folder))) return;
  makeParentFolders(root, dirname(folder));
  fs.mkdirSync(join(root, folder));
  syncGitFolder(dirname(join(root, folder)));
}

export function removeWorkingFile(root: string, path: string, mayGo: (folder: string) => boolean): void {
  if (fs.lstatSync(join(root, path), { throwIfNoEntry: false })) fs.rmSync(join(root, path));
  let folder = dirname(path);
  for (; folder !== "." && mayGo(folder); folder = dirname(folder)) {
    const names = fs.existsSync(join(root, folder)) ? fs.readdirSync(join(root, folder)) : undefined;
    if (names?.length) break;
    if (names) fs.rmdirSync(join(root, folder));
  }
  if (fs.existsSync(join(root, folder))) syncGitFolder(join(root, folder));
}

/** Windows cannot open a folder to sync it. */
function syncGitFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

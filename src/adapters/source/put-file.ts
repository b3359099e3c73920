import { createHash } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import type { SnapshotFile } from "#operations/ports/snapshots.ts";
import type { Git } from "./git.ts";
import { settingIn } from "./git-settings.ts";
import { insist } from "./repository.ts";

/** Next to its target and always the same, so that the next run after a crash finds and removes it. */
const temporaryOf = (root: string, path: string): string =>
  join(root, dirname(path), `.tenon-${createHash("sha256").update(path).digest("hex").slice(0, 24)}`);

export function removeTemporary(root: string, path: string): void {
  const place = temporaryOf(root, path);
  if (fs.lstatSync(place, { throwIfNoEntry: false })) fs.rmSync(place);
}

/** Writes a file or link atomically, with the bytes in git, unconverted. */
export async function putFile(git: Git, root: string, path: string, { mode, blob }: SnapshotFile): Promise<void> {
  const place = join(root, path);
  const temporary = temporaryOf(root, path);
  const what = `${path} cannot be restored.`;
  makeFolders(root, dirname(path));
  removeTemporary(root, path);
  if (mode === "120000" && settingIn(git.listing, "core.symlinks") !== "false") {
    fs.symlinkSync(await insist(git, what, ["cat-file", "blob", blob]), temporary);
  } else {
    const fd = fs.openSync(temporary, "wx", mode === "100755" ? 0o777 : 0o666);
    try {
      await insist(git, what, ["cat-file", "blob", blob], { output: fd });
      keepPermissions(fd, place, mode === "100755");
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  }
  fs.renameSync(temporary, place);
  syncFolder(dirname(place));
}

function keepPermissions(fd: number, place: string, isExecutable: boolean): void {
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (!stat?.isFile()) return;
  const plain = stat.mode & 0o666;
  fs.fchmodSync(fd, isExecutable ? plain | ((plain & 0o444) >> 2) : plain);
}

function makeFolders(root: string, folder: string): void {
  if (folder === "." || fs.existsSync(join(root, folder))) return;
  makeFolders(root, dirname(folder));
  fs.mkdirSync(join(root, folder));
  syncFolder(dirname(join(root, folder)));
}

export function removeFile(root: string, path: string, mayGo: (folder: string) => boolean): void {
  if (fs.lstatSync(join(root, path), { throwIfNoEntry: false })) fs.rmSync(join(root, path));
  let folder = dirname(path);
  for (; folder !== "." && mayGo(folder); folder = dirname(folder)) {
    const names = fs.existsSync(join(root, folder)) ? fs.readdirSync(join(root, folder)) : undefined;
    if (names?.length) break;
    if (names) fs.rmdirSync(join(root, folder));
  }
  if (fs.existsSync(join(root, folder))) syncFolder(join(root, folder));
}

/** Windows cannot open a folder to sync it. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

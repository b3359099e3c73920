import fs from "node:fs";
import { dirname } from "node:path";

/** Write under a temporary name, then `publishFile`. The umask limits the permissions in `create`, not in `mode`. */
export function writeSyncedFile(
  file: string,
  bytes: string | Uint8Array,
  { flag = "wx", create = 0o644, mode }: { flag?: "w" | "wx"; create?: number; mode?: number | undefined } = {},
): void {
  const fd = fs.openSync(file, flag, create);
  try {
    if (mode !== undefined) fs.fchmodSync(fd, mode);
    fs.writeFileSync(fd, bytes);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

export function syncFile(file: string): void {
  const fd = fs.openSync(file, "r+");
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Replaces a file atomically. It is on disk when this returns. */
export function publishFile(temporary: string, file: string): void {
  fs.renameSync(temporary, file);
  syncFolder(dirname(file));
}

/** Windows cannot open a folder to sync it; its file system journals the rename itself. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

import type { Stats } from "node:fs";

type FileStamp = Pick<Stats, "ino" | "size" | "mtimeMs" | "ctimeMs">;

/** Milliseconds. Every file system and clock that Linux, macOS and Windows use for work counts in finer steps. */
const SETTLED_MS = 100;
const MAX_FILE_BYTES = 64 * 1024;
/** Room for the records of 10,000 changes. */
const MAX_REMEMBERED_BYTES = 16 * 1024 * 1024;

const remembered = new Map<string, { readonly stamp: FileStamp; readonly bytes: Buffer }>();
let rememberedBytes = 0;

/** Contents that this process has read. Undefined if the file may have changed since. Do not change the bytes. */
export function recallFile(file: string, { ino, size, mtimeMs, ctimeMs }: FileStamp): Buffer | undefined {
  const known = remembered.get(file);
  const isSame =
    known?.stamp.ctimeMs === ctimeMs &&
    known.stamp.mtimeMs === mtimeMs &&
    known.stamp.size === size &&
    known.stamp.ino === ino;
  return isSame ? known.bytes : undefined;
}

/** Only a file that has rested: a second change in one clock step does not show. `stamp` is from before reading. */
export function rememberFile(file: string, stamp: FileStamp, bytes: Buffer, now = Date.now()): void {
  if (bytes.length > MAX_FILE_BYTES || bytes.length !== stamp.size || now - stamp.ctimeMs < SETTLED_MS) return;
  if (rememberedBytes + bytes.length > MAX_REMEMBERED_BYTES) {
    remembered.clear();
    rememberedBytes = 0;
  }
  rememberedBytes += bytes.length - (remembered.get(file)?.bytes.length ?? 0);
  remembered.set(file, { stamp, bytes });
}

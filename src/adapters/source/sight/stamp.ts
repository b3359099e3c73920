import fs from "node:fs";
import { join } from "node:path";
import type { SourceFile, SourceContent, StampedContent } from "#operations/ports/source.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const READ_STAMPED_FILE = O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
/**
 * Nanoseconds. Some file systems record times in steps of two seconds: a file that changed more recently may change
 * again and keep its stamp.
 */
const CLOCK_STEP_NS = 2_000_000_000n;
const READ_ATTEMPTS = 3;

const formatFileStamp = ({ size, mtimeNs, ctimeNs, ino }: fs.BigIntStats): string =>
  `${size}-${mtimeNs}-${ctimeNs}-${ino}`;

/** Duplicates of a merge, uncommitted deletions, links and submodules are not files. */
export function describeSourceFile(root: string, path: string): SourceFile[] {
  const stat = fs.lstatSync(join(root, path), { throwIfNoEntry: false, bigint: true });
  return stat?.isFile() ? [{ path, bytes: Number(stat.size), stamp: formatFileStamp(stat) }] : [];
}

export function readStampedFile(file: string, most: number): StampedContent {
  let fd: number;
  try {
    fd = fs.openSync(file, READ_STAMPED_FILE);
  } catch (error) {
    const isLink = error instanceof Error && "code" in error && error.code === "ELOOP";
    return { kind: isLink ? "link" : "missing", stamp: "" };
  }
  try {
    return readOpenStampedFile(fd, most);
  } catch {
    return { kind: "missing", stamp: "" };
  } finally {
    fs.closeSync(fd);
  }
}

function readOpenStampedFile(fd: number, most: number): StampedContent {
  let standing: SourceContent = { kind: "missing" };
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
    const before = fs.fstatSync(fd, { bigint: true });
    if (!before.isFile()) return { kind: "link", stamp: "" };
    standing = before.size > most ? { kind: "large" } : decodeStampedText(readFileBytes(fd, Number(before.size)));
    const after = fs.fstatSync(fd, { bigint: true });
    if (formatFileStamp(after) !== formatFileStamp(before)) continue;
    return { ...standing, stamp: isRecentChange(after) ? "" : formatFileStamp(after) };
  }
  return { ...standing, stamp: "" };
}

/** Every write sets the change time, and no program can set it back. */
const isRecentChange = ({ ctimeNs }: fs.BigIntStats): boolean =>
  BigInt(Date.now()) * 1_000_000n - ctimeNs < CLOCK_STEP_NS;

function readFileBytes(fd: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const more = fs.readSync(fd, bytes, read, length - read, read);
    if (more === 0) break;
    read += more;
  }
  return bytes.subarray(0, read);
}

function decodeStampedText(bytes: Buffer): SourceContent {
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { kind: "binary" };
  }
}

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../kit/folder.ts";

/** A file system of its own that is soon full. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Leaves so many bytes and no more. */
  fill(left: number): void;
  /** Leaves room for so many files and no more. */
  fillFiles(left: number): void;
  free(): void;
  remount(mode: "ro" | "rw"): void;
}

const SIZE = 2 * 1024 * 1024;
const INODES = 2000;

export function smallDisk(): SmallDisk {
  const folder = temporaryFolder();
  const { path } = folder;
  run("mount", "-t", "tmpfs", "-o", `size=${SIZE},nr_inodes=${INODES}`, "tmpfs", path);
  const [filler, fillers] = [join(path, "filler"), join(path, "fillers")];
  return {
    path,
    fill(left) {
      const { bavail, bsize } = fs.statfsSync(path);
      fs.writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - left)));
    },
    fillFiles(left) {
      fs.mkdirSync(fillers, { recursive: true });
      const { ffree } = fs.statfsSync(path);
      for (let i = left; i < ffree; i++) fs.writeFileSync(join(fillers, String(i)), "");
    },
    free() {
      for (const each of [filler, fillers]) fs.rmSync(each, { recursive: true, force: true });
    },
    remount: (mode) => run("mount", "-o", `remount,${mode}`, path),
    [Symbol.dispose]() {
      run("umount", path);
      folder[Symbol.dispose]();
    },
  };
}

/** Only root may mount, and not in every container. */
export function canMount(): boolean {
  try {
    using _ = smallDisk();
    return true;
  } catch {
    process.stdout.write("No file system can be mounted here: full and read-only disks are not tried.\n");
    return false;
  }
}

function run(program: string, ...words: string[]): void {
  execFileSync(program, words, { stdio: "pipe" });
}

import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../kit/folder.ts";

export const FILE_SYSTEMS = ["ext4", "xfs"] as const;
export type FileSystem = (typeof FILE_SYSTEMS)[number];

/** A file system in a file, whose power can be cut. */
export interface LoopDisk extends Disposable {
  readonly path: string;
  /** From now on nothing reaches the disk. What was written without a sync is lost. */
  cutPower(): void;
  /** Mounts it again, as after a restart: the file system replays its journal. */
  restart(): void;
}

/** The least that xfs takes. */
const SIZE_BYTES = 300 * 1024 * 1024;
/** `GOINGDOWN` without flushing the log, which ext4 took over from xfs. Node has no ioctl, and git needs Perl anyway. */
const CUT_POWER =
  'my $flags = pack("L", 2); open(my $disk, "<", $ARGV[0]) or die; ioctl($disk, 0x8004587D, $flags) or die "$!"';

export function openLoopDisk(system: FileSystem): LoopDisk {
  const folder = temporaryFolder();
  let image = join(folder.path, "image");
  let restarts = 0;
  const path = join(folder.path, "disk");
  fs.mkdirSync(path);
  fs.closeSync(fs.openSync(image, "w"));
  fs.truncateSync(image, SIZE_BYTES);
  run(`mkfs.${system}`, "-q", image);
  run("mount", "-o", "loop", image, path);
  return {
    path,
    cutPower: () => run("perl", "-e", CUT_POWER, path),
    restart() {
      unmount(path);
      // A copy, because the kernel may still know the old image as the disk without power.
      const before = image;
      image = join(folder.path, `image-${++restarts}`);
      run("cp", "--sparse=always", before, image);
      fs.rmSync(before);
      // A process in a namespace of its own may still hold the old mount, whose id xfs compares.
      run("mount", "-o", system === "xfs" ? "loop,nouuid" : "loop", image, path);
    },
    [Symbol.dispose]() {
      // A process that ends at this moment may still hold a file.
      run("umount", "--lazy", path);
      folder[Symbol.dispose]();
    },
  };
}

/** Only root may mount, not in every container, and not every machine has every file system. */
export function canCutPower(system: FileSystem): boolean {
  if (process.platform !== "linux" || spawnSync(`mkfs.${system}`, ["-V"]).error) return false;
  try {
    using disk = openLoopDisk(system);
    disk.cutPower();
    disk.restart();
    return true;
  } catch {
    return false;
  }
}

const [UNMOUNT_TRIES, UNMOUNT_WAIT_MS] = [100, 100];

/** A git process of the killed server may hold a file until it notices that the disk is gone. */
function unmount(path: string): void {
  const wait = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 1; spawnSync("umount", [path]).status !== 0; tries++) {
    if (tries === UNMOUNT_TRIES) return run("umount", path);
    Atomics.wait(wait, 0, 0, UNMOUNT_WAIT_MS);
  }
}

function run(program: string, ...words: string[]): void {
  execFileSync(program, words, { stdio: "pipe" });
}

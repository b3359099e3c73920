import fs from "node:fs/promises";
import os from "node:os";
import { join } from "node:path";
import { isAlive } from "./processes.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Folders of commands (`run`) and temporary checkouts (`lent`), with the process id of their owner. */
const OURS = /^tenon-(?:run|lent)-(\d+)-/;

export const makeFolder = async (): Promise<string> =>
  fs.mkdtemp(join(await fs.realpath(os.tmpdir()), `tenon-run-${process.pid}-`));

export const removeFolder = (folder: string): Promise<void> => fs.rm(folder, { recursive: true, force: true });

let removed: Promise<void> | undefined;

/** Removes folders of killed engines, once per process. Failures are ignored. */
export function removeLeftovers(): Promise<void> {
  removed ??= removeOld(os.tmpdir()).catch(() => undefined);
  return removed;
}

export async function removeOld(place: string, now: number = Date.now()): Promise<void> {
  for (const name of await fs.readdir(place)) {
    const owner = Number(OURS.exec(name)?.[1]);
    if (!owner || isAlive(owner)) continue;
    const folder = join(place, name);
    const found = await fs.lstat(folder).catch(() => undefined);
    if (found?.isDirectory() && now - found.mtimeMs > DAY_MS) await removeFolder(folder).catch(() => undefined);
  }
}

import fs from "node:fs/promises";
import os from "node:os";
import { join } from "node:path";
import { isProcessAlive } from "./processes.ts";

const LEFTOVER_FOLDER_AGE_MS = 24 * 60 * 60 * 1000;
/** Folders of commands (`run`) and temporary checkouts (`lent`), with the process id of their owner. */
const OWNED_FOLDER_NAME = /^tenon-(?:run|lent)-(\d+)-/;

export const createRunFolder = async (): Promise<string> =>
  fs.mkdtemp(join(await fs.realpath(os.tmpdir()), `tenon-run-${process.pid}-`));

export const removeRunFolder = (folder: string): Promise<void> => fs.rm(folder, { recursive: true, force: true });

let leftoverRemoval: Promise<void> | undefined;

/** Removes folders of killed engines, once per process. Failures are ignored. */
export function removeLeftoverFolders(): Promise<void> {
  leftoverRemoval ??= removeAbandonedFolders(os.tmpdir()).catch(() => undefined);
  return leftoverRemoval;
}

export async function removeAbandonedFolders(place: string, now: number = Date.now()): Promise<void> {
  for (const name of await fs.readdir(place)) {
    const owner = Number(OWNED_FOLDER_NAME.exec(name)?.[1]);
    if (!owner || isProcessAlive(owner)) continue;
    const folder = join(place, name);
    const found = await fs.lstat(folder).catch(() => undefined);
    if (found?.isDirectory() && now - found.mtimeMs > LEFTOVER_FOLDER_AGE_MS)
      await removeRunFolder(folder).catch(() => undefined);
  }
}

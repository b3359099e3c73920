import fs from "node:fs";
import { join } from "node:path";
import type { ScratchFolder } from "#kernel/operations/ports/runner.ts";
import os from "node:os";
import { isProcessAlive } from "./process-containment.ts";

/** Only the user can read this folder: test reports may contain secrets. */
export async function createScratchFolder(): Promise<ScratchFolder> {
  const folder = await createRunFolder();
  return {
    folder,
    async text(names, most) {
      for (const name of names) {
        const stat = fs.lstatSync(join(folder, name), { throwIfNoEntry: false });
        if (stat?.isFile() && stat.size <= most) return fs.readFileSync(join(folder, name), "utf8");
      }
      return undefined;
    },
    [Symbol.asyncDispose]: async () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

const LEFTOVER_FOLDER_AGE_MS = 24 * 60 * 60 * 1000;
/** Folders of commands (`run`) and temporary checkouts (`lent`), with the process id of their owner. */
const OWNED_FOLDER_NAME = /^tenon-(?:run|lent)-(\d+)-/;

export const createRunFolder = async (): Promise<string> =>
  fs.promises.mkdtemp(join(await fs.promises.realpath(os.tmpdir()), `tenon-run-${process.pid}-`));

export const removeRunFolder = (folder: string): Promise<void> =>
  fs.promises.rm(folder, { recursive: true, force: true });

let leftoverRemoval: Promise<void> | undefined;

/** Removes folders of killed engines, once per process. Failures are ignored. */
export function removeLeftoverFolders(): Promise<void> {
  leftoverRemoval ??= removeAbandonedFolders(os.tmpdir()).catch(() => undefined);
  return leftoverRemoval;
}

export async function removeAbandonedFolders(place: string, now: number = Date.now()): Promise<void> {
  for (const name of await fs.promises.readdir(place)) {
    const owner = Number(OWNED_FOLDER_NAME.exec(name)?.[1]);
    if (!owner || isProcessAlive(owner)) continue;
    const folder = join(place, name);
    const found = await fs.promises.lstat(folder).catch(() => undefined);
    if (found?.isDirectory() && now - found.mtimeMs > LEFTOVER_FOLDER_AGE_MS)
      await removeRunFolder(folder).catch(() => undefined);
  }
}

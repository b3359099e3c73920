import fs from "node:fs";
import { dirname, join } from "node:path";
import type { ScratchFolder, WrittenFile } from "#kernel/operations/ports/runner.ts";
import { tmpdir } from "node:os";
import { matchesPathGlob } from "#kernel/model/path-glob.ts";
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
    async texts(name, most) {
      const place = join(folder, name);
      return readReportFiles(place, listReportFiles(place, ["*"]).keys(), most);
    },
    async watch(other, globs) {
      const before = listReportFiles(other, globs);
      return async (most) => {
        const after = [...listReportFiles(other, globs)].filter(([path, stamp]) => before.get(path) !== stamp);
        return readReportFiles(other, new Map(after).keys(), most);
      };
    },
    async put(name, text) {
      const file = join(folder, name);
      fs.mkdirSync(dirname(file), { recursive: true });
      fs.writeFileSync(file, text);
      return file;
    },
    [Symbol.asyncDispose]: async () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

const DEEPEST_REPORT_FOLDER = 12;
const UNSEARCHED_FOLDER = /^(?:node_modules|\..*)$/;

/** Report files below a folder, each with a stamp that changes whenever it is written. Links are not followed. */
function listReportFiles(folder: string, globs: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (below: string, depth: number): void => {
    for (const entry of fs.readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && depth < DEEPEST_REPORT_FOLDER && !UNSEARCHED_FOLDER.test(entry.name))
        visit(path, depth + 1);
      if (!entry.isFile() || !globs.some((glob) => matchesPathGlob(glob, path))) continue;
      const { mtimeNs, ctimeNs, ino, size } = fs.lstatSync(join(folder, path), { bigint: true });
      found.set(path, [mtimeNs, ctimeNs, ino, size].join());
    }
  };
  if (globs.length > 0 && fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) visit("", 0);
  return found;
}

/** Reads nothing if all of them together are too large: a part would be taken for the whole. */
function readReportFiles(folder: string, paths: Iterable<string>, most: number): WrittenFile[] {
  const all = [...paths].toSorted();
  const size = all.reduce((sum, path) => sum + fs.lstatSync(join(folder, path)).size, 0);
  return size > most ? [] : all.map((path) => ({ path, text: fs.readFileSync(join(folder, path), "utf8") }));
}

const LEFTOVER_FOLDER_AGE_MS = 24 * 60 * 60 * 1000;
/** Folders of commands (`run`) and temporary checkouts (`lent`), with the process id of their owner. */
const OWNED_FOLDER_NAME = /^tenon-(?:run|lent)-(\d+)-/;

export const createRunFolder = async (): Promise<string> =>
  fs.promises.mkdtemp(join(await fs.promises.realpath(tmpdir()), `tenon-run-${process.pid}-`));

export const removeRunFolder = (folder: string): Promise<void> =>
  fs.promises.rm(folder, { recursive: true, force: true });

let leftoverRemoval: Promise<void> | undefined;

/** Removes folders of killed engines, once per process. Failures are ignored. */
export function removeLeftoverFolders(): Promise<void> {
  leftoverRemoval ??= removeAbandonedFolders(tmpdir()).catch(() => undefined);
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

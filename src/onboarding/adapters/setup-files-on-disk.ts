import fs from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { parse } from "smol-toml";
import { syncFolder, writeSyncedFile } from "#kernel/adapters/durable-file.ts";
import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { SetupFiles } from "../operations/ports/external-files.ts";

/** Bytes. Hand-written settings are not longer. */
const MAX_SETTINGS_BYTES = 2 * 1024 * 1024;
const MAX_TOML_DEPTH = 50;
const SETUP_TEMPORARY_PREFIX = ".tenon-setup-";
/** Windows lacks the last two flags. */
const SETUP_READ_FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
const STRICT_UTF8_DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export interface SetupLocation {
  readonly root: string;
  readonly kept: string;
  readonly exclusively: SetupFiles["exclusively"];
}

export function createSetupFiles({ root, kept, exclusively }: SetupLocation): SetupFiles {
  const inside = new RootedFolder(root);
  // The manifest for a home is in the user's data folder, which may be anywhere.
  const isOutside = relative(root, kept).startsWith("..");
  const keeper = isOutside ? new RootedFolder(dirname(kept)) : inside;
  const name = relative(keeper.root, kept).split(sep).join("/");
  return {
    text: (path) => inside.text(path),
    has: (path) => inside.has(path),
    place: (path) => inside.resolve(path),
    replace: (path, seen, text) => inside.replace(path, seen, text),
    removeEmpty: (folders) => inside.removeEmpty(folders),
    kept: {
      name: isOutside ? kept : name,
      ...(isOutside ? {} : { folder: dirname(name) }),
      read: () => keeper.text(name),
      write(text) {
        if (isOutside) fs.mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
        keeper.replace(name, keeper.text(name), text);
        // Only the manifest must survive a power cut: the next run repairs the rest.
        syncFolder(dirname(kept));
      },
    },
    exclusively,
    readToml: (text) => parse(text, { maxDepth: MAX_TOML_DEPTH, integersAsBigInt: "asNeeded" }),
  };
}

class RootedFolder {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  text(path: string): string | undefined {
    const place = this.resolve(path);
    let fd: number;
    try {
      fd = fs.openSync(place, SETUP_READ_FLAGS);
    } catch (error) {
      if (getSystemErrorCode(error) === "ENOENT" || getSystemErrorCode(error) === "ENOTDIR") return undefined;
      throw createUnfitPathFault(path, `The system reported ${getSystemErrorCode(error)}.`);
    }
    try {
      const stat = fs.fstatSync(fd);
      if (!stat.isFile()) throw createUnfitPathFault(path, "It is not a regular file.");
      if (stat.size > MAX_SETTINGS_BYTES)
        throw createUnfitPathFault(path, `It has ${stat.size} bytes, and setup reads at most ${MAX_SETTINGS_BYTES}.`);
      return STRICT_UTF8_DECODER.decode(fs.readFileSync(fd));
    } catch (error) {
      throw error instanceof TypeError ? createUnfitPathFault(path, "It is not UTF-8 text.") : error;
    } finally {
      fs.closeSync(fd);
    }
  }

  has(path: string): boolean {
    try {
      return fs.existsSync(this.resolve(path));
    } catch {
      return false;
    }
  }

  resolve(path: string): string {
    const parts = path.split("/");
    if (parts.some((part) => /^\.{0,2}$/.test(part))) throw createUnfitPathFault(path, "It is outside the folder.");
    let place = this.root;
    for (const part of parts) {
      place = join(place, part);
      try {
        if (!fs.lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) continue;
      } catch (error) {
        const code = getSystemErrorCode(error);
        const why = code === "ENOTDIR" ? "A file exists where a folder is needed." : `The system reported ${code}.`;
        throw createUnfitPathFault(path, why);
      }
      place = this.#follow(place, path);
    }
    return place;
  }

  #follow(link: string, path: string): string {
    let target: string;
    try {
      target = fs.realpathSync(link);
    } catch {
      throw createUnfitPathFault(path, "It is a broken symbolic link.");
    }
    const root = fs.realpathSync(this.root);
    const within = relative(root, target);
    if (/^(?:\.\.)?$/.test(within) || within.startsWith(`..${sep}`) || join(root, within) !== target)
      throw createUnfitPathFault(path, `A symbolic link in its path leads out of ${sanitizeText(this.root, 200)}.`);
    if (within.split(sep)[0]?.toLowerCase() === ".git")
      throw createUnfitPathFault(path, "A symbolic link in its path leads into .git.");
    return target;
  }

  replace(path: string, seen: string | undefined, text: string | undefined): void {
    const place = this.resolve(path);
    const staged = join(dirname(place), `${SETUP_TEMPORARY_PREFIX}${basename(place)}`);
    try {
      fs.rmSync(staged, { force: true });
      if (text !== undefined) {
        fs.mkdirSync(dirname(place), { recursive: true });
        const mode = fs.statSync(place, { throwIfNoEntry: false })?.mode;
        writeSyncedFile(staged, text, { mode: mode === undefined ? undefined : mode & 0o777 });
      }
      if (this.text(path) !== seen) {
        throw new Fault("setup.changed", {
          what: `${sanitizeText(path, 200)} was not written.`,
          why: "Another process changed it while Tenon was running.",
          fix: "Run the same command again: it continues with the files as they are.",
        });
      }
      if (text === undefined) fs.rmSync(place, { force: true });
      else fs.renameSync(staged, place);
    } catch (error) {
      fs.rmSync(staged, { force: true });
      if (error instanceof Fault) throw error;
      throw createUnwritableFileFault(path, error);
    }
  }

  removeEmpty(folders: readonly string[]): void {
    for (const folder of folders.toSorted((a, b) => b.length - a.length)) {
      try {
        const place = this.resolve(folder);
        for (const name of fs.readdirSync(place))
          if (name.startsWith(SETUP_TEMPORARY_PREFIX)) fs.rmSync(join(place, name), { force: true });
        fs.rmdirSync(place);
      } catch {
        // The folder is not empty, or it is gone.
      }
    }
  }
}

const getSystemErrorCode = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error);

function createUnfitPathFault(path: string, why: string): Fault {
  return new Fault("setup.unfit", {
    what: `${sanitizeText(path, 200)} cannot be set up, and nothing was written.`,
    why,
    fix: `Check it (ls -l ${sanitizeText(path, 200)}), or name only clients that do not use it.`,
  });
}

function createUnwritableFileFault(path: string, error: unknown): Fault {
  const code = getSystemErrorCode(error);
  const isFull = /^(?:ENOSPC|EDQUOT)$/.test(code);
  return new Fault(isFull ? "disk.full" : "files.unwritable", {
    what: `${sanitizeText(path, 200)} could not be written.`,
    why: isFull ? "The disk or the quota is full." : `The system reported ${code}.`,
    fix: isFull
      ? "Free some space (df -h), then run the same command again: it continues with the files as they are."
      : `Check the permissions (ls -la ${sanitizeText(dirname(path), 200)}), then run the same command again.`,
  });
}

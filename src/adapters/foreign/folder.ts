import fs from "node:fs";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import type { ForeignFolders, ForeignFile, ForeignFolder } from "#operations/ports/foreign.ts";
import type { SourceContent } from "#operations/ports/source.ts";

/** Windows lacks the last two flags. */
const READ = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
const MOST_FILES = 20_000;
const DEEPEST = 30;
const PASSED_OVER = new Set([".git", "node_modules"]);

/**
 * Folders on this machine, relative to the working directory. They are only read: nothing is written, followed or run.
 */
export function foreignFolders(root: string, cwd: string): ForeignFolders {
  return {
    async folder(said) {
      const place = said === undefined ? root : resolve(cwd, said);
      const real = realFolder(place, said ?? root);
      const home = fs.realpathSync(root);
      return folderAt(real, labelOf(home, real), `${real}${sep}`.startsWith(join(home, "sdd", sep)));
    },
  };
}

function realFolder(place: string, said: string): string {
  try {
    const real = fs.realpathSync(place);
    if (fs.statSync(real).isDirectory()) return real;
  } catch {
    // An impossible name, a loop of links and a forbidden folder all count as missing.
  }
  throw new Fault("import.no-folder", {
    what: "Nothing was imported.",
    why: `${quote(said, 200)} is no folder that can be read.`,
    fix: { operation: "importing.take", input: { sources: ["."] } },
  });
}

function labelOf(root: string, place: string): string {
  const way = relative(root, place);
  const isInside = way === "" || (!isAbsolute(way) && way.split(sep)[0] !== "..");
  return isInside ? way.split(sep).join("/") : basename(place);
}

const folderAt = (place: string, label: string, isOurs: boolean): ForeignFolder => ({
  label,
  isOurs,
  list: async (below) => {
    const starts = below ?? [""];
    const found = starts.filter((start) => isFolderOfOurs(place, start)).flatMap((start) => walk(place, start));
    const unique = new Map(found.map((file) => [file.path, file]));
    if (unique.size > MOST_FILES) throw tooMany(label);
    return [...unique.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  },
  read: async (path, most) => readAt(place, path, most),
});

/** Whether every part of the path is a folder and not a link. */
function isFolderOfOurs(place: string, way: string): boolean {
  const steps = way === "" ? [] : way.split("/");
  return steps.every((_, i) => {
    const stat = fs.lstatSync(join(place, ...steps.slice(0, i + 1)), { throwIfNoEntry: false });
    return stat?.isDirectory() ?? false;
  });
}

function walk(place: string, start: string): ForeignFile[] {
  const found: ForeignFile[] = [];
  const folders = [start];
  for (let folder = folders.pop(); folder !== undefined && found.length <= MOST_FILES; folder = folders.pop()) {
    for (const entry of entriesOf(join(place, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory())
        found.push({ path, kind: entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : "other" });
      else if (!PASSED_OVER.has(entry.name) && path.split("/").length < DEEPEST) folders.push(path);
    }
  }
  return found;
}

function entriesOf(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function readAt(place: string, path: string, most: number): SourceContent {
  if (!isFolderOfOurs(place, path.split("/").slice(0, -1).join("/"))) return { kind: "missing" };
  let fd: number;
  try {
    fd = fs.openSync(join(place, path), READ);
  } catch (error) {
    return { kind: (error as NodeJS.ErrnoException).code === "ELOOP" ? "link" : "missing" };
  }
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) return { kind: "binary" };
    if (stat.size > most) return { kind: "large" };
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fs.readFileSync(fd));
    return text.includes("\0") ? { kind: "binary" } : { kind: "text", text };
  } catch {
    return { kind: "binary" };
  } finally {
    fs.closeSync(fd);
  }
}

function tooMany(label: string): Fault {
  return new Fault("import.too-many", {
    what: "Nothing was imported.",
    why: `There are more than ${MOST_FILES} files in ${quote(label || "the workspace", 200)}.`,
    fix: "Name the folder of the tool itself, or a part of it: tenon import .kiro",
  });
}

import fs from "node:fs";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { ForeignFolders, ForeignFile, ForeignFolder } from "../operations/ports/external-files.ts";
import type { SourceContent } from "#git/operations/ports/git-files.ts";

/** Windows lacks the last two flags. */
const FOREIGN_READ_FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
const MAX_FOREIGN_FILES = 20_000;
const MAX_FOREIGN_DEPTH = 30;
const IGNORED_FOREIGN_FOLDERS = new Set([".git", "node_modules"]);

/** Relative to the working directory. Only read: nothing is written, followed or run. */
export const openForeignFolders = (root: string, cwd: string): ForeignFolders => ({
  async folder(said) {
    const place = said === undefined ? root : resolve(cwd, said);
    const real = resolveForeignFolder(place, said ?? root);
    const home = fs.realpathSync(root);
    const way = relative(home, real);
    const isInside = way === "" || (!isAbsolute(way) && way.split(sep)[0] !== "..");
    const label = isInside ? way.split(sep).join("/") : basename(real);
    return createForeignFolder(real, label, `${real}${sep}`.startsWith(join(home, "sdd", sep)));
  },
});

function resolveForeignFolder(place: string, said: string): string {
  try {
    const real = fs.realpathSync(place);
    if (fs.statSync(real).isDirectory()) return real;
  } catch {
    // An impossible name, a loop of links and a forbidden folder all count as missing.
  }
  throw new Fault("import.no-folder", {
    what: "Nothing was imported.",
    why: `${quote(said, 200)} is not a readable folder.`,
    fix: { operation: "importing.take", input: { sources: ["."] } },
  });
}

const createForeignFolder = (place: string, label: string, isOurs: boolean): ForeignFolder => ({
  label,
  isOurs,
  list: async (below) => {
    const starts = (below ?? [""]).filter((start) => isPlainFolder(place, start));
    const found = starts.flatMap((start) => walkForeignFolder(place, start));
    const unique = new Map(found.map((file) => [file.path, file]));
    if (unique.size > MAX_FOREIGN_FILES) {
      throw new Fault("import.too-many", {
        what: "Nothing was imported.",
        why: `There are more than ${MAX_FOREIGN_FILES} files in ${quote(label || "the workspace", 200)}.`,
        fix: "Name the folder of the tool itself, or a part of it: tenon import .kiro",
      });
    }
    return [...unique.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  },
  read: async (path, most) => readForeignFile(place, path, most),
});

function isPlainFolder(place: string, way: string): boolean {
  const steps = way === "" ? [] : way.split("/");
  return steps.every((_, i) =>
    fs.lstatSync(join(place, ...steps.slice(0, i + 1)), { throwIfNoEntry: false })?.isDirectory(),
  );
}

function walkForeignFolder(place: string, start: string): ForeignFile[] {
  const found: ForeignFile[] = [];
  const folders = [start];
  for (let folder = folders.pop(); folder !== undefined && found.length <= MAX_FOREIGN_FILES; folder = folders.pop()) {
    for (const entry of listForeignEntries(join(place, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory())
        found.push({ path, kind: entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : "other" });
      else if (!IGNORED_FOREIGN_FOLDERS.has(entry.name) && path.split("/").length < MAX_FOREIGN_DEPTH)
        folders.push(path);
    }
  }
  return found;
}

function listForeignEntries(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function readForeignFile(place: string, path: string, most: number): SourceContent {
  if (!isPlainFolder(place, path.split("/").slice(0, -1).join("/"))) return { kind: "missing" };
  let fd: number;
  try {
    fd = fs.openSync(join(place, path), FOREIGN_READ_FLAGS);
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

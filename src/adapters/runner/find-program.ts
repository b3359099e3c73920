import fs from "node:fs";
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

const isWindows = process.platform === "win32";

const BINS = isWindows
  ? [join("node_modules", ".bin"), join(".venv", "Scripts"), join("venv", "Scripts")]
  : [join("node_modules", ".bin"), join(".venv", "bin"), join("venv", "bin")];

export interface Missing {
  readonly how: "not-found" | "not-started";
  readonly why: string;
}

export function projectBins(folder: string, root: string = folder): string[] {
  return upTo(folder, root)
    .flatMap((each) => BINS.map((bin) => join(each, bin)))
    .filter((bin) => fs.statSync(bin, { throwIfNoEntry: false })?.isDirectory());
}

function upTo(folder: string, root: string): string[] {
  const way = relative(root, folder);
  if (way === "" || isAbsolute(way) || way.split(sep)[0] === "..") return [folder];
  return [folder, ...upTo(dirname(folder), root)];
}

/** Searches the project's folders first and then the path. A name with a slash is a path from the folder. */
export function findProgram(name: string, folder: string, bins: readonly string[], path: string): string | Missing {
  if (name === "") return { how: "not-started", why: "It names no program." };
  if (/[/\\]/.test(name)) return judge([resolve(folder, name)], name);
  const places = [...bins, ...path.split(delimiter).filter((place) => isAbsolute(place))];
  return judge(
    places.map((place) => join(place, name)),
    name,
  );
}

function judge(candidates: readonly string[], name: string): string | Missing {
  const there = candidates.flatMap(spellings).filter((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile());
  const file = there.find(isExecutable);
  if (file === undefined) {
    return there.length === 0
      ? { how: "not-found", why: `There is no program ${name}.` }
      : { how: "not-started", why: `${name} is not executable.` };
  }
  const interpreter = interpreterOf(file);
  if (interpreter === undefined || fs.existsSync(interpreter)) return file;
  return { how: "not-started", why: `${name} asks for ${interpreter}, which is not there.` };
}

const spellings = (file: string): string[] =>
  isWindows && !/\.\w+$/.test(file) ? [".exe", ".cmd", ".bat"].map((end) => file + end) : [file];

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function interpreterOf(file: string): string | undefined {
  if (isWindows) return undefined;
  const start = Buffer.alloc(256);
  try {
    const open = fs.openSync(file, "r");
    try {
      fs.readSync(open, start, 0, start.length, 0);
    } finally {
      fs.closeSync(open);
    }
  } catch {
    // The file may be executable but not readable.
    return undefined;
  }
  return /^#![ \t]*(\/[^\s\0]+)/.exec(start.toString("latin1"))?.[1];
}

import fs from "node:fs";
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

const IS_WINDOWS_HOST = process.platform === "win32";

const PROJECT_BIN_FOLDERS = IS_WINDOWS_HOST
  ? [join("node_modules", ".bin"), join(".venv", "Scripts"), join("venv", "Scripts")]
  : [join("node_modules", ".bin"), join(".venv", "bin"), join("venv", "bin")];

export interface MissingProgram {
  readonly how: "not-found" | "not-started";
  readonly why: string;
}

export function listProjectBins(folder: string, root: string = folder): string[] {
  return listFoldersUpToRoot(folder, root)
    .flatMap((each) => PROJECT_BIN_FOLDERS.map((bin) => join(each, bin)))
    .filter((bin) => fs.statSync(bin, { throwIfNoEntry: false })?.isDirectory());
}

function listFoldersUpToRoot(folder: string, root: string): string[] {
  const way = relative(root, folder);
  if (way === "" || isAbsolute(way) || way.split(sep)[0] === "..") return [folder];
  return [folder, ...listFoldersUpToRoot(dirname(folder), root)];
}

/** Searches the project's folders first and then the path. A name with a slash is a path from the folder. */
export function findProgram(
  name: string,
  folder: string,
  bins: readonly string[],
  path: string,
): string | MissingProgram {
  if (name === "") return { how: "not-started", why: "It names no program." };
  if (/[/\\]/.test(name)) return pickRunnableProgram([resolve(folder, name)], name);
  const places = [...bins, ...path.split(delimiter).filter((place) => isAbsolute(place))];
  return pickRunnableProgram(
    places.map((place) => join(place, name)),
    name,
  );
}

function pickRunnableProgram(candidates: readonly string[], name: string): string | MissingProgram {
  const there = candidates
    .flatMap(listProgramSpellings)
    .filter((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile());
  const file = there.find(isExecutableFile);
  if (file === undefined) {
    return there.length === 0
      ? { how: "not-found", why: `There is no program ${name}.` }
      : { how: "not-started", why: `${name} is not executable.` };
  }
  const interpreter = readScriptInterpreter(file);
  if (interpreter === undefined || fs.existsSync(interpreter)) return file;
  return { how: "not-started", why: `${name} asks for ${interpreter}, which is not there.` };
}

const listProgramSpellings = (file: string): string[] =>
  IS_WINDOWS_HOST && !/\.\w+$/.test(file) ? [".exe", ".cmd", ".bat"].map((end) => file + end) : [file];

function isExecutableFile(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function readScriptInterpreter(file: string): string | undefined {
  if (IS_WINDOWS_HOST) return undefined;
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

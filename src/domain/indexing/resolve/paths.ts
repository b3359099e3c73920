import { folderOf, nameOf } from "../../stack/folder.ts";

/** The files of the workspace, so that imports can be asked for them quickly. Made once for all imports. */
export interface Paths {
  has(path: string): boolean;
  /** Files by their last part: `session.ts`. */
  named(name: string): readonly string[];
  /** The files that stand in a folder, not those below; `.` for the workspace itself. */
  inFolder(folder: string): readonly string[];
  /** The names of the folders in a folder, whether files stand in them or below. */
  foldersIn(folder: string): Iterable<string>;
  /** The folders that hold files, by the last part of their path. */
  foldersNamed(name: string): readonly string[];
}

export function pathsOf(all: Iterable<string>): Paths {
  const paths = new Set(all);
  const byName = new Map<string, string[]>();
  const byFolder = new Map<string, string[]>();
  for (const path of paths) {
    put(byName, nameOf(path), path);
    put(byFolder, folderOf(path), path);
  }
  const folders = new Map<string, string[]>();
  const below = new Map<string, Set<string>>();
  for (const folder of byFolder.keys()) {
    put(folders, nameOf(folder), folder);
    nest(below, folder);
  }
  return {
    has: (path) => paths.has(path),
    named: (name) => byName.get(name) ?? [],
    inFolder: (folder) => byFolder.get(folder) ?? [],
    foldersIn: (folder) => below.get(folder) ?? [],
    foldersNamed: (name) => folders.get(name) ?? [],
  };
}

function put(map: Map<string, string[]>, key: string, value: string): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** Notes a folder in the one around it, and that one in its own, up to the workspace or to one that is noted. */
function nest(below: Map<string, Set<string>>, folder: string): void {
  for (let inner = folder; inner !== "."; inner = folderOf(inner)) {
    const around = below.get(folderOf(inner));
    if (around?.has(nameOf(inner)) === true) return;
    if (around === undefined) below.set(folderOf(inner), new Set([nameOf(inner)]));
    else around.add(nameOf(inner));
  }
}

/** A path seen from a folder, with `.` and `..` followed; nothing where it leaves the workspace. */
export function follow(folder: string, path: string): string | undefined {
  const parts = folder === "." ? [] : folder.split("/");
  for (const part of path.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.length === 0 ? "." : parts.join("/");
}

/** Whether a path is another, or ends with all of its parts. */
export const endsWith = (path: string, ending: string): boolean => path === ending || path.endsWith(`/${ending}`);

/** Of several files that could be meant, the one that shares most folders with who asks; else the first by name. */
export function closest(from: string, candidates: readonly string[]): string | undefined {
  const own = from.split("/");
  const shared = (path: string): number => {
    const parts = path.split("/");
    let count = 0;
    while (count < parts.length && parts[count] === own[count]) count++;
    return count;
  };
  let best: string | undefined;
  let most = -1;
  for (const path of candidates) {
    const count = shared(path);
    if (count > most || (count === most && best !== undefined && path < best)) [best, most] = [path, count];
  }
  return best;
}

/** The file that ends with such a path; the closest where there are several. */
export const closestEnding = (from: string, ending: string, paths: Paths): string | undefined =>
  closest(
    from,
    paths.named(nameOf(ending)).filter((path) => path !== from && endsWith(path, ending)),
  );

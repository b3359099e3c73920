import { getPathFolder, getPathName } from "../../stack/folder.ts";

export interface WorkspacePaths {
  has(path: string): boolean;
  named(name: string): readonly string[];
  /** Files directly in a folder; `.` is the workspace root. */
  inFolder(folder: string): readonly string[];
  foldersIn(folder: string): Iterable<string>;
  foldersNamed(name: string): readonly string[];
}

export function indexWorkspacePaths(all: Iterable<string>): WorkspacePaths {
  const paths = new Set(all);
  const byName = new Map<string, string[]>();
  const byFolder = new Map<string, string[]>();
  for (const path of paths) {
    appendMapValue(byName, getPathName(path), path);
    appendMapValue(byFolder, getPathFolder(path), path);
  }
  const folders = new Map<string, string[]>();
  const below = new Map<string, Set<string>>();
  for (const folder of byFolder.keys()) {
    appendMapValue(folders, getPathName(folder), folder);
    registerParentFolders(below, folder);
  }
  return {
    has: (path) => paths.has(path),
    named: (name) => byName.get(name) ?? [],
    inFolder: (folder) => byFolder.get(folder) ?? [],
    foldersIn: (folder) => below.get(folder) ?? [],
    foldersNamed: (name) => folders.get(name) ?? [],
  };
}

function appendMapValue(map: Map<string, string[]>, key: string, value: string): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

function registerParentFolders(below: Map<string, Set<string>>, folder: string): void {
  for (let inner = folder; inner !== "."; inner = getPathFolder(inner)) {
    const around = below.get(getPathFolder(inner));
    if (around?.has(getPathName(inner)) === true) return;
    if (around === undefined) below.set(getPathFolder(inner), new Set([getPathName(inner)]));
    else around.add(getPathName(inner));
  }
}

/** Resolves `.` and `..`. Returns nothing if the path leaves the workspace. */
export function resolveRelativePath(folder: string, path: string): string | undefined {
  const parts = folder === "." ? [] : folder.split("/");
  for (const part of path.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.length === 0 ? "." : parts.join("/");
}

export const hasPathEnding = (path: string, ending: string): boolean => path === ending || path.endsWith(`/${ending}`);

/** Picks the candidate that shares most folders with `from`, then the first by name. */
export function findClosestPath(from: string, candidates: readonly string[]): string | undefined {
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

export const findClosestPathEnding = (from: string, ending: string, paths: WorkspacePaths): string | undefined =>
  findClosestPath(
    from,
    paths.named(getPathName(ending)).filter((path) => path !== from && hasPathEnding(path, ending)),
  );

export const getPathName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Returns `.` for the workspace itself. */
export const getPathFolder = (path: string): string =>
  path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";

/** Nearest first, up to the workspace itself. */
export function listAncestorFolders(directory: string): string[] {
  const folders: string[] = [];
  for (let folder = directory; folder !== ".";) folders.push((folder = getPathFolder(folder)));
  return folders;
}

export const isFolderWithin = (directory: string, other: string): boolean =>
  other === "." || directory === other || directory.startsWith(`${other}/`);

/** Returns nothing for a path that is not below the folder. */
export function getPathBelowFolder(directory: string, path: string): string | undefined {
  if (directory === ".") return path;
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : undefined;
}

/** Resolves `.` and `..`. Returns nothing for a path outside the workspace. */
export function resolveFolderPath(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? "." : parts.join("/");
}

export const joinFolderAndPath = (directory: string, path: string): string =>
  directory === "." ? path : path === "." ? directory : `${directory}/${path}`;

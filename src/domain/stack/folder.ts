/** The last part of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** The folder that a path stands in; `.` for the workspace itself. */
export const folderOf = (path: string): string => {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash);
};

/** The folders above one, the nearest first, up to the workspace itself. */
export function above(directory: string): string[] {
  const folders: string[] = [];
  for (let folder = directory; folder !== ".";) folders.push((folder = folderOf(folder)));
  return folders;
}

/** Whether a folder is another or stands below it. */
export const isWithin = (directory: string, other: string): boolean =>
  other === "." || directory === other || directory.startsWith(`${other}/`);

/** A path as seen from a folder of the workspace; nothing when it is not below it. */
export function seenFrom(directory: string, path: string): string | undefined {
  if (directory === ".") return path;
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : undefined;
}

/** A path of that folder as the workspace names it. */
export const fromTop = (directory: string, path: string): string =>
  directory === "." ? path : path === "." ? directory : `${directory}/${path}`;

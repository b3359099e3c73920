import { joinFolderAndPath } from "../../stack/folder.ts";
import type { ImportContext, ImportResolver } from "./known.ts";

/** Go: a path is a folder below its module, with all files except tests. */
export const resolveGoImport: ImportResolver = (_from, { specifier }, known) => {
  const folder = findGoFolder(specifier, known);
  return folder === undefined ? [] : listGoSources(folder, known);
};

const listGoSources = (folder: string, { paths }: ImportContext): string[] =>
  paths.inFolder(folder).filter((path) => path.endsWith(".go") && !path.endsWith("_test.go"));

function findGoFolder(specifier: string, known: ImportContext): string | undefined {
  const { modules } = known.aliases;
  for (let head = specifier; head !== ""; head = head.slice(0, Math.max(0, head.lastIndexOf("/")))) {
    const root = modules.get(head);
    if (root !== undefined)
      return head === specifier ? root : joinFolderAndPath(root, specifier.slice(head.length + 1));
  }
  // Without a manifest the module root is unknown. A path without a host belongs to the standard library.
  if (modules.size > 0 || !/^[^/]+\.[^/]+\//.test(specifier)) return undefined;
  const parts = specifier.split("/");
  return parts.map((_, at) => parts.slice(at).join("/")).find((folder) => listGoSources(folder, known).length > 0);
}

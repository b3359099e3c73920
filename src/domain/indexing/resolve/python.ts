import { listAncestorFolders, getPathFolder, joinFolderAndPath } from "../../stack/folder.ts";
import type { ImportContext, ImportResolver } from "./known.ts";
import type { WorkspacePaths } from "./paths.ts";

const PYTHON_SOURCE_FOLDERS = ["src", "lib", "python"];

/** Python: `a.b` from a source root, `.b` from the package. An imported name may itself be a module. */
export const resolvePythonImport: ImportResolver = (from, { specifier, names }, known) => {
  const [, dots = "", rest = ""] = /^(\.*)(.*)$/s.exec(specifier) ?? [];
  const parts = rest === "" ? [] : rest.split(".");
  const places = dots === "" ? listPythonRoots(from, known) : findPythonPackage(from, dots.length);
  for (const place of places) {
    const found = findImportedModules(place, parts, names, known.paths);
    if (found.length > 0) return found;
  }
  return [];
};

function findImportedModules(
  root: string,
  parts: readonly string[],
  names: readonly string[],
  paths: WorkspacePaths,
): string[] {
  const place = parts.length === 0 ? root : joinFolderAndPath(root, parts.join("/"));
  const modules = names.map((name) => findPythonModule(joinFolderAndPath(place, name), paths));
  const own = findPythonModule(place, paths);
  const isAsked = names.length === 0 || modules.includes(undefined);
  return [...(isAsked ? [own] : []), ...modules].filter((each) => each !== undefined);
}

function findPythonModule(place: string, paths: WorkspacePaths): string | undefined {
  const candidates =
    place === "." ? ["__init__.py"] : [`${place}.py`, `${place}/__init__.py`, `${place}.pyi`, `${place}/__init__.pyi`];
  return candidates.find((each) => paths.has(each));
}

function findPythonPackage(from: string, dots: number): string[] {
  const folder = getPathFolder(from);
  const place = [folder, ...listAncestorFolders(folder)][dots - 1];
  return place === undefined ? [] : [place];
}

/** A package folder is not a root: its modules are imported by the package name. */
function listPythonRoots(from: string, { paths }: ImportContext): string[] {
  const folder = getPathFolder(from);
  const folders = [folder, ...listAncestorFolders(folder)].filter(
    (each) => !paths.has(joinFolderAndPath(each, "__init__.py")),
  );
  return [...folders, ...folders.flatMap((each) => PYTHON_SOURCE_FOLDERS.map((root) => joinFolderAndPath(each, root)))];
}

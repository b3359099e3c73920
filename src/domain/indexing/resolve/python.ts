import { above, folderOf, fromTop } from "../../stack/folder.ts";
import type { Known, Resolver } from "./known.ts";
import type { Paths } from "./paths.ts";

const ROOTS = ["src", "lib", "python"];

/** Python: `a.b` from a source root, `.b` from the package. An imported name may itself be a module. */
export const pythonTargets: Resolver = (from, { specifier, names }, known) => {
  const [, dots = "", rest = ""] = /^(\.*)(.*)$/s.exec(specifier) ?? [];
  const parts = rest === "" ? [] : rest.split(".");
  const places = dots === "" ? rootsOf(from, known) : packageAbove(from, dots.length);
  for (const place of places) {
    const found = within(place, parts, names, known.paths);
    if (found.length > 0) return found;
  }
  return [];
};

function within(root: string, parts: readonly string[], names: readonly string[], paths: Paths): string[] {
  const place = parts.length === 0 ? root : fromTop(root, parts.join("/"));
  const modules = names.map((name) => moduleAt(fromTop(place, name), paths));
  const own = moduleAt(place, paths);
  const isAsked = names.length === 0 || modules.includes(undefined);
  return [...(isAsked ? [own] : []), ...modules].filter((each) => each !== undefined);
}

function moduleAt(place: string, paths: Paths): string | undefined {
  const candidates =
    place === "." ? ["__init__.py"] : [`${place}.py`, `${place}/__init__.py`, `${place}.pyi`, `${place}/__init__.pyi`];
  return candidates.find((each) => paths.has(each));
}

function packageAbove(from: string, dots: number): string[] {
  const folder = folderOf(from);
  const place = [folder, ...above(folder)][dots - 1];
  return place === undefined ? [] : [place];
}

/** A package folder is not a root: its modules are imported by the package name. */
function rootsOf(from: string, { paths }: Known): string[] {
  const folder = folderOf(from);
  const folders = [folder, ...above(folder)].filter((each) => !paths.has(fromTop(each, "__init__.py")));
  return [...folders, ...folders.flatMap((each) => ROOTS.map((root) => fromTop(each, root)))];
}

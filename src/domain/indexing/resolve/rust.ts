import { getPathFolder, joinFolderAndPath, getPathName } from "../../stack/folder.ts";
import type { ImportContext, ImportResolver } from "./known.ts";
import type { WorkspacePaths } from "./paths.ts";

interface CrateLocation {
  readonly root: string;
  readonly modules: readonly string[];
  /** Root file. A file that is its own crate, such as a test, is its own root. */
  readonly crate: string | undefined;
}

/**
 * Rust: `crate::`, `super::`, `self::`, `mod x`, a sibling module, or a workspace crate. An item resolves to its file.
 */
export const resolveRustImport: ImportResolver = (from, { specifier, names }, known) => {
  const place = locateCrateFile(from, known);
  const parts = specifier
    .replace(/^(?:pub\s+)?mod\s+/, "self::")
    .split("::")
    .map((part) => part.replace(/^r#/, "").trim())
    .filter((part) => part !== "" && part !== "*");
  const [head = "", ...rest] = parts;
  if (head === "crate") return resolveCratePath(place, rest, names, known.paths);
  if (head === "self" || head === "super") {
    const ups = parts.findIndex((part) => part !== "super" && part !== "self");
    const tail = ups < 0 ? [] : parts.slice(ups);
    const levels = parts.slice(0, ups < 0 ? parts.length : ups).filter((part) => part === "super").length;
    if (levels > place.modules.length) return [];
    return resolveCratePath(
      place,
      [...place.modules.slice(0, place.modules.length - levels), ...tail],
      names,
      known.paths,
      from,
    );
  }
  if (findRustModule(place.root, [...place.modules, head], known.paths) !== undefined)
    return resolveCratePath(place, [...place.modules, ...parts], names, known.paths);
  const crate = known.aliases.crates.get(head);
  if (crate === undefined) return [];
  return resolveCratePath(
    { root: joinFolderAndPath(crate, "src"), modules: [], crate: undefined },
    rest,
    names,
    known.paths,
  );
};

function resolveCratePath(
  place: CrateLocation,
  parts: readonly string[],
  names: readonly string[],
  paths: WorkspacePaths,
  from?: string,
): string[] {
  const modules = names.map((name) => findRustModule(place.root, [...parts, name], paths));
  const isAsked = names.length === 0 || modules.includes(undefined);
  let own: string | undefined;
  for (let length = parts.length; isAsked && own === undefined && length >= 0; length--)
    own =
      length === 0
        ? (place.crate ?? findCrateRoot(place.root, paths))
        : findRustModule(place.root, parts.slice(0, length), paths);
  return [own, ...modules].filter((each) => each !== undefined).filter((each) => each !== from);
}

const findCrateRoot = (root: string, paths: WorkspacePaths): string | undefined =>
  ["lib.rs", "main.rs"].map((name) => joinFolderAndPath(root, name)).find((each) => paths.has(each));

function findRustModule(root: string, parts: readonly string[], paths: WorkspacePaths): string | undefined {
  const place = joinFolderAndPath(root, parts.join("/"));
  return [`${place}.rs`, `${place}/mod.rs`].find((each) => paths.has(each));
}

function locateCrateFile(from: string, known: ImportContext): CrateLocation {
  const folder = getPathFolder(from);
  // Files outside `src`, such as tests, and second binaries are crates of their own.
  const [, root] = /^((?:.*\/)?src)\/(?!bin\/[^/]+\.rs$)/.exec(from) ?? [];
  if (root === undefined) return { root: folder, modules: [], crate: from };
  const inside = from
    .slice(root.length + 1)
    .replace(/\.rs$/, "")
    .split("/");
  const isRoot = /^(?:lib|main)\.rs$/.test(getPathName(from)) && inside.length === 1;
  const modules = isRoot ? [] : inside.at(-1) === "mod" ? inside.slice(0, -1) : inside;
  return { root, modules, crate: findCrateRoot(root, known.paths) };
}

import { getPathFolder, joinFolderAndPath, getPathName } from "#kernel/model/folder-path.ts";
import {
  type ImportContext,
  type ImportResolver,
  listFoldersAround,
  resolveRelativePath,
  type WorkspacePaths,
  type AliasPattern,
  matchAliasPattern,
} from "./import-context.ts";

const SCRIPT_ENDINGS = ["ts", "tsx", "d.ts", "mts", "cts", "js", "jsx", "mjs", "cjs", "json", "vue", "svelte"];
const SCRIPT_SOURCE_ENDINGS: Readonly<Partial<Record<string, readonly string[]>>> = {
  js: ["ts", "tsx", "d.ts"],
  jsx: ["tsx"],
  mjs: ["mts", "d.mts"],
  cjs: ["cts", "d.cts"],
};

/** TypeScript and JavaScript: a relative path, a name from the nearest manifest, or a workspace package. */
export const resolveScriptImport: ImportResolver = (from, { specifier }, known) => {
  const bare = specifier.replace(/[?].*$/, "");
  if (!/^\.{1,2}(?:\/|$)/.test(bare)) return [resolveAliasedImport(from, bare, known)];
  const place = resolveRelativePath(getPathFolder(from), bare);
  return place === undefined ? [] : [findScriptFile(place, known.paths, /(?:^|\/)\.{0,2}$/.test(bare))];
};

/** Tries the path itself, then with each ending, then as a folder with an index file. */
function findScriptFile(place: string, paths: WorkspacePaths, isFolder = false): string | undefined {
  if (place !== "." && !isFolder) {
    if (paths.has(place)) return place;
    const [, stem, ending = ""] = /^(.+)\.(js|jsx|mjs|cjs)$/.exec(place) ?? [];
    const written = SCRIPT_SOURCE_ENDINGS[ending]?.map((each) => `${stem}.${each}`).find((each) => paths.has(each));
    const ended = written ?? SCRIPT_ENDINGS.map((each) => `${place}.${each}`).find((each) => paths.has(each));
    if (ended !== undefined) return ended;
  }
  const index = place === "." ? "index" : `${place}/index`;
  return SCRIPT_ENDINGS.map((each) => `${index}.${each}`).find((each) => paths.has(each));
}

function resolveAliasedImport(from: string, specifier: string, known: ImportContext): string | undefined {
  for (const each of listFoldersAround(from)) {
    const target = resolveAliasPattern(specifier, known.aliases.patterns.get(each) ?? [], known.paths);
    if (target !== undefined) return target;
  }
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? "";
  return resolveAliasPattern(specifier, known.aliases.packages.get(name) ?? [], known.paths);
}

function resolveAliasPattern(
  specifier: string,
  patterns: readonly AliasPattern[],
  paths: WorkspacePaths,
): string | undefined {
  const fitting = patterns
    .flatMap(({ name, targets }) => {
      const star = matchAliasPattern(name, specifier);
      return star === undefined ? [] : [{ targets, star, weight: name.includes("*") ? name.length : Infinity }];
    })
    .toSorted((one, other) => other.weight - one.weight);
  for (const { targets, star } of fitting)
    for (const target of targets.map((each) => each.replace("*", () => star))) {
      const file = findScriptFile(target, paths);
      if (file !== undefined) return file;
    }
  return undefined;
}

const PYTHON_SOURCE_FOLDERS = ["src", "lib", "python"];

/** Python: `a.b` from a source root, `.b` from the package. An imported name may itself be a module. */
export const resolvePythonImport: ImportResolver = (from, { specifier, names }, known) => {
  const [, dots = "", rest = ""] = /^(\.*)(.*)$/s.exec(specifier) ?? [];
  const parts = rest === "" ? [] : rest.split(".");
  const places =
    dots === "" ? listPythonRoots(from, known) : listFoldersAround(from).slice(dots.length - 1, dots.length);
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

/** A package folder is not a root: its modules are imported by the package name. */
function listPythonRoots(from: string, { paths }: ImportContext): string[] {
  const folders = listFoldersAround(from).filter((each) => !paths.has(joinFolderAndPath(each, "__init__.py")));
  return [...folders, ...folders.flatMap((each) => PYTHON_SOURCE_FOLDERS.map((root) => joinFolderAndPath(each, root)))];
}

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
    const path = [...place.modules.slice(0, place.modules.length - levels), ...tail];
    return resolveCratePath(place, path, names, known.paths, from);
  }
  if (findRustModule(place.root, [...place.modules, head], known.paths) !== undefined)
    return resolveCratePath(place, [...place.modules, ...parts], names, known.paths);
  const crate = known.aliases.crates.get(head);
  if (crate === undefined) return [];
  const root = joinFolderAndPath(crate, "src");
  return resolveCratePath({ root, modules: [], crate: undefined }, rest, names, known.paths);
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

import type { CodeImport } from "../index/code-outline.ts";
import {
  type ImportContext,
  type ImportResolver,
  type ImportAliases,
  listFoldersAround,
  resolveRelativePath,
  findClosestPathEnding,
  type NamespaceFolder,
  hasPathEnding,
  findClosestPath,
  type WorkspacePaths,
  type AliasPattern,
  matchAliasPattern,
} from "./import-context.ts";
import { getPathFolder, isFolderWithin, getPathName, joinFolderAndPath } from "#kernel/model/folder-path.ts";

export function resolveImportTargets(
  from: string,
  language: string,
  imports: readonly Pick<CodeImport, "specifier" | "names">[],
  known: ImportContext,
): ReadonlyMap<string, readonly string[]> {
  const resolve = IMPORT_RESOLVERS[language];
  const targets = new Map<string, readonly string[]>();
  if (resolve === undefined) return targets;
  for (const wanted of imports) {
    const meant = resolve(from, wanted, known).filter((path) => path !== undefined);
    const all = new Set([...(targets.get(wanted.specifier) ?? []), ...meant.filter((path) => path !== from)]);
    if (all.size > 0) targets.set(wanted.specifier, [...all].toSorted());
  }
  return targets;
}

const FOLDER_MODULE_NAME = /^(?:index|mod|__init__|lib|main)$/;

/** Words by which imports could refer to changed files. Only imports with such a word are resolved again. */
export function collectAffectedWords(changed: Iterable<string>, { paths, aliases }: ImportContext) {
  const words = new Set<string>();
  for (const path of changed) {
    const folder = getPathFolder(path);
    const [stem = ""] = getPathName(path).split(".").filter(Boolean);
    words.add(stem);
    // Adding or removing `__init__` changes how the content of its folder is imported.
    if (stem === "__init__") {
      for (const each of paths.inFolder(folder)) words.add(getPathName(each).split(".", 1)[0] ?? "");
      for (const each of paths.foldersIn(folder)) words.add(each);
    }
    if (FOLDER_MODULE_NAME.test(stem) || /\.(?:go|java|cs)$/.test(path))
      words.add(getPathName(folder).split(".").findLast(Boolean) ?? CURRENT_FOLDER_WORD).add(CURRENT_FOLDER_WORD);
    if (path.endsWith(".rs")) words.add("super").add(FOLDER_MODULE_NAME.test(stem) ? "crate" : "super");
    for (const word of listAliasWords(path, aliases)) words.add(word);
  }
  return words;
}

export function listImportWords({ specifier, names }: Pick<CodeImport, "specifier" | "names">): readonly string[] {
  const words = specifier.split(/[^\p{L}\p{N}_$-]+/u).filter(Boolean);
  return [
    ...new Set([...(words.length === 0 || /^\.+\/?$/.test(specifier) ? [CURRENT_FOLDER_WORD] : words), ...names]),
  ];
}

/** Represents `.` and `..`. */
const CURRENT_FOLDER_WORD = ".";

/** Names that refer to a file without containing its own name: of a package, crate, module or exact alias. */
function listAliasWords(path: string, aliases: ImportAliases): string[] {
  const isOfFolder = FOLDER_MODULE_NAME.test(getPathName(path).split(".", 1)[0] ?? "");
  const own = stripAllEndings(path);
  const exact = [...aliases.patterns.values(), ...aliases.packages.values()].flat().filter(({ name, targets }) => {
    const isTarget = targets.some((target) => own === stripAllEndings(target) || own === `${target}/index`);
    return !name.includes("*") && isTarget;
  });
  const names = [
    ...[...aliases.modules].flatMap(([name, folder]) => (getPathFolder(path) === folder ? [name] : [])),
    ...[...aliases.crates].flatMap(([name, folder]) => (isOfFolder && isFolderWithin(path, folder) ? [name] : [])),
    ...exact.map(({ name }) => name),
  ];
  return names.flatMap((name) => name.match(/[\p{L}\p{N}_$-]+/gu)?.slice(-1) ?? []);
}

const stripAllEndings = (path: string): string => path.replace(/(?<=[^/])\.[^/]*$/, "");

/** Java: a class is a file below its package. Nested names resolve to the file of their class. */
const resolveJavaImport: ImportResolver = (from, { specifier }, known) => {
  const parts = specifier.replace(/^static\s+/, "").split(".");
  if (parts.at(-1) === "*") {
    const inside = listPackageFiles(parts.slice(0, -1), from, "java", known);
    return inside.length > 0 ? inside : [findClassFile(parts.slice(0, -1), from, "java", known)];
  }
  // `com.acme.Orders.Line`, or one of its constants: the first capitalized part is the class.
  const first = parts.findIndex((part) => /^[A-Z]/.test(part));
  const lengths = [parts.length, first + 1, parts.length - 1].filter((length) => length > 0);
  const found = lengths.map((length) => findClassFile(parts.slice(0, length), from, "java", known));
  return [found.find((each) => each !== undefined)];
};

/** C#: a namespace is a project folder, or a folder whose path ends with it. A class is its file. */
const resolveCsharpImport: ImportResolver = (from, { specifier }, known) => {
  const name = specifier.replace(/^(?:static\s+|global::)+/, "");
  if (/^(?:System|Microsoft|Windows)(?:\.|$)/.test(name)) return [];
  const folder = findNamespaceFolder(known, "csharp", name);
  const own = folder === undefined ? [] : filterFileEnding(known.paths.inFolder(folder), "cs");
  if (own.length > 0) return own;
  const parts = name.split(".");
  const dotted = listPackageFiles(parts, from, "cs", known);
  if (dotted.length > 0) return dotted;
  const around = findNamespaceFolder(known, "csharp", parts.slice(0, -1).join("."));
  const file = around === undefined ? undefined : joinFolderAndPath(around, `${parts.at(-1)}.cs`);
  if (file !== undefined && known.paths.has(file)) return [file];
  return parts.length > 1 ? [findClassFile(parts, from, "cs", known)] : [];
};

/** PHP: a class by Composer's namespaces, else by path ending; or an included file. */
const resolvePhpImport: ImportResolver = (from, { specifier, names }, known) => {
  if (/\.(?:php|inc|phtml)$/.test(specifier)) {
    const place = specifier.replace(/^(?:\.?\/)+/, "");
    const near = listFoldersAround(from)
      .flatMap((folder) => resolveRelativePath(folder, place) ?? [])
      .find((path) => known.paths.has(path));
    return [near ?? findClosestPathEnding(from, place.replace(/^(?:\.\.\/)+/, ""), known.paths)];
  }
  const parts = specifier
    .replace(/^(?:function|const)\s+/, "")
    .replace(/^\\/, "")
    .split("\\");
  const each = names.length === 0 ? [parts] : names.map((name) => [...parts, ...name.split("\\")]);
  return each.map((whole) => findPhpClass(whole, from, known));
};

function findPhpClass(parts: readonly string[], from: string, known: ImportContext): string | undefined {
  const place = findNamespaceFolder(known, "php", parts.join("."));
  if (place !== undefined && known.paths.has(`${place}.php`)) return `${place}.php`;
  // Without a manifest, the first parts may refer to any folder.
  for (let at = 0; at < parts.length - 1; at++) {
    const file = findClosestPathEnding(from, `${parts.slice(at).join("/")}.php`, known.paths);
    if (file !== undefined) return file;
  }
  return undefined;
}

function findNamespaceFolder({ aliases }: ImportContext, language: NamespaceFolder["language"], name: string) {
  const around = aliases.namespaces.find(
    (each) => each.language === language && (name === each.prefix || name.startsWith(`${each.prefix}.`)),
  );
  if (around === undefined) return undefined;
  const rest = name.slice(around.prefix.length + 1);
  return rest === "" ? around.folder : joinFolderAndPath(around.folder, rest.replaceAll(".", "/"));
}

const findClassFile = (parts: readonly string[], from: string, end: string, { paths }: ImportContext) =>
  findClosestPathEnding(from, `${parts.join("/")}.${end}`, paths);

/** Folder names may contain dots. */
function listPackageFiles(parts: readonly string[], from: string, end: string, { paths }: ImportContext) {
  const ended = parts.join("/");
  const folders = paths
    .foldersNamed(parts.at(-1) ?? "")
    .concat(paths.foldersNamed(parts.join(".")))
    .filter(
      (folder) =>
        hasPathEnding(folder.replaceAll(".", "/"), ended) && filterFileEnding(paths.inFolder(folder), end).length > 0,
    );
  const folder = findClosestPath(from, folders);
  return folder === undefined ? [] : filterFileEnding(paths.inFolder(folder), end);
}

const filterFileEnding = (paths: readonly string[], end: string): string[] =>
  paths.filter((path) => path.endsWith(`.${end}`));

/** Go: a path is a folder below its module, with all files except tests. */
const resolveGoImport: ImportResolver = (_from, { specifier }, known) => {
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

const HEADER_ENDING = /\.(?:h|hh|hpp|hxx|h\+\+)$/;
const C_SOURCE_ENDINGS = ["c", "cc", "cpp", "cxx"];

/** A header next to the file, else by path ending, plus its source file. Compiler headers have no folder. */
const resolveIncludeDirective: ImportResolver = (from, { specifier }, { paths }) => {
  const [, system] = /^<(.+)>$/.exec(specifier) ?? [];
  const name = system ?? specifier.replace(/^"|"$/g, "");
  const place = system === undefined ? resolveRelativePath(getPathFolder(from), name) : undefined;
  const inInclude = system === undefined ? undefined : findClosestPathEnding(from, `include/${name}`, paths);
  const beside = place !== undefined && paths.has(place) ? place : inInclude;
  const isOwn = system === undefined || name.includes("/");
  const ending = system ?? name.replace(/^(?:\.{1,2}\/)+/, "");
  const header = beside ?? (isOwn ? findClosestPathEnding(from, ending, paths) : undefined);
  return header === undefined ? [] : [header, findHeaderSource(header, from, paths)];
};

/** The source file of the same name: in the same folder, or elsewhere if no other header has that name. */
function findHeaderSource(header: string, from: string, paths: WorkspacePaths): string | undefined {
  if (!HEADER_ENDING.test(header)) return undefined;
  const stem = header.replace(HEADER_ENDING, "");
  const beside = C_SOURCE_ENDINGS.map((end) => `${stem}.${end}`).find((path) => paths.has(path));
  const elsewhere =
    beside === undefined && paths.named(getPathName(header)).length === 1
      ? C_SOURCE_ENDINGS.flatMap((end) => paths.named(`${getPathName(stem)}.${end}`))
      : [];
  const source = beside ?? findClosestPath(header, elsewhere);
  return source === from ? undefined : source;
}

/** Ruby: `./x` like `require_relative`, else by path ending, `lib` first. */
const resolveRubyRequire: ImportResolver = (from, { specifier }, { paths }) => {
  const name = specifier.endsWith(".rb") ? specifier : `${specifier}.rb`;
  if (name.startsWith(".")) {
    const place = resolveRelativePath(getPathFolder(from), name);
    return place !== undefined && paths.has(place) ? [place] : [];
  }
  // A name without a folder may be a gem. Only one at the top of `lib` belongs to the workspace.
  const inLib = findClosestPathEnding(from, `lib/${name}`, paths);
  return [inLib ?? (name.includes("/") ? findClosestPathEnding(from, name, paths) : undefined)];
};

const SCRIPT_ENDINGS = ["ts", "tsx", "d.ts", "mts", "cts", "js", "jsx", "mjs", "cjs", "json", "vue", "svelte"];
const SCRIPT_SOURCE_ENDINGS: Readonly<Partial<Record<string, readonly string[]>>> = {
  js: ["ts", "tsx", "d.ts"],
  jsx: ["tsx"],
  mjs: ["mts", "d.mts"],
  cjs: ["cts", "d.cts"],
};

/** TypeScript and JavaScript: a relative path, a name from the nearest manifest, or a workspace package. */
const resolveScriptImport: ImportResolver = (from, { specifier }, { paths, aliases }) => {
  const bare = specifier.replace(/[?].*$/, "");
  if (/^\.{1,2}(?:\/|$)/.test(bare)) {
    const place = resolveRelativePath(getPathFolder(from), bare);
    return place === undefined ? [] : [findScriptFile(place, paths, /(?:^|\/)\.{0,2}$/.test(bare))];
  }
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(bare)?.[0] ?? "";
  const around = listFoldersAround(from).map((folder) => aliases.patterns.get(folder));
  for (const patterns of [...around, aliases.packages.get(name)]) {
    const target = resolveAliasPattern(bare, patterns ?? [], paths);
    if (target !== undefined) return [target];
  }
  return [];
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

function resolveAliasPattern(specifier: string, patterns: readonly AliasPattern[], paths: WorkspacePaths) {
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

/** Python: `a.b` from a source root, `.b` from the package. An imported name may itself be a module. */
const resolvePythonImport: ImportResolver = (from, { specifier, names }, { paths }) => {
  const [, dots = "", rest = ""] = /^(\.*)(.*)$/s.exec(specifier) ?? [];
  const parts = rest === "" ? [] : rest.split(".");
  // A package folder is not a root: its modules are imported by the package name.
  const roots = listFoldersAround(from).filter((each) => !paths.has(joinFolderAndPath(each, "__init__.py")));
  const sources = roots.flatMap((each) => ["src", "lib", "python"].map((root) => joinFolderAndPath(each, root)));
  const places = dots === "" ? [...roots, ...sources] : listFoldersAround(from).slice(dots.length - 1, dots.length);
  for (const place of places) {
    const found = findImportedModules(place, parts, names, paths);
    if (found.length > 0) return found;
  }
  return [];
};

function findImportedModules(root: string, parts: readonly string[], names: readonly string[], paths: WorkspacePaths) {
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

/** `crate` is the root file. A file that is its own crate, such as a test, is its own root. */
type CrateLocation = Readonly<{ root: string; modules: readonly string[]; crate: string | undefined }>;

/** `crate::`, `super::`, `self::`, `mod x`, a sibling, or a workspace crate. An item resolves to its file. */
const resolveRustImport: ImportResolver = (from, { specifier, names }, { paths, aliases }) => {
  const place = locateCrateFile(from, paths);
  const parts = specifier
    .replace(/^(?:pub\s+)?mod\s+/, "self::")
    .split("::")
    .map((part) => part.replace(/^r#/, "").trim())
    .filter((part) => part !== "" && part !== "*");
  const [head = "", ...rest] = parts;
  if (head === "crate") return resolveCratePath(place, rest, names, paths);
  if (head === "self" || head === "super") {
    const named = parts.findIndex((part) => part !== "super" && part !== "self");
    const ups = named < 0 ? parts.length : named;
    const levels = parts.slice(0, ups).filter((part) => part === "super").length;
    if (levels > place.modules.length) return [];
    const outer = place.modules.slice(0, place.modules.length - levels);
    return resolveCratePath(place, [...outer, ...parts.slice(ups)], names, paths, from);
  }
  if (findRustModule(place.root, [...place.modules, head], paths) !== undefined)
    return resolveCratePath(place, [...place.modules, ...parts], names, paths);
  const crate = aliases.crates.get(head);
  if (crate === undefined) return [];
  return resolveCratePath({ root: joinFolderAndPath(crate, "src"), modules: [], crate: undefined }, rest, names, paths);
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
  for (let length = parts.length; isAsked && own === undefined && length > 0; length--)
    own = findRustModule(place.root, parts.slice(0, length), paths);
  const root = isAsked ? (place.crate ?? findCrateRoot(place.root, paths)) : undefined;
  return [own ?? root, ...modules].filter((each) => each !== undefined).filter((each) => each !== from);
}

const findCrateRoot = (root: string, paths: WorkspacePaths): string | undefined =>
  ["lib.rs", "main.rs"].map((name) => joinFolderAndPath(root, name)).find((each) => paths.has(each));

function findRustModule(root: string, parts: readonly string[], paths: WorkspacePaths): string | undefined {
  const place = joinFolderAndPath(root, parts.join("/"));
  return [`${place}.rs`, `${place}/mod.rs`].find((each) => paths.has(each));
}

function locateCrateFile(from: string, paths: WorkspacePaths): CrateLocation {
  // Files outside `src`, such as tests, and second binaries are crates of their own.
  const [, root] = /^((?:.*\/)?src)\/(?!bin\/[^/]+\.rs$)/.exec(from) ?? [];
  if (root === undefined) return { root: getPathFolder(from), modules: [], crate: from };
  const below = from.slice(root.length + 1).replace(/\.rs$/, "");
  const inside = /^(?:lib|main)$/.test(below) ? [] : below.split("/");
  const modules = inside.at(-1) === "mod" ? inside.slice(0, -1) : inside;
  return { root, modules, crate: findCrateRoot(root, paths) };
}

const IMPORT_RESOLVERS: Readonly<Partial<Record<string, ImportResolver>>> = {
  javascript: resolveScriptImport,
  typescript: resolveScriptImport,
  tsx: resolveScriptImport,
  python: resolvePythonImport,
  go: resolveGoImport,
  rust: resolveRustImport,
  java: resolveJavaImport,
  csharp: resolveCsharpImport,
  php: resolvePhpImport,
  c: resolveIncludeDirective,
  cpp: resolveIncludeDirective,
  ruby: resolveRubyRequire,
};

import { getPathFolder, joinFolderAndPath, getPathName } from "#kernel/model/folder-path.ts";
import {
  type NamespaceFolder,
  type ImportContext,
  type ImportResolver,
  findClosestPath,
  findClosestPathEnding,
  hasPathEnding,
  listFoldersAround,
  resolveRelativePath,
  type WorkspacePaths,
} from "./import-context.ts";

/** Java: a class is a file below its package. Nested names resolve to the file of their class. */
export const resolveJavaImport: ImportResolver = (from, { specifier }, known) => {
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
export const resolveCsharpImport: ImportResolver = (from, { specifier }, known) => {
  const name = specifier.replace(/^(?:static\s+|global::)+/, "");
  if (/^(?:System|Microsoft|Windows)(?:\.|$)/.test(name)) return [];
  const folder = findNamespaceFolder(known.aliases.namespaces, "csharp", name);
  const own = folder === undefined ? [] : filterFileEnding(known.paths.inFolder(folder), "cs");
  if (own.length > 0) return own;
  const parts = name.split(".");
  const dotted = listPackageFiles(parts, from, "cs", known);
  if (dotted.length > 0) return dotted;
  const around = findNamespaceFolder(known.aliases.namespaces, "csharp", parts.slice(0, -1).join("."));
  const file = around === undefined ? undefined : joinFolderAndPath(around, `${parts.at(-1)}.cs`);
  if (file !== undefined && known.paths.has(file)) return [file];
  return parts.length > 1 ? [findClassFile(parts, from, "cs", known)] : [];
};

/** PHP: a class by Composer's namespaces, else by path ending; or an included file. */
export const resolvePhpImport: ImportResolver = (from, { specifier, names }, known) => {
  if (/\.(?:php|inc|phtml)$/.test(specifier)) return [resolvePhpInclude(from, specifier, known)];
  const parts = specifier
    .replace(/^(?:function|const)\s+/, "")
    .replace(/^\\/, "")
    .split("\\");
  const each = names.length === 0 ? [parts] : names.map((name) => [...parts, ...name.split("\\")]);
  return each.map((whole) => findPhpClass(whole, from, known));
};

function findPhpClass(parts: readonly string[], from: string, known: ImportContext): string | undefined {
  const place = findNamespaceFolder(known.aliases.namespaces, "php", parts.join("."));
  if (place !== undefined && known.paths.has(`${place}.php`)) return `${place}.php`;
  // Without a manifest, the first parts may refer to any folder.
  for (let at = 0; at < parts.length - 1; at++) {
    const file = findClosestPathEnding(from, `${parts.slice(at).join("/")}.php`, known.paths);
    if (file !== undefined) return file;
  }
  return undefined;
}

function resolvePhpInclude(from: string, specifier: string, { paths }: ImportContext): string | undefined {
  const place = specifier.replace(/^(?:\.?\/)+/, "");
  const near = listFoldersAround(from)
    .flatMap((folder) => resolveRelativePath(folder, place) ?? [])
    .find((path) => paths.has(path));
  return near ?? findClosestPathEnding(from, place.replace(/^(?:\.\.\/)+/, ""), paths);
}

function findNamespaceFolder(
  namespaces: readonly NamespaceFolder[],
  language: NamespaceFolder["language"],
  name: string,
): string | undefined {
  const around = namespaces.find(
    (each) => each.language === language && (name === each.prefix || name.startsWith(`${each.prefix}.`)),
  );
  if (around === undefined) return undefined;
  const rest = name.slice(around.prefix.length + 1);
  return rest === "" ? around.folder : joinFolderAndPath(around.folder, rest.replaceAll(".", "/"));
}

const findClassFile = (
  parts: readonly string[],
  from: string,
  end: string,
  { paths }: ImportContext,
): string | undefined => findClosestPathEnding(from, `${parts.join("/")}.${end}`, paths);

/** Folder names may contain dots. */
function listPackageFiles(
  parts: readonly string[],
  from: string,
  end: string,
  { paths }: ImportContext,
): readonly string[] {
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

const HEADER_ENDING = /\.(?:h|hh|hpp|hxx|h\+\+)$/;
const C_SOURCE_ENDINGS = ["c", "cc", "cpp", "cxx"];

/** C and C++: a header next to the file, else by path ending, plus its source file. */
export const resolveIncludeDirective: ImportResolver = (from, { specifier }, { paths }) => {
  const [, system] = /^<(.+)>$/.exec(specifier) ?? [];
  const header =
    system === undefined
      ? findQuotedHeader(from, specifier.replace(/^"|"$/g, ""), paths)
      : findAngledHeader(from, system, paths);
  return header === undefined ? [] : [header, findHeaderSource(header, from, paths)];
};

function findQuotedHeader(from: string, name: string, paths: WorkspacePaths): string | undefined {
  const place = resolveRelativePath(getPathFolder(from), name);
  if (place !== undefined && paths.has(place)) return place;
  return findClosestPathEnding(from, name.replace(/^(?:\.{1,2}\/)+/, ""), paths);
}

/** Compiler headers have no folder. Workspace headers are below `include`. */
const findAngledHeader = (from: string, name: string, paths: WorkspacePaths): string | undefined =>
  findClosestPathEnding(from, `include/${name}`, paths) ??
  (name.includes("/") ? findClosestPathEnding(from, name, paths) : undefined);

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
export const resolveRubyRequire: ImportResolver = (from, { specifier }, { paths }) => {
  const name = specifier.endsWith(".rb") ? specifier : `${specifier}.rb`;
  if (name.startsWith(".")) {
    const place = resolveRelativePath(getPathFolder(from), name);
    return place !== undefined && paths.has(place) ? [place] : [];
  }
  // A name without a folder may be a gem. Only one at the top of `lib` belongs to the workspace.
  const inLib = findClosestPathEnding(from, `lib/${name}`, paths);
  return [inLib ?? (name.includes("/") ? findClosestPathEnding(from, name, paths) : undefined)];
};

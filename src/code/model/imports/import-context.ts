import type { CodeImport } from "../index/code-outline.ts";
import { getPathFolder, getPathName, joinFolderAndPath, listAncestorFolders } from "#kernel/model/folder-path.ts";
import { compareTexts } from "#kernel/model/text-format.ts";
import { parseJsonc } from "#kernel/model/jsonc-parser.ts";

export type ImportContext = Readonly<{ paths: WorkspacePaths; aliases: ImportAliases }>;

/** By the path rules of the language. Returns none for external imports. */
export type ImportResolver = (
  from: string,
  wanted: Pick<CodeImport, "specifier" | "names">,
  known: ImportContext,
) => readonly (string | undefined)[];

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
  const byName = Map.groupBy(paths, getPathName);
  const byFolder = Map.groupBy(paths, getPathFolder);
  const folders = Map.groupBy(byFolder.keys(), getPathName);
  const below = new Map<string, Set<string>>();
  for (const folder of byFolder.keys())
    for (let inner = folder; inner !== "."; inner = getPathFolder(inner)) {
      const around = below.get(getPathFolder(inner)) ?? new Set();
      if (around.has(getPathName(inner))) break;
      below.set(getPathFolder(inner), around.add(getPathName(inner)));
    }
  return {
    has: (path) => paths.has(path),
    named: (name) => byName.get(name) ?? [],
    inFolder: (folder) => byFolder.get(folder) ?? [],
    foldersIn: (folder) => below.get(folder) ?? [],
    foldersNamed: (name) => folders.get(name) ?? [],
  };
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

/** The folder of a file and the folders around it, innermost first. */
export const listFoldersAround = (path: string): string[] => {
  const folder = getPathFolder(path);
  return [folder, ...listAncestorFolders(folder)];
};

export const hasPathEnding = (path: string, ending: string): boolean => path === ending || path.endsWith(`/${ending}`);

/** Picks the candidate that shares most folders with `from`, then the first by name. */
export function findClosestPath(from: string, candidates: readonly string[]): string | undefined {
  const own = from.split("/");
  const countShared = (path: string): number => {
    const parts = path.split("/");
    const at = parts.findIndex((part, i) => part !== own[i]);
    return at < 0 ? parts.length : at;
  };
  return candidates.toSorted((a, b) => countShared(b) - countShared(a) || (a < b ? -1 : 1))[0];
}

export function findClosestPathEnding(from: string, ending: string, paths: WorkspacePaths): string | undefined {
  const named = paths.named(getPathName(ending));
  const ended = named.filter((path) => path !== from && hasPathEnding(path, ending));
  return findClosestPath(from, ended);
}

export interface ImportAliases {
  /** TypeScript and JavaScript patterns by folder: `#domain/*`, `@/*`. The nearest folder wins. */
  readonly patterns: ReadonlyMap<string, readonly AliasPattern[]>;
  readonly packages: ReadonlyMap<string, readonly AliasPattern[]>;
  readonly modules: ReadonlyMap<string, string>;
  readonly crates: ReadonlyMap<string, string>;
  readonly namespaces: readonly NamespaceFolder[];
  /** Identifies all of the above. If it changes, every import must be resolved again. */
  readonly key: string;
}

/** The prefix has dots, but none at the end: `App.Models`. */
export type NamespaceFolder = Readonly<{ language: "php" | "csharp"; prefix: string; folder: string }>;

const ALIAS_MANIFEST =
  /^(?:package\.json|[tj]sconfig(?:\.[\w-]+)*\.json|go\.mod|Cargo\.toml|composer\.json|[^/]+\.csproj)$/;

export const isAliasManifest = (path: string): boolean =>
  ALIAS_MANIFEST.test(getPathName(path)) && !/(?:^|\/)(?:node_modules|vendor|target|testdata)\//.test(path);

/** Reads manifests by path and text. Unreadable ones add nothing. */
export function parseImportAliases(files: ReadonlyMap<string, string>): ImportAliases {
  const [patterns, packages] = [new Map<string, readonly AliasPattern[]>(), new Map<string, readonly AliasPattern[]>()];
  const [modules, crates] = [new Map<string, string>(), new Map<string, string>()];
  const addPatterns = (folder: string, found: readonly AliasPattern[]): void => {
    if (found.length > 0) patterns.set(folder, [...(patterns.get(folder) ?? []), ...found]);
  };
  const addFirst = <T>(map: Map<string, T>, name: string | undefined, value: T): void => {
    if (name !== undefined && !map.has(name)) map.set(name, value);
  };
  const namespaces: NamespaceFolder[] = [];
  for (const [path, text] of [...files].toSorted(([one], [other]) => compareTexts(one, other))) {
    const [name, folder] = [getPathName(path), getPathFolder(path)];
    if (name === "package.json") {
      addPatterns(folder, parseImportsField(folder, text));
      const own = parsePackagePatterns(folder, text);
      if (own) addFirst(packages, own.name, own.patterns);
    } else if (/^[tj]sconfig/.test(name)) addPatterns(folder, parseTsconfigPatterns(path, files));
    else if (name === "go.mod") addFirst(modules, /^module\s+"?([^\s"]+)/m.exec(text)?.[1], folder);
    else if (name === "Cargo.toml") {
      const readName = (section: string): string | undefined =>
        new RegExp(String.raw`^\[${section}\][^\[]*?^name\s*=\s*"([\w-]+)"`, "m").exec(text)?.[1];
      // The library name wins over the package name. Code writes `_` for `-`.
      addFirst(crates, (readName("lib") ?? readName("package"))?.replaceAll("-", "_"), folder);
    } else if (name === "composer.json") namespaces.push(...parsePsr4Namespaces(folder, text));
    else if (name.endsWith(".csproj")) {
      const said = /<RootNamespace>\s*([\w.]+)\s*<\/RootNamespace>/.exec(text)?.[1];
      namespaces.push({ language: "csharp", prefix: said ?? name.replace(/\.csproj$/, ""), folder });
    }
  }
  namespaces.sort((one, other) => other.prefix.length - one.prefix.length);
  const rows = [[...patterns], [...packages], [...modules], [...crates], namespaces];
  return { patterns, packages, modules, crates, namespaces, key: JSON.stringify(rows) };
}

function parsePsr4Namespaces(folder: string, text: string): NamespaceFolder[] {
  const manifest = readRecord(parseJsonc(text));
  return ["autoload", "autoload-dev"].flatMap((section) =>
    Object.entries(readRecord(readRecord(manifest[section])["psr-4"])).flatMap(([prefix, given]) =>
      [given].flat().flatMap((below): NamespaceFolder[] => {
        if (typeof below !== "string") return [];
        const inside = below.replace(/^\.\//, "").replace(/\/+$/, "");
        const place = joinFolderAndPath(folder, inside === "" ? "." : inside);
        return [{ language: "php", prefix: prefix.replace(/\\+$/, "").replaceAll("\\", "."), folder: place }];
      }),
    ),
  );
}

/** A name with at most one `*`, and its possible paths from the workspace root, likeliest first. */
export type AliasPattern = Readonly<{ name: string; targets: readonly string[] }>;

function parseImportsField(folder: string, text: string): AliasPattern[] {
  return Object.entries(readRecord(readRecord(parseJsonc(text))["imports"])).flatMap(([name, given]) => {
    const targets = locateManifestPaths(folder, collectManifestPaths(given));
    return targets.length > 0 ? [{ name, targets }] : [];
  });
}

/** Names that other workspace packages can import: from `exports`, `main`, and the usual source locations. */
function parsePackagePatterns(folder: string, text: string) {
  const manifest = readRecord(parseJsonc(text));
  const { name } = manifest;
  if (typeof name !== "string" || name === "") return undefined;
  const exported = readRecord(manifest["exports"]);
  const isOne = typeof manifest["exports"] === "string" || !Object.keys(exported).some((key) => key.startsWith("."));
  const rows = isOne ? [] : Object.entries(exported).filter(([key]) => key.startsWith("./"));
  const entry = isOne ? manifest["exports"] : exported["."];
  const said = ["source", "types", "module", "main"].map((key) => manifest[key]);
  const usual = ["src/index", "index", "lib/index", "src/main"];
  const targets: [name: string, paths: string[]][] = [
    [name, [...[entry, ...said].flatMap(collectManifestPaths), ...usual]],
    ...rows.map(([key, given]): [string, string[]] => [`${name}${key.slice(1)}`, collectManifestPaths(given)]),
    [`${name}/*`, ["*", "src/*"]],
  ];
  const patterns = targets.map(([alias, paths]) => ({ name: alias, targets: locateManifestPaths(folder, paths) }));
  return { name, patterns };
}

function parseTsconfigPatterns(path: string, files: ReadonlyMap<string, string>, depth = 0): AliasPattern[] {
  const config = readRecord(parseJsonc(files.get(path) ?? ""));
  const options = readRecord(config["compilerOptions"]);
  const { baseUrl } = options;
  const base = resolveRelativePath(getPathFolder(path), typeof baseUrl === "string" ? baseUrl : ".");
  if (base === undefined) return [];
  const own = Object.entries(readRecord(options["paths"])).flatMap(([name, given]) => {
    const targets = collectManifestPaths(given).flatMap((target) => resolveRelativePath(base, target) ?? []);
    return targets.length > 0 ? [{ name, targets }] : [];
  });
  const whole = typeof baseUrl === "string" ? [{ name: "*", targets: [joinFolderAndPath(base, "*")] }] : [];
  if (own.length + whole.length > 0 || depth > MAX_TSCONFIG_DEPTH) return [...own, ...whole];
  return [config["extends"]].flat().flatMap((other) => {
    if (typeof other !== "string" || !other.startsWith(".")) return [];
    const target = resolveRelativePath(getPathFolder(path), other.endsWith(".json") ? other : `${other}.json`);
    return target === undefined || !files.has(target) ? [] : parseTsconfigPatterns(target, files, depth + 1);
  });
}

const MAX_TSCONFIG_DEPTH = 5;

function collectManifestPaths(given: unknown): string[] {
  if (typeof given === "string") return [given];
  return typeof given === "object" && given !== null ? Object.values(given).flatMap(collectManifestPaths) : [];
}

/** Paths from the workspace root. Build output is not in the workspace, so the likely source paths are added. */
function locateManifestPaths(folder: string, paths: readonly string[]): string[] {
  const all = paths.flatMap((path) => resolveRelativePath(folder, path) ?? []);
  const sources = all.flatMap((path) => {
    const below = folder === "." ? path : path.slice(folder.length + 1);
    const source = below.replace(BUILD_FOLDER, "src/");
    return source === below ? [] : [joinFolderAndPath(folder, source)];
  });
  return [...new Set([...all, ...sources])];
}

const BUILD_FOLDER = /^(?:dist|build|lib|out)\/(?:(?:esm|cjs|types|src)\/)?/;

/** Returns the text that `*` matches, empty for a pattern without `*`, or nothing without a match. */
export function matchAliasPattern(pattern: string, specifier: string): string | undefined {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === specifier ? "" : undefined;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  const fits =
    specifier.length >= before.length + after.length && specifier.startsWith(before) && specifier.endsWith(after);
  return fits ? specifier.slice(before.length, specifier.length - after.length) : undefined;
}

const readRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};

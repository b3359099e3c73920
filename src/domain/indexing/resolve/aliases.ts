import { getPathFolder, joinFolderAndPath, getPathName } from "../../stack/folder.ts";
import { type AliasPattern, parsePackagePatterns, parseImportsField, parseTsconfigPatterns } from "./script-aliases.ts";

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

export interface NamespaceFolder {
  readonly language: "php" | "csharp";
  /** With dots, but none at the end: `App.Models`. */
  readonly prefix: string;
  readonly folder: string;
}

const ALIAS_MANIFEST =
  /^(?:package\.json|[tj]sconfig(?:\.[\w-]+)*\.json|go\.mod|Cargo\.toml|composer\.json|[^/]+\.csproj)$/;

export const isAliasManifest = (path: string): boolean =>
  ALIAS_MANIFEST.test(getPathName(path)) && !/(?:^|\/)(?:node_modules|vendor|target|testdata)\//.test(path);

/** Reads manifests by path and text. Unreadable ones add nothing. */
export function parseImportAliases(files: ReadonlyMap<string, string>): ImportAliases {
  const patterns = new Map<string, readonly AliasPattern[]>();
  const packages = new Map<string, readonly AliasPattern[]>();
  const modules = new Map<string, string>();
  const crates = new Map<string, string>();
  const namespaces: NamespaceFolder[] = [];
  for (const [path, text] of [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const [name, folder] = [getPathName(path), getPathFolder(path)];
    if (name === "package.json") {
      addAliasPatterns(patterns, folder, parseImportsField(folder, text));
      const own = parsePackagePatterns(folder, text);
      if (own !== undefined && !packages.has(own.name)) packages.set(own.name, own.patterns);
    } else if (/^[tj]sconfig/.test(name)) addAliasPatterns(patterns, folder, parseTsconfigPatterns(path, files));
    else if (name === "go.mod") {
      const module = /^module\s+"?([^\s"]+)/m.exec(text)?.[1];
      if (module !== undefined && !modules.has(module)) modules.set(module, folder);
    } else if (name === "Cargo.toml") {
      const crate = parseCrateName(text);
      if (crate !== undefined && !crates.has(crate)) crates.set(crate, folder);
    } else if (name === "composer.json") namespaces.push(...parsePsr4Namespaces(folder, text));
    else if (name.endsWith(".csproj")) namespaces.push(parseRootNamespace(path, text));
  }
  namespaces.sort((one, other) => other.prefix.length - one.prefix.length);
  const rows = [[...patterns], [...packages], [...modules], [...crates], namespaces];
  return { patterns, packages, modules, crates, namespaces, key: JSON.stringify(rows) };
}

function addAliasPatterns(
  to: Map<string, readonly AliasPattern[]>,
  folder: string,
  patterns: readonly AliasPattern[],
): void {
  if (patterns.length > 0) to.set(folder, [...(to.get(folder) ?? []), ...patterns]);
}

/** The library name wins over the package name. Code writes `_` for `-`. */
function parseCrateName(text: string): string | undefined {
  const named = (section: string): string | undefined =>
    new RegExp(String.raw`^\[${section}\][^\[]*?^name\s*=\s*"([\w-]+)"`, "m").exec(text)?.[1];
  return (named("lib") ?? named("package"))?.replaceAll("-", "_");
}

function parsePsr4Namespaces(folder: string, text: string): NamespaceFolder[] {
  const manifest = parseJsonRecord(text);
  return ["autoload", "autoload-dev"].flatMap((section) =>
    Object.entries(copyPlainRecord(copyPlainRecord(manifest[section])["psr-4"])).flatMap(([prefix, given]) =>
      [given].flat().flatMap((below): NamespaceFolder[] => {
        if (typeof below !== "string") return [];
        const inside = below.replace(/^\.\//, "").replace(/\/+$/, "");
        const place = joinFolderAndPath(folder, inside === "" ? "." : inside);
        return [{ language: "php", prefix: prefix.replace(/\\+$/, "").replaceAll("\\", "."), folder: place }];
      }),
    ),
  );
}

/** Defaults to the name of the project file. */
function parseRootNamespace(path: string, text: string): NamespaceFolder {
  const said = /<RootNamespace>\s*([\w.]+)\s*<\/RootNamespace>/.exec(text)?.[1];
  return {
    language: "csharp",
    prefix: said ?? getPathName(path).replace(/\.csproj$/, ""),
    folder: getPathFolder(path),
  };
}

function parseJsonRecord(text: string): Readonly<Record<string, unknown>> {
  try {
    return copyPlainRecord(JSON.parse(text));
  } catch {
    return {};
  }
}

const copyPlainRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};

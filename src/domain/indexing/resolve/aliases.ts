import { folderOf, fromTop, nameOf } from "../../stack/folder.ts";
import { type Pattern, packagePatterns, ownPatterns, tsconfigPatterns } from "./script-aliases.ts";

export interface Aliases {
  /** TypeScript and JavaScript patterns by folder: `#domain/*`, `@/*`. The nearest folder wins. */
  readonly patterns: ReadonlyMap<string, readonly Pattern[]>;
  readonly packages: ReadonlyMap<string, readonly Pattern[]>;
  readonly modules: ReadonlyMap<string, string>;
  readonly crates: ReadonlyMap<string, string>;
  readonly namespaces: readonly Namespace[];
  /** Identifies all of the above. If it changes, every import must be resolved again. */
  readonly key: string;
}

export interface Namespace {
  readonly language: "php" | "csharp";
  /** With dots, but none at the end: `App.Models`. */
  readonly prefix: string;
  readonly folder: string;
}

const MANIFEST = /^(?:package\.json|[tj]sconfig(?:\.[\w-]+)*\.json|go\.mod|Cargo\.toml|composer\.json|[^/]+\.csproj)$/;

export const isAliasFile = (path: string): boolean =>
  MANIFEST.test(nameOf(path)) && !/(?:^|\/)(?:node_modules|vendor|target|testdata)\//.test(path);

/** Reads manifests by path and text. Unreadable ones add nothing. */
export function aliasesFrom(files: ReadonlyMap<string, string>): Aliases {
  const patterns = new Map<string, readonly Pattern[]>();
  const packages = new Map<string, readonly Pattern[]>();
  const modules = new Map<string, string>();
  const crates = new Map<string, string>();
  const namespaces: Namespace[] = [];
  for (const [path, text] of [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const [name, folder] = [nameOf(path), folderOf(path)];
    if (name === "package.json") {
      add(patterns, folder, ownPatterns(folder, text));
      const own = packagePatterns(folder, text);
      if (own !== undefined && !packages.has(own.name)) packages.set(own.name, own.patterns);
    } else if (/^[tj]sconfig/.test(name)) add(patterns, folder, tsconfigPatterns(path, files));
    else if (name === "go.mod") {
      const module = /^module\s+"?([^\s"]+)/m.exec(text)?.[1];
      if (module !== undefined && !modules.has(module)) modules.set(module, folder);
    } else if (name === "Cargo.toml") {
      const crate = crateIn(text);
      if (crate !== undefined && !crates.has(crate)) crates.set(crate, folder);
    } else if (name === "composer.json") namespaces.push(...psr4(folder, text));
    else if (name.endsWith(".csproj")) namespaces.push(rootNamespace(path, text));
  }
  namespaces.sort((one, other) => other.prefix.length - one.prefix.length);
  const rows = [[...patterns], [...packages], [...modules], [...crates], namespaces];
  return { patterns, packages, modules, crates, namespaces, key: JSON.stringify(rows) };
}

function add(to: Map<string, readonly Pattern[]>, folder: string, patterns: readonly Pattern[]): void {
  if (patterns.length > 0) to.set(folder, [...(to.get(folder) ?? []), ...patterns]);
}

/** The library name wins over the package name. Code writes `_` for `-`. */
function crateIn(text: string): string | undefined {
  const named = (section: string): string | undefined =>
    new RegExp(String.raw`^\[${section}\][^\[]*?^name\s*=\s*"([\w-]+)"`, "m").exec(text)?.[1];
  return (named("lib") ?? named("package"))?.replaceAll("-", "_");
}

function psr4(folder: string, text: string): Namespace[] {
  const manifest = parsed(text);
  return ["autoload", "autoload-dev"].flatMap((section) =>
    Object.entries(record(record(manifest[section])["psr-4"])).flatMap(([prefix, given]) =>
      [given].flat().flatMap((below): Namespace[] => {
        if (typeof below !== "string") return [];
        const inside = below.replace(/^\.\//, "").replace(/\/+$/, "");
        const place = fromTop(folder, inside === "" ? "." : inside);
        return [{ language: "php", prefix: prefix.replace(/\\+$/, "").replaceAll("\\", "."), folder: place }];
      }),
    ),
  );
}

/** Defaults to the name of the project file. */
function rootNamespace(path: string, text: string): Namespace {
  const said = /<RootNamespace>\s*([\w.]+)\s*<\/RootNamespace>/.exec(text)?.[1];
  return { language: "csharp", prefix: said ?? nameOf(path).replace(/\.csproj$/, ""), folder: folderOf(path) };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return record(JSON.parse(text));
  } catch {
    return {};
  }
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};

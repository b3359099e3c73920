import { getPathFolder, joinFolderAndPath } from "../../stack/folder.ts";
import { parseJsonc } from "../../stack/manifest/jsonc.ts";
import { resolveRelativePath } from "./paths.ts";

/** A name with at most one `*`, and its possible paths from the workspace root, likeliest first. */
export interface AliasPattern {
  readonly name: string;
  readonly targets: readonly string[];
}

export function parseImportsField(folder: string, text: string): AliasPattern[] {
  return Object.entries(copyManifestRecord(copyManifestRecord(parseJsonc(text))["imports"])).flatMap(
    ([name, given]) => {
      const targets = locateManifestPaths(folder, collectManifestPaths(given));
      return targets.length > 0 ? [{ name, targets }] : [];
    },
  );
}

/** Names that other workspace packages can import: from `exports`, `main`, and the usual source locations. */
export function parsePackagePatterns(
  folder: string,
  text: string,
): { readonly name: string; readonly patterns: readonly AliasPattern[] } | undefined {
  const manifest = copyManifestRecord(parseJsonc(text));
  const { name } = manifest;
  if (typeof name !== "string" || name === "") return undefined;
  const exported = copyManifestRecord(manifest["exports"]);
  const isOne = typeof manifest["exports"] === "string" || !Object.keys(exported).some((key) => key.startsWith("."));
  const rows = isOne ? [] : Object.entries(exported).filter(([key]) => key.startsWith("./"));
  const entry = isOne ? manifest["exports"] : exported["."];
  const said = ["source", "types", "module", "main"].map((key) => manifest[key]);
  const usual = ["src/index", "index", "lib/index", "src/main"];
  return {
    name,
    patterns: [
      {
        name,
        targets: locateManifestPaths(folder, [
          ...collectManifestPaths(entry),
          ...said.flatMap(collectManifestPaths),
          ...usual,
        ]),
      },
      ...rows.map(([key, given]) => ({
        name: `${name}${key.slice(1)}`,
        targets: locateManifestPaths(folder, collectManifestPaths(given)),
      })),
      { name: `${name}/*`, targets: locateManifestPaths(folder, ["*", "src/*"]) },
    ],
  };
}

export function parseTsconfigPatterns(path: string, files: ReadonlyMap<string, string>, depth = 0): AliasPattern[] {
  const config = copyManifestRecord(parseJsonc(files.get(path) ?? ""));
  const options = copyManifestRecord(config["compilerOptions"]);
  const { baseUrl } = options;
  const base = resolveRelativePath(getPathFolder(path), typeof baseUrl === "string" ? baseUrl : ".");
  if (base === undefined) return [];
  const own = Object.entries(copyManifestRecord(options["paths"])).flatMap(([name, given]) => {
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

const copyManifestRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};

import { folderOf, fromTop } from "../../stack/folder.ts";
import { parseJsonc } from "../../stack/manifest/jsonc.ts";
import { follow } from "./paths.ts";

/** A name with at most one `*`, and the paths it may stand for, from the workspace's root, the likeliest first. */
export interface Pattern {
  readonly name: string;
  readonly targets: readonly string[];
}

/** What a package calls its own files: the `imports` of its manifest. */
export function ownPatterns(folder: string, text: string): Pattern[] {
  return Object.entries(record(record(parseJsonc(text))["imports"])).flatMap(([name, given]) => {
    const targets = placed(folder, pathsIn(given));
    return targets.length > 0 ? [{ name, targets }] : [];
  });
}

/** What the others of the workspace may import of a package, by its `exports`, its `main`, and where sources stand. */
export function packagePatterns(
  folder: string,
  text: string,
): { readonly name: string; readonly patterns: readonly Pattern[] } | undefined {
  const manifest = record(parseJsonc(text));
  const { name } = manifest;
  if (typeof name !== "string" || name === "") return undefined;
  const exported = record(manifest["exports"]);
  const isOne = typeof manifest["exports"] === "string" || !Object.keys(exported).some((key) => key.startsWith("."));
  const rows = isOne ? [] : Object.entries(exported).filter(([key]) => key.startsWith("./"));
  const entry = isOne ? manifest["exports"] : exported["."];
  const said = ["source", "types", "module", "main"].map((key) => manifest[key]);
  const usual = ["src/index", "index", "lib/index", "src/main"];
  return {
    name,
    patterns: [
      { name, targets: placed(folder, [...pathsIn(entry), ...said.flatMap(pathsIn), ...usual]) },
      ...rows.map(([key, given]) => ({ name: `${name}${key.slice(1)}`, targets: placed(folder, pathsIn(given)) })),
      { name: `${name}/*`, targets: placed(folder, ["*", "src/*"]) },
    ],
  };
}

/** The `paths` and the `baseUrl` of a configuration of TypeScript, or of the one that it extends. */
export function tsconfigPatterns(path: string, files: ReadonlyMap<string, string>, depth = 0): Pattern[] {
  const config = record(parseJsonc(files.get(path) ?? ""));
  const options = record(config["compilerOptions"]);
  const { baseUrl } = options;
  const base = follow(folderOf(path), typeof baseUrl === "string" ? baseUrl : ".");
  if (base === undefined) return [];
  const own = Object.entries(record(options["paths"])).flatMap(([name, given]) => {
    const targets = pathsIn(given).flatMap((target) => follow(base, target) ?? []);
    return targets.length > 0 ? [{ name, targets }] : [];
  });
  const whole = typeof baseUrl === "string" ? [{ name: "*", targets: [fromTop(base, "*")] }] : [];
  if (own.length + whole.length > 0 || depth > MOST_EXTENDED) return [...own, ...whole];
  return [config["extends"]].flat().flatMap((other) => {
    if (typeof other !== "string" || !other.startsWith(".")) return [];
    const target = follow(folderOf(path), other.endsWith(".json") ? other : `${other}.json`);
    return target === undefined || !files.has(target) ? [] : tsconfigPatterns(target, files, depth + 1);
  });
}

const MOST_EXTENDED = 5;

/** Every path that a manifest gives for a name, whatever the condition under which it holds. */
function pathsIn(given: unknown): string[] {
  if (typeof given === "string") return [given];
  return typeof given === "object" && given !== null ? Object.values(given).flatMap(pathsIn) : [];
}

/** From the workspace's root. What is built is not in the workspace: where it is made from may be. */
function placed(folder: string, paths: readonly string[]): string[] {
  const all = paths.flatMap((path) => follow(folder, path) ?? []);
  const sources = all.flatMap((path) => {
    const below = folder === "." ? path : path.slice(folder.length + 1);
    const source = below.replace(BUILT, "src/");
    return source === below ? [] : [fromTop(folder, source)];
  });
  return [...new Set([...all, ...sources])];
}

const BUILT = /^(?:dist|build|lib|out)\/(?:(?:esm|cjs|types|src)\/)?/;

/** The name that a pattern's `*` stands for in a specifier, empty for a pattern without one; nothing where it does not fit. */
export function starred(pattern: string, specifier: string): string | undefined {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === specifier ? "" : undefined;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  const fits =
    specifier.length >= before.length + after.length && specifier.startsWith(before) && specifier.endsWith(after);
  return fits ? specifier.slice(before.length, specifier.length - after.length) : undefined;
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};

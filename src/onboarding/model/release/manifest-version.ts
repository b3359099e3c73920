import { findNodeAtLocation, parseTree } from "jsonc-parser";

/** The first `version` of a section of TOML, such as `[package]`. */
const createTomlPattern = (sections: string): RegExp =>
  new RegExp(`^\\[(?:${sections})\\][ \\t]*(?:#.*)?\\n(?:(?!\\[).*\\n)*?version[ \\t]*=[ \\t]*["']([^"'\\n]+)`, "dm");

/** Where a manifest says the version: paths in JSON, or a pattern whose group is the version. */
type VersionPlace = readonly string[] | RegExp;

const LOCK_PLACES: readonly VersionPlace[] = [["version"], ["packages", "", "version"]];

/** Files that carry the version of a package, in the folder of the workspace. */
const MANIFESTS: Readonly<Record<string, readonly VersionPlace[]>> = {
  "package.json": [["version"]],
  "package-lock.json": LOCK_PLACES,
  "npm-shrinkwrap.json": LOCK_PLACES,
  "composer.json": [["version"]],
  "pyproject.toml": [createTomlPattern("project|tool\\.poetry")],
  "Cargo.toml": [createTomlPattern("package|workspace\\.package")],
  "gradle.properties": [/^version[ \t]*=[ \t]*(\S+)/dm],
};

export const MANIFEST_NAMES: readonly string[] = Object.keys(MANIFESTS);

const listVersionSpans = (name: string, text: string): (readonly [from: number, to: number])[] =>
  (MANIFESTS[name] ?? []).flatMap((place) => {
    if (place instanceof RegExp) {
      const span = place.exec(text)?.indices?.[1];
      return span ? [span] : [];
    }
    const tree = parseTree(text);
    const node = tree && findNodeAtLocation(tree, [...place]);
    return node?.type === "string" ? [[node.offset + 1, node.offset + node.length - 1] as const] : [];
  });

/** The version that a manifest has. Undefined if it has none, as in a private package. */
export function readManifestVersion(name: string, text: string): string | undefined {
  const [span] = listVersionSpans(name, text);
  return span && text.slice(...span);
}

/** The manifest with another version, and everything else as it was. */
export const setManifestVersion = (name: string, text: string, version: string): string =>
  listVersionSpans(name, text)
    .toSorted(([a], [b]) => b - a)
    .reduce((now, [from, to]) => `${now.slice(0, from)}${version}${now.slice(to)}`, text);

/** Cargo's lock file names the package itself. Undefined without an entry for it. */
export function setCargoLockVersion(manifest: string, lock: string, version: string): string | undefined {
  const name = /^\[package\][^[]*?^name\s*=\s*"([\w-]+)"/m.exec(manifest)?.[1];
  if (name === undefined) return undefined;
  const own = new RegExp(`(\\[\\[package\\]\\]\\nname = "${name}"\\nversion = ")[^"]+("\\n(?!source))`);
  return own.test(lock) ? lock.replace(own, `$1${version}$2`) : undefined;
}

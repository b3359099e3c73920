import { listAncestorFolders, getPathFolder } from "../../stack/folder.ts";
import { type ImportContext, type ImportResolver } from "./known.ts";
import { resolveRelativePath, type WorkspacePaths } from "./paths.ts";
import { type AliasPattern, matchAliasPattern } from "./script-aliases.ts";

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
  const target = /^\.{1,2}(?:\/|$)/.test(bare)
    ? resolveRelativeImport(from, bare, known.paths)
    : resolveAliasedImport(from, bare, known);
  return target === undefined ? [] : [target];
};

function resolveRelativeImport(from: string, specifier: string, paths: WorkspacePaths): string | undefined {
  const place = resolveRelativePath(getPathFolder(from), specifier);
  return place === undefined ? undefined : findScriptFile(place, paths, /(?:^|\/)\.{0,2}$/.test(specifier));
}

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
  const folder = getPathFolder(from);
  for (const each of [folder, ...listAncestorFolders(folder)]) {
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
    for (const target of targets) {
      const file = findScriptFile(
        target.replace("*", () => star),
        paths,
      );
      if (file !== undefined) return file;
    }
  return undefined;
}

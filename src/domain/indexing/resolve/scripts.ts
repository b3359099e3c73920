import { above, folderOf } from "../../stack/folder.ts";
import { type Known, type Resolver } from "./known.ts";
import { follow, type Paths } from "./paths.ts";
import { type Pattern, starred } from "./script-aliases.ts";

const ENDINGS = ["ts", "tsx", "d.ts", "mts", "cts", "js", "jsx", "mjs", "cjs", "json", "vue", "svelte"];
const WRITTEN: Readonly<Partial<Record<string, readonly string[]>>> = {
  js: ["ts", "tsx", "d.ts"],
  jsx: ["tsx"],
  mjs: ["mts", "d.mts"],
  cjs: ["cts", "d.cts"],
};

/** TypeScript and JavaScript: a relative path, a name from the nearest manifest, or a workspace package. */
export const scriptTargets: Resolver = (from, { specifier }, known) => {
  const bare = specifier.replace(/[?].*$/, "");
  const target = /^\.{1,2}(?:\/|$)/.test(bare) ? relative(from, bare, known.paths) : aliased(from, bare, known);
  return target === undefined ? [] : [target];
};

function relative(from: string, specifier: string, paths: Paths): string | undefined {
  const place = follow(folderOf(from), specifier);
  return place === undefined ? undefined : fileAt(place, paths, /(?:^|\/)\.{0,2}$/.test(specifier));
}

/** Tries the path itself, then with each ending, then as a folder with an index file. */
function fileAt(place: string, paths: Paths, isFolder = false): string | undefined {
  if (place !== "." && !isFolder) {
    if (paths.has(place)) return place;
    const [, stem, ending = ""] = /^(.+)\.(js|jsx|mjs|cjs)$/.exec(place) ?? [];
    const written = WRITTEN[ending]?.map((each) => `${stem}.${each}`).find((each) => paths.has(each));
    const ended = written ?? ENDINGS.map((each) => `${place}.${each}`).find((each) => paths.has(each));
    if (ended !== undefined) return ended;
  }
  const index = place === "." ? "index" : `${place}/index`;
  return ENDINGS.map((each) => `${index}.${each}`).find((each) => paths.has(each));
}

function aliased(from: string, specifier: string, known: Known): string | undefined {
  const folder = folderOf(from);
  for (const each of [folder, ...above(folder)]) {
    const target = matched(specifier, known.aliases.patterns.get(each) ?? [], known.paths);
    if (target !== undefined) return target;
  }
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? "";
  return matched(specifier, known.aliases.packages.get(name) ?? [], known.paths);
}

function matched(specifier: string, patterns: readonly Pattern[], paths: Paths): string | undefined {
  const fitting = patterns
    .flatMap(({ name, targets }) => {
      const star = starred(name, specifier);
      return star === undefined ? [] : [{ targets, star, weight: name.includes("*") ? name.length : Infinity }];
    })
    .toSorted((one, other) => other.weight - one.weight);
  for (const { targets, star } of fitting)
    for (const target of targets) {
      const file = fileAt(
        target.replace("*", () => star),
        paths,
      );
      if (file !== undefined) return file;
    }
  return undefined;
}

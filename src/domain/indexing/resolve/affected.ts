import { folderOf, isWithin, nameOf } from "../../stack/folder.ts";
import type { Import } from "../outline.ts";
import type { Aliases } from "./aliases.ts";
import type { Known } from "./known.ts";

const OF_FOLDER = /^(?:index|mod|__init__|lib|main)$/;
const BY_FOLDER = /\.(?:go|java|cs)$/;

/**
 * Words by which imports could refer to added or removed files. Only imports with such a word must be resolved again.
 */
export function affectedBy(changed: Iterable<string>, { paths, aliases }: Known): ReadonlySet<string> {
  const words = new Set<string>();
  for (const path of changed) {
    const [stem = ""] = nameOf(path).split(".").filter(Boolean);
    words.add(stem);
    // Adding or removing `__init__` changes how the content of its folder is imported.
    if (stem === "__init__") for (const each of standingIn(folderOf(path), paths)) words.add(each);
    if (OF_FOLDER.test(stem) || BY_FOLDER.test(path)) words.add(lastWord(folderOf(path))).add(HERE);
    if (path.endsWith(".rs")) words.add("super").add(OF_FOLDER.test(stem) ? "crate" : "super");
    for (const word of aliasWords(path, aliases)) words.add(word);
  }
  return words;
}

export function wordsOf({ specifier, names }: Pick<Import, "specifier" | "names">): readonly string[] {
  const words = specifier.split(/[^\p{L}\p{N}_$-]+/u).filter(Boolean);
  return [...new Set([...(words.length === 0 || /^\.+\/?$/.test(specifier) ? [HERE] : words), ...names])];
}

/** Represents `.` and `..`. */
const HERE = ".";

const lastWord = (folder: string): string => nameOf(folder).split(".").findLast(Boolean) ?? HERE;

const standingIn = (folder: string, paths: Known["paths"]): string[] => [
  ...paths.inFolder(folder).flatMap((path) => nameOf(path).split(".", 1)),
  ...paths.foldersIn(folder),
];

/** Names that refer to a file without containing its own name: of a package, crate, module or exact alias. */
function aliasWords(path: string, aliases: Aliases): string[] {
  const isOfFolder = OF_FOLDER.test(nameOf(path).split(".", 1)[0] ?? "");
  const own = withoutEnding(path);
  const names = [
    ...[...aliases.modules].flatMap(([name, folder]) => (folderOf(path) === folder ? [name] : [])),
    ...[...aliases.crates].flatMap(([name, folder]) => (isOfFolder && isWithin(path, folder) ? [name] : [])),
    ...[...aliases.patterns.values(), ...aliases.packages.values()]
      .flat()
      .flatMap(({ name, targets }) =>
        !name.includes("*") && targets.some((target) => own === withoutEnding(target) || own === `${target}/index`)
          ? [name]
          : [],
      ),
  ];
  return names.flatMap((name) =>
    name
      .split(/[^\p{L}\p{N}_$-]+/u)
      .filter(Boolean)
      .slice(-1),
  );
}

const withoutEnding = (path: string): string => path.replace(/(?<=[^/])\.[^/]*$/, "");

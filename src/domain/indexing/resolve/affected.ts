import { folderOf, isWithin, nameOf } from "../../stack/folder.ts";
import type { Import } from "../outline.ts";
import type { Aliases } from "./aliases.ts";
import type { Known } from "./known.ts";

/** What stands for its folder rather than for itself. */
const OF_FOLDER = /^(?:index|mod|__init__|lib|main)$/;
/** Where a folder is imported and all files in it are meant. */
const BY_FOLDER = /\.(?:go|java|cs)$/;

/**
 * The words by which files that came or went could be meant. An import that holds none of them means what it meant
 * before; one that holds some has to be resolved again.
 */
export function affectedBy(changed: Iterable<string>, { paths, aliases }: Known): ReadonlySet<string> {
  const words = new Set<string>();
  for (const path of changed) {
    const [stem = ""] = nameOf(path).split(".").filter(Boolean);
    words.add(stem);
    // Whether a folder is a package decides whether what stands in it is imported by its name alone.
    if (stem === "__init__") for (const each of standingIn(folderOf(path), paths)) words.add(each);
    if (OF_FOLDER.test(stem) || BY_FOLDER.test(path)) words.add(lastWord(folderOf(path))).add(HERE);
    if (path.endsWith(".rs")) words.add("super").add(OF_FOLDER.test(stem) ? "crate" : "super");
    for (const word of aliasWords(path, aliases)) words.add(word);
  }
  return words;
}

/** The words of an import that could be those of a file. */
export function wordsOf({ specifier, names }: Pick<Import, "specifier" | "names">): readonly string[] {
  const words = specifier.split(/[^\p{L}\p{N}_$-]+/u).filter(Boolean);
  return [...new Set([...(words.length === 0 || /^\.+\/?$/.test(specifier) ? [HERE] : words), ...names])];
}

/** What `.` and `..` stand for. */
const HERE = ".";

const lastWord = (folder: string): string => nameOf(folder).split(".").findLast(Boolean) ?? HERE;

const standingIn = (folder: string, paths: Known["paths"]): string[] => [
  ...paths.inFolder(folder).flatMap((path) => nameOf(path).split(".", 1)),
  ...paths.foldersIn(folder),
];

/** Names that stand for a file without holding its own: of a package, a crate, a module, an exact alias. */
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

/** Without anything after the first dot of its name. */
const withoutEnding = (path: string): string => path.replace(/(?<=[^/])\.[^/]*$/, "");

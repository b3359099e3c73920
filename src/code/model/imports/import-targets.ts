import type { CodeImport } from "../index/code-outline.ts";
import {
  resolveIncludeDirective,
  resolveCsharpImport,
  resolveJavaImport,
  resolvePhpImport,
  resolveGoImport,
  resolveRubyRequire,
} from "./package-imports.ts";
import type { ImportContext, ImportResolver, ImportAliases } from "./import-context.ts";
import { resolvePythonImport, resolveRustImport, resolveScriptImport } from "./module-imports.ts";
import { getPathFolder, isFolderWithin, getPathName } from "#kernel/model/folder-path.ts";

const IMPORT_RESOLVERS: Readonly<Partial<Record<string, ImportResolver>>> = {
  javascript: resolveScriptImport,
  typescript: resolveScriptImport,
  tsx: resolveScriptImport,
  python: resolvePythonImport,
  go: resolveGoImport,
  rust: resolveRustImport,
  java: resolveJavaImport,
  csharp: resolveCsharpImport,
  php: resolvePhpImport,
  c: resolveIncludeDirective,
  cpp: resolveIncludeDirective,
  ruby: resolveRubyRequire,
};

/** Workspace files by import specifier. External imports are left out. */
export function resolveImportTargets(
  from: string,
  language: string,
  imports: readonly Pick<CodeImport, "specifier" | "names">[],
  known: ImportContext,
): ReadonlyMap<string, readonly string[]> {
  const resolve = IMPORT_RESOLVERS[language];
  const targets = new Map<string, readonly string[]>();
  if (resolve === undefined) return targets;
  for (const wanted of imports) {
    const meant = resolve(from, wanted, known).filter((path) => path !== undefined);
    const all = new Set([...(targets.get(wanted.specifier) ?? []), ...meant.filter((path) => path !== from)]);
    if (all.size > 0) targets.set(wanted.specifier, [...all].toSorted());
  }
  return targets;
}

const FOLDER_MODULE_NAME = /^(?:index|mod|__init__|lib|main)$/;
const FOLDER_IMPORT_ENDING = /\.(?:go|java|cs)$/;

/**
 * Words by which imports could refer to added or removed files. Only imports with such a word must be resolved again.
 */
export function collectAffectedWords(
  changed: Iterable<string>,
  { paths, aliases }: ImportContext,
): ReadonlySet<string> {
  const words = new Set<string>();
  for (const path of changed) {
    const [stem = ""] = getPathName(path).split(".").filter(Boolean);
    words.add(stem);
    // Adding or removing `__init__` changes how the content of its folder is imported.
    if (stem === "__init__") for (const each of listFolderEntryNames(getPathFolder(path), paths)) words.add(each);
    if (FOLDER_MODULE_NAME.test(stem) || FOLDER_IMPORT_ENDING.test(path))
      words.add(extractFolderWord(getPathFolder(path))).add(CURRENT_FOLDER_WORD);
    if (path.endsWith(".rs")) words.add("super").add(FOLDER_MODULE_NAME.test(stem) ? "crate" : "super");
    for (const word of listAliasWords(path, aliases)) words.add(word);
  }
  return words;
}

export function listImportWords({ specifier, names }: Pick<CodeImport, "specifier" | "names">): readonly string[] {
  const words = specifier.split(/[^\p{L}\p{N}_$-]+/u).filter(Boolean);
  return [
    ...new Set([...(words.length === 0 || /^\.+\/?$/.test(specifier) ? [CURRENT_FOLDER_WORD] : words), ...names]),
  ];
}

/** Represents `.` and `..`. */
const CURRENT_FOLDER_WORD = ".";

const extractFolderWord = (folder: string): string =>
  getPathName(folder).split(".").findLast(Boolean) ?? CURRENT_FOLDER_WORD;

const listFolderEntryNames = (folder: string, paths: ImportContext["paths"]): string[] => [
  ...paths.inFolder(folder).flatMap((path) => getPathName(path).split(".", 1)),
  ...paths.foldersIn(folder),
];

/** Names that refer to a file without containing its own name: of a package, crate, module or exact alias. */
function listAliasWords(path: string, aliases: ImportAliases): string[] {
  const isOfFolder = FOLDER_MODULE_NAME.test(getPathName(path).split(".", 1)[0] ?? "");
  const own = stripAllEndings(path);
  const names = [
    ...[...aliases.modules].flatMap(([name, folder]) => (getPathFolder(path) === folder ? [name] : [])),
    ...[...aliases.crates].flatMap(([name, folder]) => (isOfFolder && isFolderWithin(path, folder) ? [name] : [])),
    ...[...aliases.patterns.values(), ...aliases.packages.values()]
      .flat()
      .flatMap(({ name, targets }) =>
        !name.includes("*") && targets.some((target) => own === stripAllEndings(target) || own === `${target}/index`)
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

const stripAllEndings = (path: string): string => path.replace(/(?<=[^/])\.[^/]*$/, "");

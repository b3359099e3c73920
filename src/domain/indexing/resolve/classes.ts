import { above, folderOf, fromTop } from "../../stack/folder.ts";
import type { Namespace } from "./aliases.ts";
import type { Known, Resolver } from "./known.ts";
import { closest, closestEnding, endsWith, follow } from "./paths.ts";

/** Java: a class is a file below its package. Nested names resolve to the file of their class. */
export const javaTargets: Resolver = (from, { specifier }, known) => {
  const parts = specifier.replace(/^static\s+/, "").split(".");
  if (parts.at(-1) === "*") {
    const inside = filesOf(parts.slice(0, -1), from, "java", known);
    return inside.length > 0 ? inside : [classAt(parts.slice(0, -1), from, "java", known)];
  }
  // `com.acme.Orders.Line`, or one of its constants: the first capitalized part is the class.
  const first = parts.findIndex((part) => /^[A-Z]/.test(part));
  const lengths = [parts.length, first + 1, parts.length - 1].filter((length) => length > 0);
  const found = lengths.map((length) => classAt(parts.slice(0, length), from, "java", known));
  return [found.find((each) => each !== undefined)];
};

/** C#: a namespace is a project folder, or a folder whose path ends with it. A class is its file. */
export const csharpTargets: Resolver = (from, { specifier }, known) => {
  const name = specifier.replace(/^(?:static\s+|global::)+/, "");
  if (/^(?:System|Microsoft|Windows)(?:\.|$)/.test(name)) return [];
  const folder = folderIn(known.aliases.namespaces, "csharp", name);
  const own = folder === undefined ? [] : ending(known.paths.inFolder(folder), "cs");
  if (own.length > 0) return own;
  const parts = name.split(".");
  const dotted = filesOf(parts, from, "cs", known);
  if (dotted.length > 0) return dotted;
  const around = folderIn(known.aliases.namespaces, "csharp", parts.slice(0, -1).join("."));
  const file = around === undefined ? undefined : fromTop(around, `${parts.at(-1)}.cs`);
  if (file !== undefined && known.paths.has(file)) return [file];
  return parts.length > 1 ? [classAt(parts, from, "cs", known)] : [];
};

/** PHP: a class by Composer's namespaces, else by path ending; or an included file. */
export const phpTargets: Resolver = (from, { specifier, names }, known) => {
  if (/\.(?:php|inc|phtml)$/.test(specifier)) return [included(from, specifier, known)];
  const parts = specifier
    .replace(/^(?:function|const)\s+/, "")
    .replace(/^\\/, "")
    .split("\\");
  const each = names.length === 0 ? [parts] : names.map((name) => [...parts, ...name.split("\\")]);
  return each.map((whole) => phpClass(whole, from, known));
};

function phpClass(parts: readonly string[], from: string, known: Known): string | undefined {
  const place = folderIn(known.aliases.namespaces, "php", parts.join("."));
  if (place !== undefined && known.paths.has(`${place}.php`)) return `${place}.php`;
  // Without a manifest, the first parts may refer to any folder.
  for (let at = 0; at < parts.length - 1; at++) {
    const file = closestEnding(from, `${parts.slice(at).join("/")}.php`, known.paths);
    if (file !== undefined) return file;
  }
  return undefined;
}

function included(from: string, specifier: string, { paths }: Known): string | undefined {
  const place = specifier.replace(/^(?:\.?\/)+/, "");
  const near = [folderOf(from), ...above(folderOf(from))]
    .flatMap((folder) => follow(folder, place) ?? [])
    .find((path) => paths.has(path));
  return near ?? closestEnding(from, place.replace(/^(?:\.\.\/)+/, ""), paths);
}

function folderIn(namespaces: readonly Namespace[], language: Namespace["language"], name: string): string | undefined {
  const around = namespaces.find(
    (each) => each.language === language && (name === each.prefix || name.startsWith(`${each.prefix}.`)),
  );
  if (around === undefined) return undefined;
  const rest = name.slice(around.prefix.length + 1);
  return rest === "" ? around.folder : fromTop(around.folder, rest.replaceAll(".", "/"));
}

const classAt = (parts: readonly string[], from: string, end: string, { paths }: Known): string | undefined =>
  closestEnding(from, `${parts.join("/")}.${end}`, paths);

/** Folder names may contain dots. */
function filesOf(parts: readonly string[], from: string, end: string, { paths }: Known): readonly string[] {
  const ended = parts.join("/");
  const folders = paths
    .foldersNamed(parts.at(-1) ?? "")
    .concat(paths.foldersNamed(parts.join(".")))
    .filter((folder) => endsWith(folder.replaceAll(".", "/"), ended) && ending(paths.inFolder(folder), end).length > 0);
  const folder = closest(from, folders);
  return folder === undefined ? [] : ending(paths.inFolder(folder), end);
}

const ending = (paths: readonly string[], end: string): string[] => paths.filter((path) => path.endsWith(`.${end}`));

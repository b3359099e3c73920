import { folderOf, nameOf } from "../../stack/folder.ts";
import type { Resolver } from "./known.ts";
import { closest, closestEnding, follow, type Paths } from "./paths.ts";

const HEADER = /\.(?:h|hh|hpp|hxx|h\+\+)$/;
const SOURCES = ["c", "cc", "cpp", "cxx"];

/** C and C++: a header next to the file, else by path ending, plus its source file. */
export const includeTargets: Resolver = (from, { specifier }, { paths }) => {
  const [, system] = /^<(.+)>$/.exec(specifier) ?? [];
  const header =
    system === undefined ? quoted(from, specifier.replace(/^"|"$/g, ""), paths) : angled(from, system, paths);
  return header === undefined ? [] : [header, sourceOf(header, from, paths)];
};

function quoted(from: string, name: string, paths: Paths): string | undefined {
  const place = follow(folderOf(from), name);
  if (place !== undefined && paths.has(place)) return place;
  return closestEnding(from, name.replace(/^(?:\.{1,2}\/)+/, ""), paths);
}

/** Compiler headers have no folder. Workspace headers are below `include`. */
const angled = (from: string, name: string, paths: Paths): string | undefined =>
  closestEnding(from, `include/${name}`, paths) ?? (name.includes("/") ? closestEnding(from, name, paths) : undefined);

/** The source file of the same name: in the same folder, or elsewhere if no other header has that name. */
function sourceOf(header: string, from: string, paths: Paths): string | undefined {
  if (!HEADER.test(header)) return undefined;
  const stem = header.replace(HEADER, "");
  const beside = SOURCES.map((end) => `${stem}.${end}`).find((path) => paths.has(path));
  const elsewhere =
    beside === undefined && paths.named(nameOf(header)).length === 1
      ? SOURCES.flatMap((end) => paths.named(`${nameOf(stem)}.${end}`))
      : [];
  const source = beside ?? closest(header, elsewhere);
  return source === from ? undefined : source;
}

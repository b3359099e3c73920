import { getPathFolder, getPathName } from "../../stack/folder.ts";
import type { ImportResolver } from "./known.ts";
import { findClosestPath, findClosestPathEnding, resolveRelativePath, type WorkspacePaths } from "./paths.ts";

const HEADER_ENDING = /\.(?:h|hh|hpp|hxx|h\+\+)$/;
const C_SOURCE_ENDINGS = ["c", "cc", "cpp", "cxx"];

/** C and C++: a header next to the file, else by path ending, plus its source file. */
export const resolveIncludeDirective: ImportResolver = (from, { specifier }, { paths }) => {
  const [, system] = /^<(.+)>$/.exec(specifier) ?? [];
  const header =
    system === undefined
      ? findQuotedHeader(from, specifier.replace(/^"|"$/g, ""), paths)
      : findAngledHeader(from, system, paths);
  return header === undefined ? [] : [header, findHeaderSource(header, from, paths)];
};

function findQuotedHeader(from: string, name: string, paths: WorkspacePaths): string | undefined {
  const place = resolveRelativePath(getPathFolder(from), name);
  if (place !== undefined && paths.has(place)) return place;
  return findClosestPathEnding(from, name.replace(/^(?:\.{1,2}\/)+/, ""), paths);
}

/** Compiler headers have no folder. Workspace headers are below `include`. */
const findAngledHeader = (from: string, name: string, paths: WorkspacePaths): string | undefined =>
  findClosestPathEnding(from, `include/${name}`, paths) ??
  (name.includes("/") ? findClosestPathEnding(from, name, paths) : undefined);

/** The source file of the same name: in the same folder, or elsewhere if no other header has that name. */
function findHeaderSource(header: string, from: string, paths: WorkspacePaths): string | undefined {
  if (!HEADER_ENDING.test(header)) return undefined;
  const stem = header.replace(HEADER_ENDING, "");
  const beside = C_SOURCE_ENDINGS.map((end) => `${stem}.${end}`).find((path) => paths.has(path));
  const elsewhere =
    beside === undefined && paths.named(getPathName(header)).length === 1
      ? C_SOURCE_ENDINGS.flatMap((end) => paths.named(`${getPathName(stem)}.${end}`))
      : [];
  const source = beside ?? findClosestPath(header, elsewhere);
  return source === from ? undefined : source;
}

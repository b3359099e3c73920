import { getPathFolder } from "../../stack/folder.ts";
import type { ImportResolver } from "./known.ts";
import { findClosestPathEnding, resolveRelativePath } from "./paths.ts";

/** Ruby: `./x` like `require_relative`, else by path ending, `lib` first. */
export const resolveRubyRequire: ImportResolver = (from, { specifier }, { paths }) => {
  const name = specifier.endsWith(".rb") ? specifier : `${specifier}.rb`;
  if (name.startsWith(".")) {
    const place = resolveRelativePath(getPathFolder(from), name);
    return place !== undefined && paths.has(place) ? [place] : [];
  }
  // A name without a folder may be a gem. Only one at the top of `lib` belongs to the workspace.
  const inLib = findClosestPathEnding(from, `lib/${name}`, paths);
  return [inLib ?? (name.includes("/") ? findClosestPathEnding(from, name, paths) : undefined)];
};

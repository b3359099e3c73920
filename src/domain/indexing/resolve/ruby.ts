import { folderOf } from "../../stack/folder.ts";
import type { Resolver } from "./known.ts";
import { closestEnding, follow } from "./paths.ts";

/** Ruby: `./x` like `require_relative`, else by path ending, `lib` first. */
export const rubyTargets: Resolver = (from, { specifier }, { paths }) => {
  const name = specifier.endsWith(".rb") ? specifier : `${specifier}.rb`;
  if (name.startsWith(".")) {
    const place = follow(folderOf(from), name);
    return place !== undefined && paths.has(place) ? [place] : [];
  }
  // A name without a folder may be a gem. Only one at the top of `lib` belongs to the workspace.
  const inLib = closestEnding(from, `lib/${name}`, paths);
  return [inLib ?? (name.includes("/") ? closestEnding(from, name, paths) : undefined)];
};

import { listAncestorFolders, getPathFolder, isFolderWithin, getPathName } from "../folder.ts";
import { readTreePath, readTreeSection } from "../manifest/manifest.ts";
import type { ControlPattern, StackProfile } from "../profile/profile.ts";
import { matchesNamePattern } from "./name-pattern.ts";
import type { ProjectFiles } from "./site.ts";

/** A file that decides how checks behave, with its relevant keys; without keys the whole file counts. */
export interface ControlReference {
  readonly path: string;
  readonly parts?: readonly string[];
}

const BELOW_PREFIX = "**/";
const INSTALLED_FOLDER = /(?:^|\/)(?:node_modules|vendor|\.venv|venv|target)\//;

/** Control files of each stack: in its folder, above it, and below it if the pattern allows. */
export function findControlFiles(
  site: ProjectFiles,
  stacks: readonly { profile: StackProfile; directory: string }[],
): ControlReference[] {
  const found = new Map<string, ControlReference>();
  const below = new Map<StackProfile, readonly ControlMatch[]>();
  for (const { profile, directory } of stacks) {
    const deep = below.get(profile) ?? findControlBelow(site, profile);
    below.set(profile, deep);
    const own = deep.filter(({ path }) => isFolderWithin(getPathFolder(path), directory));
    // The first matching pattern decides which keys count.
    const byPath = new Map(
      [...findControlAbove(site, profile, directory), ...own].toReversed().map((file) => [file.path, file]),
    );
    for (const { path, parts } of byPath.values())
      found.set(`${path} ${parts?.join() ?? ""}`, { path, ...(parts ? { parts } : {}) });
  }
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

interface ControlMatch {
  readonly path: string;
  readonly parts?: readonly string[] | undefined;
}

function findControlAbove(site: ProjectFiles, profile: StackProfile, directory: string): ControlMatch[] {
  return profile.control.flatMap(({ file, parts }) => {
    const name = file.startsWith(BELOW_PREFIX) ? file.slice(BELOW_PREFIX.length) : file;
    return [directory, ...listAncestorFolders(directory)].flatMap((folder) =>
      site.matching(folder, name).map((path) => ({ path, parts })),
    );
  });
}

/** In any folder. Compares each distinct file name once. */
function findControlBelow(site: ProjectFiles, profile: StackProfile): ControlMatch[] {
  const patterns = profile.control.filter(({ file }) => file.startsWith(BELOW_PREFIX));
  const known = new Map<string, ControlPattern | undefined>();
  const found: ControlMatch[] = [];
  for (const path of patterns.length > 0 ? site.paths : []) {
    const name = getPathName(path);
    if (!known.has(name))
      known.set(
        name,
        patterns.find(({ file }) => matchesNamePattern(file.slice(BELOW_PREFIX.length), name)),
      );
    const pattern = known.get(name);
    if (pattern && !INSTALLED_FOLDER.test(path)) found.push({ path, parts: pattern.parts });
  }
  return found;
}

/** A deeper tree counts as a whole file. */
const DEEPEST_CONTROL_TREE = 60;

/** The relevant keys in a form that ignores order and layout. */
export function formatControlParts(tree: unknown, parts: readonly string[]): string | undefined {
  try {
    return JSON.stringify(parts.map((part) => [part, sortControlValue(readTreeSection(tree, part), 0)]));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function sortControlValue(value: unknown, depth: number): unknown {
  if (depth > DEEPEST_CONTROL_TREE) throw new RangeError("Too deep.");
  if (Array.isArray(value)) return value.map((item) => sortControlValue(item, depth + 1));
  if (typeof value !== "object" || value === null) return typeof value === "bigint" ? String(value) : (value ?? null);
  const keys = Object.keys(value);
  if (keys.length === 0) return [String(JSON.stringify(value))];
  return keys.toSorted().map((key) => [key, sortControlValue(readTreePath(value, [key]), depth + 1)]);
}

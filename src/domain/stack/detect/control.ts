import { above, folderOf, isWithin, nameOf } from "../folder.ts";
import { at, section } from "../manifest/manifest.ts";
import type { ControlPattern, Profile } from "../profile/profile.ts";
import { nameMatches } from "./name-pattern.ts";
import type { Site } from "./site.ts";

/** A file that decides how checks behave, with its relevant keys; without keys the whole file counts. */
export interface Control {
  readonly path: string;
  readonly parts?: readonly string[];
}

const BELOW = "**/";
const INSTALLED = /(?:^|\/)(?:node_modules|vendor|\.venv|venv|target)\//;

/** Control files of each stack: in its folder, above it, and below it if the pattern allows. */
export function controlIn(site: Site, stacks: readonly { profile: Profile; directory: string }[]): Control[] {
  const found = new Map<string, Control>();
  const below = new Map<Profile, readonly Found[]>();
  for (const { profile, directory } of stacks) {
    const deep = below.get(profile) ?? belowAnywhere(site, profile);
    below.set(profile, deep);
    const own = deep.filter(({ path }) => isWithin(folderOf(path), directory));
    // The first matching pattern decides which keys count.
    const byPath = new Map([...around(site, profile, directory), ...own].toReversed().map((file) => [file.path, file]));
    for (const { path, parts } of byPath.values())
      found.set(`${path} ${parts?.join() ?? ""}`, { path, ...(parts ? { parts } : {}) });
  }
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

interface Found {
  readonly path: string;
  readonly parts?: readonly string[] | undefined;
}

function around(site: Site, profile: Profile, directory: string): Found[] {
  return profile.control.flatMap(({ file, parts }) => {
    const name = file.startsWith(BELOW) ? file.slice(BELOW.length) : file;
    return [directory, ...above(directory)].flatMap((folder) =>
      site.matching(folder, name).map((path) => ({ path, parts })),
    );
  });
}

/** In any folder. Compares each distinct file name once. */
function belowAnywhere(site: Site, profile: Profile): Found[] {
  const patterns = profile.control.filter(({ file }) => file.startsWith(BELOW));
  const known = new Map<string, ControlPattern | undefined>();
  const found: Found[] = [];
  for (const path of patterns.length > 0 ? site.paths : []) {
    const name = nameOf(path);
    if (!known.has(name))
      known.set(
        name,
        patterns.find(({ file }) => nameMatches(file.slice(BELOW.length), name)),
      );
    const pattern = known.get(name);
    if (pattern && !INSTALLED.test(path)) found.push({ path, parts: pattern.parts });
  }
  return found;
}

/** A deeper tree counts as a whole file. */
const DEEPEST = 60;

/** The relevant keys in a form that ignores order and layout. */
export function partsOf(tree: unknown, parts: readonly string[]): string | undefined {
  try {
    return JSON.stringify(parts.map((part) => [part, ordered(section(tree, part), 0)]));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function ordered(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) throw new RangeError("Too deep.");
  if (Array.isArray(value)) return value.map((item) => ordered(item, depth + 1));
  if (typeof value !== "object" || value === null) return typeof value === "bigint" ? String(value) : (value ?? null);
  const keys = Object.keys(value);
  if (keys.length === 0) return [String(JSON.stringify(value))];
  return keys.toSorted().map((key) => [key, ordered(at(value, [key]), depth + 1)]);
}

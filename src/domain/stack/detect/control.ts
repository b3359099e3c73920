import { matchesGlob } from "../../workflow/glob.ts";
import { at, section } from "../manifest/manifest.ts";
import type { ControlPattern, Profile } from "../profile/profile.ts";
import { above, folderOf, isWithin, type Site } from "./site.ts";

/** A file that decides what checks do, with the keys of it that count; nothing where all of it does. */
export interface Control {
  readonly path: string;
  readonly parts?: readonly string[];
}

const BELOW = "**/";
/** What packages bring along is theirs. */
const INSTALLED = /(?:^|\/)(?:node_modules|vendor|\.venv|venv|target)\//;

/** Every such file of a stack: in its folder, above it, and below it where the pattern says so. */
export function controlOf(site: Site, profile: Profile, directory: string): Control[] {
  const found = new Map<string, ControlPattern>();
  const take = (path: string, pattern: ControlPattern): void => {
    if (!found.has(path)) found.set(path, pattern);
  };
  for (const pattern of profile.control) {
    const name = pattern.file.startsWith(BELOW) ? pattern.file.slice(BELOW.length) : pattern.file;
    for (const folder of [directory, ...above(directory)])
      for (const path of site.matching(folder, name)) take(path, pattern);
  }
  const deep = profile.control.filter(({ file }) => file.startsWith(BELOW));
  for (const [path, pattern] of belowOf(site, directory, deep)) take(path, pattern);
  return [...found]
    .map(([path, { parts }]) => ({ path, ...(parts ? { parts } : {}) }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** A name is compared once, however many folders have a file of it. */
function* belowOf(
  site: Site,
  directory: string,
  patterns: readonly ControlPattern[],
): Generator<[path: string, pattern: ControlPattern]> {
  const known = new Map<string, ControlPattern | undefined>();
  for (const path of site.paths) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (!known.has(name))
      known.set(
        name,
        patterns.find(({ file }) => matchesGlob(file.slice(BELOW.length), name)),
      );
    const pattern = known.get(name);
    if (pattern && isWithin(folderOf(path), directory) && !INSTALLED.test(path)) yield [path, pattern];
  }
}

/** Deeper than any manifest; what is deeper counts as a whole. */
const DEEPEST = 60;

/** What counts of a manifest, in a form in which order and layout do not matter. */
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

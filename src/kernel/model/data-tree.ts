import { parse as parseToml } from "smol-toml";

const LONGEST_TOML = 262_144;
const DEEPEST_TOML = 50;

/** Returns nothing for text that is not TOML, too long or too deep. */
export function parseTomlText(text: string): unknown {
  if (text.length > LONGEST_TOML) return undefined;
  try {
    return parseToml(text, { maxDepth: DEEPEST_TOML, integersAsBigInt: "asNeeded" });
  } catch {
    return undefined;
  }
}

/** Only own keys count, whatever their names. */
export function readTreePath(tree: unknown, keys: readonly string[]): unknown {
  let here = tree;
  for (const key of keys) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Readonly<Record<string, unknown>>)[key];
  }
  return here;
}

/** A dotted name such as `tool.ruff`, or `package.build`. */
export const readTreeSection = (tree: unknown, name: string): unknown => readTreePath(tree, name.split("."));

export const listTreeEntries = (value: unknown): [key: string, value: unknown][] =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];

export const listStringItems = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];

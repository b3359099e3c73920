export interface ProjectManifest {
  readonly dependencies: ReadonlySet<string>;
  readonly scripts: ReadonlyMap<string, string>;
  readonly targets: ReadonlyMap<string, readonly string[]>;
  /** The parsed content, for section lookups; undefined if unreadable. */
  readonly tree?: unknown;
}

export const EMPTY_MANIFEST: ProjectManifest = { dependencies: new Set(), scripts: new Map(), targets: new Map() };

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

export const listMappingKeys = (value: unknown): string[] =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : [];

export const listStringItems = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];

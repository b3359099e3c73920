/** What a manifest says, as far as stacks go. */
export interface Manifest {
  readonly dependencies: ReadonlySet<string>;
  /** Scripts by name, as `package.json` has them. */
  readonly scripts: ReadonlyMap<string, string>;
  /** Targets of a Makefile, each with the lines that it runs. */
  readonly targets: ReadonlyMap<string, readonly string[]>;
  /** All of it, to look for sections in; nothing where it cannot be read. */
  readonly tree?: unknown;
}

export const NO_MANIFEST: Manifest = { dependencies: new Set(), scripts: new Map(), targets: new Map() };

/** What stands at a path of keys; only a thing's own keys count, whatever they are called. */
export function at(tree: unknown, keys: readonly string[]): unknown {
  let here = tree;
  for (const key of keys) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Readonly<Record<string, unknown>>)[key];
  }
  return here;
}

/** A dotted name such as `tool.ruff`, or `package.build`. */
export const section = (tree: unknown, name: string): unknown => at(tree, name.split("."));

export const keysOf = (value: unknown): string[] =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : [];

export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];

import type { Import } from "../outline.ts";
import { includeTargets } from "./c.ts";
import { csharpTargets, javaTargets, phpTargets } from "./classes.ts";
import { goTargets } from "./go.ts";
import type { Known, Resolver } from "./known.ts";
import { pythonTargets } from "./python.ts";
import { rubyTargets } from "./ruby.ts";
import { rustTargets } from "./rust.ts";
import { scriptTargets } from "./scripts.ts";

const RESOLVERS: Readonly<Partial<Record<string, Resolver>>> = {
  javascript: scriptTargets,
  typescript: scriptTargets,
  tsx: scriptTargets,
  python: pythonTargets,
  go: goTargets,
  rust: rustTargets,
  java: javaTargets,
  csharp: csharpTargets,
  php: phpTargets,
  c: includeTargets,
  cpp: includeTargets,
  ruby: rubyTargets,
};

/** Workspace files by import specifier. External imports are left out. */
export function targetsOf(
  from: string,
  language: string,
  imports: readonly Pick<Import, "specifier" | "names">[],
  known: Known,
): ReadonlyMap<string, readonly string[]> {
  const resolve = RESOLVERS[language];
  const targets = new Map<string, readonly string[]>();
  if (resolve === undefined) return targets;
  for (const wanted of imports) {
    const meant = resolve(from, wanted, known).filter((path) => path !== undefined);
    const all = new Set([...(targets.get(wanted.specifier) ?? []), ...meant.filter((path) => path !== from)]);
    if (all.size > 0) targets.set(wanted.specifier, [...all].toSorted());
  }
  return targets;
}

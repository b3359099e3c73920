import type { CodeImport } from "../outline.ts";
import { resolveIncludeDirective } from "./c.ts";
import { resolveCsharpImport, resolveJavaImport, resolvePhpImport } from "./classes.ts";
import { resolveGoImport } from "./go.ts";
import type { ImportContext, ImportResolver } from "./known.ts";
import { resolvePythonImport } from "./python.ts";
import { resolveRubyRequire } from "./ruby.ts";
import { resolveRustImport } from "./rust.ts";
import { resolveScriptImport } from "./scripts.ts";

const IMPORT_RESOLVERS: Readonly<Partial<Record<string, ImportResolver>>> = {
  javascript: resolveScriptImport,
  typescript: resolveScriptImport,
  tsx: resolveScriptImport,
  python: resolvePythonImport,
  go: resolveGoImport,
  rust: resolveRustImport,
  java: resolveJavaImport,
  csharp: resolveCsharpImport,
  php: resolvePhpImport,
  c: resolveIncludeDirective,
  cpp: resolveIncludeDirective,
  ruby: resolveRubyRequire,
};

/** Workspace files by import specifier. External imports are left out. */
export function resolveImportTargets(
  from: string,
  language: string,
  imports: readonly Pick<CodeImport, "specifier" | "names">[],
  known: ImportContext,
): ReadonlyMap<string, readonly string[]> {
  const resolve = IMPORT_RESOLVERS[language];
  const targets = new Map<string, readonly string[]>();
  if (resolve === undefined) return targets;
  for (const wanted of imports) {
    const meant = resolve(from, wanted, known).filter((path) => path !== undefined);
    const all = new Set([...(targets.get(wanted.specifier) ?? []), ...meant.filter((path) => path !== from)]);
    if (all.size > 0) targets.set(wanted.specifier, [...all].toSorted());
  }
  return targets;
}

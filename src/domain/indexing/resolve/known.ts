import type { CodeImport } from "../outline.ts";
import type { ImportAliases } from "./aliases.ts";
import type { WorkspacePaths } from "./paths.ts";

export interface ImportContext {
  readonly paths: WorkspacePaths;
  readonly aliases: ImportAliases;
}

/** Returns the files that an import refers to, by the path rules of the language. Returns none for external imports. */
export type ImportResolver = (
  from: string,
  wanted: Pick<CodeImport, "specifier" | "names">,
  known: ImportContext,
) => readonly (string | undefined)[];

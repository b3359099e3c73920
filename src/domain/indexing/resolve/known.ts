import type { Import } from "../outline.ts";
import type { Aliases } from "./aliases.ts";
import type { Paths } from "./paths.ts";

export interface Known {
  readonly paths: Paths;
  readonly aliases: Aliases;
}

/** Returns the files that an import refers to, by the path rules of the language. Returns none for external imports. */
export type Resolver = (
  from: string,
  wanted: Pick<Import, "specifier" | "names">,
  known: Known,
) => readonly (string | undefined)[];

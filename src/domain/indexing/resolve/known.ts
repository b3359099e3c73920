import type { Import } from "../outline.ts";
import type { Aliases } from "./aliases.ts";
import type { Paths } from "./paths.ts";

/** What imports are resolved against. */
export interface Known {
  readonly paths: Paths;
  readonly aliases: Aliases;
}

/** The files that an import of a file means, by the rules of its language as far as paths tell; none for what is foreign. */
export type Resolver = (
  from: string,
  wanted: Pick<Import, "specifier" | "names">,
  known: Known,
) => readonly (string | undefined)[];

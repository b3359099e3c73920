import type { Definitions } from "#domain/stack/definitions.ts";

/** What decides how gates judge, read from the working files or from a commit. */
export interface Stacks {
  /** Of the working files, or of a commit; nothing when git does not know the commit. */
  definitions(commit?: string): Promise<Definitions | undefined>;
}

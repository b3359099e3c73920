/** Everything that could be run in a repository, as a user has to see it before any of it is. */
export interface TrustedSurface {
  /** SHA-256 over all of it. */
  readonly hash: string;
  /** The exact commands, one a line, with the folder each runs in. */
  readonly commands: readonly string[];
  /** The files that decide what they do, with the hash of what counts of each. */
  readonly files: readonly { readonly path: string; readonly hash: string }[];
}

import type { TrustedSurface } from "#domain/stack/surface.ts";

/** What a user allowed to run in a repository, kept outside of it. */
export interface Granted {
  readonly surface: TrustedSurface;
  readonly at: string;
  /** Names of the user's own variables that checks may see. */
  readonly passes: readonly string[];
}

export interface Trust {
  /** What was allowed last for this repository at this place; nothing if never, or if it was taken back. */
  granted(): Promise<Granted | undefined>;
  grant(granted: Granted): Promise<void>;
  revoke(): Promise<void>;
  /** The hash that the caller vouches for, for this call alone. */
  readonly given?: string;
}

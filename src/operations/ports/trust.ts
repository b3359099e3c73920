import type { TrustedSurface } from "#domain/stack/surface.ts";

export interface Granted {
  readonly surface: TrustedSurface;
  readonly at: string;
  readonly passes: readonly string[];
}

export interface Trust {
  /** The last permission for this repository at this path. Undefined if never given or revoked. */
  granted(): Promise<Granted | undefined>;
  grant(granted: Granted): Promise<void>;
  revoke(): Promise<void>;
  /** The hash that the caller trusts for this call only. */
  readonly given?: string;
}

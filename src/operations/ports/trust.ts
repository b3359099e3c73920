import type { TrustedSurface } from "#domain/stack/surface.ts";

export interface TrustGrant {
  readonly surface: TrustedSurface;
  readonly at: string;
  readonly passes: readonly string[];
}

export interface TrustStore {
  /** The last permission for this repository at this path. Undefined if never given or revoked. */
  granted(): Promise<TrustGrant | undefined>;
  grant(granted: TrustGrant): Promise<void>;
  revoke(): Promise<void>;
  /** The hash that the caller trusts for this call only. */
  readonly given?: string;
}

import type { Config } from "#domain/workspace/config.ts";
import type { JournalEvent } from "#domain/workflow/fold.ts";
import type { JournalPart, JournalPlace } from "#operations/ports/journal.ts";
import type { HeldLease } from "#operations/ports/store.ts";

/** What the ledger keeps, by space and name. */
export interface Kept {
  readonly kept: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  readonly leases: ReadonlyMap<string, HeldLease>;
}

/** What a hook needs from the house behind it. Each part is loaded when it is asked for: most calls ask for few. */
export interface HookHouse {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the user's own data is kept. */
  readonly dataFolder: string;
  now(): string;
  /** The workspace at or above a folder. */
  rootAt(folder: string): string | undefined;
  /** Where a workspace has its ledger, and what that calls its checkout; nothing where git's folder cannot be followed. */
  ledgerOf(root: string): { readonly file: string; readonly checkout: string } | undefined;
  /** Writes a line into the journal; false when it could not. */
  append(
    root: string,
    note: {
      readonly event: JournalEvent;
      readonly session: string;
      readonly paths?: readonly string[];
      readonly told?: string | undefined;
    },
  ): boolean;
  /** One look at a ledger; nothing where it keeps nothing, a fault where it cannot be read. */
  kept(file: string): Promise<Kept | undefined>;
  unread(root: string, checkout: string, places: ReadonlyMap<string, JournalPlace>): Promise<readonly JournalPart[]>;
  settings(text: string): Promise<Config>;
  /** Files that git has not got yet; nothing where it cannot say in time. */
  uncommitted(root: string): Promise<readonly string[] | undefined>;
  asset(name: string): string;
}

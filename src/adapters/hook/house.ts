import type { Config } from "#domain/workspace/config.ts";
import type { JournalEventName } from "#domain/workflow/fold.ts";
import type { JournalPart, JournalPosition } from "#operations/ports/journal.ts";
import type { HeldStoreLease } from "#operations/ports/store.ts";

export interface LedgerContent {
  readonly kept: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  readonly leases: ReadonlyMap<string, HeldStoreLease>;
}

/** Services a hook may need. Each loads on first use, because most calls need few. */
export interface HookServices {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly dataFolder: string;
  now(): string;
  rootAt(folder: string): string | undefined;
  /** Undefined if git's folder cannot be resolved. */
  ledgerOf(root: string): { readonly file: string; readonly checkout: string } | undefined;
  append(
    root: string,
    note: {
      readonly event: JournalEventName;
      readonly session: string;
      readonly paths?: readonly string[];
      readonly told?: string | undefined;
    },
  ): boolean;
  /** Undefined if the ledger is empty. Faults if it cannot be read. */
  kept(file: string): Promise<LedgerContent | undefined>;
  unread(root: string, checkout: string, places: ReadonlyMap<string, JournalPosition>): Promise<readonly JournalPart[]>;
  settings(text: string): Promise<Config>;
  uncommitted(root: string): Promise<readonly string[] | undefined>;
  asset(name: string): string;
}

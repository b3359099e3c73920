import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";

/** The current files of the workspace. Reading never writes and never blocks. */
export interface StoreTree {
  text(path: WorkspacePath): string | undefined;
  /** Checks checksum and shape. A damaged record throws, a missing one is undefined. */
  record<T extends RevisedRecord>(path: WorkspacePath, shape: StoredRecordShape<T>): T | undefined;
  /** Like `record`, but accepts a hand edit with a valid shape. */
  unsealed<T extends RevisedRecord>(path: WorkspacePath, shape: StoredRecordShape<T>): T | undefined;
  /** Sorted. Empty if the folder does not exist. */
  names(folder: WorkspacePath): readonly string[];
  has(path: WorkspacePath): boolean;
  kept<T>(space: LedgerSpace<T>): ReadonlyMap<string, T>;
  lease(name: string): HeldStoreLease | undefined;
}

export interface LedgerSpace<T> {
  readonly name: string;
  /** Only carries the type for the compiler. */
  readonly holds?: T;
}

export interface LedgerEntry {
  readonly space: string;
  readonly key: string;
  readonly value?: unknown;
}

export interface LockedStoreTree extends StoreTree {
  /** The last number assigned under this name. 0 at first. */
  counter(name: string): number;
}

export interface RevisedRecord {
  readonly schema: number;
  readonly rev: number;
}

export interface StoredRecordShape<T extends RevisedRecord> {
  readonly schema: T["schema"];
  problem(value: unknown): string | undefined;
  readonly trust: (value: unknown) => T;
}

export type StoreStep =
  | { readonly kind: "document"; readonly path: WorkspacePath; readonly text: string }
  /** `record.rev` must be one more than the stored revision, and its shape must be valid. */
  | {
      readonly kind: "record";
      readonly path: WorkspacePath;
      readonly record: RevisedRecord;
      readonly shape: Pick<StoredRecordShape<RevisedRecord>, "problem">;
    }
  | { readonly kind: "move"; readonly from: WorkspacePath; readonly to: WorkspacePath };

export interface StoreOccurrence {
  readonly kind: string;
  readonly subject: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The complete write, decided before anything changes. Records are written last, so that they confirm the rest. */
export interface StorePlan<T> {
  readonly steps: readonly StoreStep[];
  readonly occurrences: readonly StoreOccurrence[];
  readonly counters?: Readonly<Record<string, number>>;
  readonly keeps?: readonly LedgerEntry[];
  readonly grants?: readonly LeaseGrant[];
  readonly releases?: readonly string[];
  readonly lease?: StoreLease;
  readonly result: T;
}

/** A lasting right. `token` grows with each holder, and writes with an older token are rejected. */
export interface StoreLease {
  readonly name: string;
  readonly holder: string;
  readonly token: number;
}

export interface HeldStoreLease extends StoreLease {
  readonly isLive: boolean;
}

export interface LeaseGrant extends Omit<StoreLease, "token"> {
  readonly ttlMs: number;
}

export interface LeaseStore {
  acquire(name: string, holder: string, ttlMs: number): Promise<StoreLease | undefined>;
  renew(lease: StoreLease, ttlMs: number): Promise<void>;
  release(lease: StoreLease): Promise<void>;
}

export interface PendingWrite {
  readonly id: string;
  readonly isHere: boolean;
  readonly at: string;
  readonly paths: readonly string[];
}

export interface LedgerHealth {
  readonly file: string;
  readonly exists: boolean;
  readonly problem?: { readonly found: string; readonly fix: string };
  readonly pending: readonly PendingWrite[];
  readonly leases: readonly StoreLease[];
  readonly events: number;
}

export interface LedgerRestore {
  readonly isReplaced: boolean;
  /** The newest good copy, with the values of its time. */
  readonly copy?: {
    readonly file: string;
    readonly at: string;
    kept<T>(space: LedgerSpace<T>): ReadonlyMap<string, T>;
  };
  /** Where the damaged ledger is now. */
  readonly aside?: string;
  readonly damagedCopies: readonly string[];
}

export interface StoredEvent extends StoreOccurrence {
  readonly seq: number;
  readonly id: string;
  readonly at: string;
  /** Milliseconds of the write. Missing if another process finished it. */
  readonly ms?: number;
}

export interface Store {
  readonly leases: LeaseStore;
  /** Whether other machines share the ledger. */
  readonly isTeam?: boolean;
  /** The user of a team's database. */
  readonly member?: string | undefined;
  read<T>(look: (tree: StoreTree) => T): Promise<T>;
  /**
   * Decides under the store lock, then applies the plan completely or not at all. The write is on disk when this
   * returns. `decide` may run again if the files changed meanwhile.
   */
  write<T>(decide: (tree: LockedStoreTree) => StorePlan<T>): Promise<T>;
  /** Runs work that only one process may do at a time. The claim ends with the process; a long wait gives a fault. */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Whether a process does such work now. */
  isBusy(name: string): Promise<boolean>;
  events(after: number, most?: number): Promise<readonly StoredEvent[]>;
  eventsEverywhere(after: number, most?: number): Promise<readonly StoredEvent[]>;
  position(): Promise<number>;
  pending(): Promise<readonly PendingWrite[]>;
  health(): Promise<LedgerHealth>;
  /** Replaces a damaged or missing ledger by its newest good copy. A sound one stays as it is. */
  restore(): Promise<LedgerRestore>;
}

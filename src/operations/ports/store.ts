import type { Path } from "#domain/workspace/path.ts";

/** The workspace's files as they are now. Looking never writes and never waits. */
export interface Tree {
  /** The text of a file, or nothing if there is none. */
  text(path: Path): string | undefined;
  /** A record whose seal and shape are checked; a damaged one is a fault, a missing one is nothing. */
  record<T extends Revised>(path: Path, shape: RecordShape<T>): T | undefined;
  /** As `record`, but a hand edit is let through if its shape is right: for those who accept such edits. */
  unsealed<T extends Revised>(path: Path, shape: RecordShape<T>): T | undefined;
  /** What a folder holds, sorted; nothing if there is no such folder. */
  names(folder: Path): readonly string[];
  has(path: Path): boolean;
  /** What the ledger keeps in a space, by name; every worktree sees the same. */
  kept<T>(space: Space<T>): ReadonlyMap<string, T>;
  /** Who has, or last had, the lease of this name; nothing if nobody ever had. */
  lease(name: string): HeldLease | undefined;
}

/** A kind of thing that the ledger keeps while it is under way, such as workflows or locks. */
export interface Space<T> {
  readonly name: string;
  /** Only for the compiler, which would forget what the space holds. */
  readonly holds?: T;
}

/** What the ledger is to keep under a name, or to forget where there is no value. */
export interface Keeping {
  readonly space: string;
  readonly key: string;
  readonly value?: unknown;
}

/** A tree as seen by whoever holds the lock. */
export interface LockedTree extends Tree {
  /** The last number given out under this name; 0 at first. */
  counter(name: string): number;
}

export interface Revised {
  readonly schema: number;
  readonly rev: number;
}

export interface RecordShape<T extends Revised> {
  readonly schema: T["schema"];
  /** Why the value is not such a record, or nothing. */
  problem(value: unknown): string | undefined;
  readonly trust: (value: unknown) => T;
}

export type Step =
  | { readonly kind: "document"; readonly path: Path; readonly text: string }
  /** `record.rev` must be one more than the revision that is there, and its shape must hold. */
  | {
      readonly kind: "record";
      readonly path: Path;
      readonly record: Revised;
      readonly shape: Pick<RecordShape<Revised>, "problem">;
    }
  | { readonly kind: "move"; readonly from: Path; readonly to: Path };

/** Something that happened, as the ledger keeps it and observers hear it. */
export interface Occurrence {
  readonly kind: string;
  readonly subject: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** What a write will do, decided whole before anything is touched. Records go last, so that they vouch for the rest. */
export interface Plan<T> {
  readonly steps: readonly Step[];
  readonly occurrences: readonly Occurrence[];
  readonly counters?: Readonly<Record<string, number>>;
  readonly keeps?: readonly Keeping[];
  /** Leases that somebody gets, or goes on holding, with this write. Whether it may is the decision's to say. */
  readonly grants?: readonly Grant[];
  /** Leases that are given up with this write, by name. */
  readonly releases?: readonly string[];
  /** A holder of a lease writes only while it still holds it. */
  readonly lease?: Lease;
  readonly result: T;
}

/** The right to do something that lasts; `token` grows with each holder, and writes with an older one are refused. */
export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly token: number;
}

/** A lease as a look finds it. */
export interface HeldLease extends Lease {
  /** Whether it still holds: one that ran out says only who had it. */
  readonly isLive: boolean;
}

export interface Grant {
  readonly name: string;
  readonly holder: string;
  readonly ttlMs: number;
}

export interface Leases {
  /** Nothing when somebody else holds it. */
  acquire(name: string, holder: string, ttlMs: number): Promise<Lease | undefined>;
  /** Faults when the lease was lost meanwhile. */
  renew(lease: Lease, ttlMs: number): Promise<void>;
  release(lease: Lease): Promise<void>;
}

export interface PendingWrite {
  readonly id: string;
  /** Whether it was to this checkout, and not to another worktree. */
  readonly isHere: boolean;
  readonly at: string;
  readonly paths: readonly string[];
}

export interface LedgerHealth {
  readonly file: string;
  readonly exists: boolean;
  /** Nothing when the ledger is sound. */
  readonly problem?: { readonly found: string; readonly fix: string };
  readonly pending: readonly PendingWrite[];
  readonly leases: readonly Lease[];
  readonly events: number;
}

export interface RecordedEvent extends Occurrence {
  readonly seq: number;
  readonly id: string;
  readonly at: string;
  /** Milliseconds from the beginning of the write to its end; nothing where somebody else finished it. */
  readonly ms?: number;
}

/** Files, records and the ledger behind one door. */
export interface Store {
  readonly leases: Leases;
  read<T>(look: (tree: Tree) => T): Promise<T>;
  /**
   * Decides under the lock, then carries the plan out whole or not at all. When it returns, the write is on the disk.
   * `decide` may run again if the world changed under it.
   */
  write<T>(decide: (tree: LockedTree) => Plan<T>): Promise<T>;
  /**
   * Does what only one process of the repository may do at a time, however long it takes. The claim ends with the
   * process, whatever becomes of it; whoever waits for too long is told.
   */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Events of this checkout after `seq`, oldest first; at most so many. */
  events(after: number, most?: number): Promise<readonly RecordedEvent[]>;
  /** Events of every worktree. */
  eventsEverywhere(after: number, most?: number): Promise<readonly RecordedEvent[]>;
  /** The number of the newest event; 0 when there is none. */
  position(): Promise<number>;
  /** Writes to this workspace that somebody began and did not finish. */
  pending(): Promise<readonly PendingWrite[]>;
  /** A close look at the ledger, for a diagnosis. */
  health(): Promise<LedgerHealth>;
}

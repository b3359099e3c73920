import type { Path } from "#domain/workspace/path.ts";

/** The current files of the workspace. Reading never writes and never blocks. */
export interface Tree {
  text(path: Path): string | undefined;
  /** Checks checksum and shape. A damaged record throws, a missing one is undefined. */
  record<T extends Revised>(path: Path, shape: RecordShape<T>): T | undefined;
  /** Like `record`, but accepts a hand edit with a valid shape. */
  unsealed<T extends Revised>(path: Path, shape: RecordShape<T>): T | undefined;
  /** Sorted. Empty if the folder does not exist. */
  names(folder: Path): readonly string[];
  has(path: Path): boolean;
  kept<T>(space: Space<T>): ReadonlyMap<string, T>;
  lease(name: string): HeldLease | undefined;
}

export interface Space<T> {
  readonly name: string;
  /** Only carries the type for the compiler. */
  readonly holds?: T;
}

export interface Keeping {
  readonly space: string;
  readonly key: string;
  readonly value?: unknown;
}

export interface LockedTree extends Tree {
  /** The last number assigned under this name. 0 at first. */
  counter(name: string): number;
}

export interface Revised {
  readonly schema: number;
  readonly rev: number;
}

export interface RecordShape<T extends Revised> {
  readonly schema: T["schema"];
  problem(value: unknown): string | undefined;
  readonly trust: (value: unknown) => T;
}

export type Step =
  | { readonly kind: "document"; readonly path: Path; readonly text: string }
  /** `record.rev` must be one more than the stored revision, and its shape must be valid. */
  | {
      readonly kind: "record";
      readonly path: Path;
      readonly record: Revised;
      readonly shape: Pick<RecordShape<Revised>, "problem">;
    }
  | { readonly kind: "move"; readonly from: Path; readonly to: Path };

export interface Occurrence {
  readonly kind: string;
  readonly subject: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The complete write, decided before anything changes. Records are written last, so that they confirm the rest. */
export interface Plan<T> {
  readonly steps: readonly Step[];
  readonly occurrences: readonly Occurrence[];
  readonly counters?: Readonly<Record<string, number>>;
  readonly keeps?: readonly Keeping[];
  readonly grants?: readonly Grant[];
  readonly releases?: readonly string[];
  readonly lease?: Lease;
  readonly result: T;
}

/** A lasting right. `token` grows with each holder, and writes with an older token are rejected. */
export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly token: number;
}

export interface HeldLease extends Lease {
  readonly isLive: boolean;
}

export interface Grant {
  readonly name: string;
  readonly holder: string;
  readonly ttlMs: number;
}

export interface Leases {
  acquire(name: string, holder: string, ttlMs: number): Promise<Lease | undefined>;
  renew(lease: Lease, ttlMs: number): Promise<void>;
  release(lease: Lease): Promise<void>;
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
  readonly leases: readonly Lease[];
  readonly events: number;
}

export interface RecordedEvent extends Occurrence {
  readonly seq: number;
  readonly id: string;
  readonly at: string;
  /** Milliseconds of the write. Missing if another process finished it. */
  readonly ms?: number;
}

export interface Store {
  readonly leases: Leases;
  read<T>(look: (tree: Tree) => T): Promise<T>;
  /**
   * Decides under the store lock, then applies the plan completely or not at all. The write is on disk when this
   * returns. `decide` may run again if the files changed meanwhile.
   */
  write<T>(decide: (tree: LockedTree) => Plan<T>): Promise<T>;
  /**
   * Runs work that only one process of the repository may do at a time. The claim ends with the process. A caller that
   * waits too long gets a fault.
   */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>;
  events(after: number, most?: number): Promise<readonly RecordedEvent[]>;
  eventsEverywhere(after: number, most?: number): Promise<readonly RecordedEvent[]>;
  position(): Promise<number>;
  pending(): Promise<readonly PendingWrite[]>;
  health(): Promise<LedgerHealth>;
}

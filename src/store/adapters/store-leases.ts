import { Fault } from "#kernel/model/fault.ts";
import type { HeldStoreLease, LeaseGrant, LeaseStore, StoreLease } from "../operations/ports/store.ts";

/** A clock that all processes of this machine share and no program can set: time since `boot`. */
export interface SteadyClock {
  readonly boot: string;
  nowMs(): number;
}

export interface LeaseRow extends StoreLease {
  readonly boot: string;
  readonly granted: number;
  readonly expires: number;
}

/** Where leases are kept. `alone` runs work without interruption by other processes. */
export interface LeaseTable {
  alone<T>(work: () => T): Promise<T>;
  find(name: string): LeaseRow | undefined;
  save(row: LeaseRow): void;
}

export class StoreLeases implements LeaseStore {
  readonly #table: LeaseTable;
  readonly #clock: SteadyClock;

  constructor(table: LeaseTable, clock: SteadyClock) {
    this.#table = table;
    this.#clock = clock;
  }

  acquire(name: string, holder: string, ttlMs: number): Promise<StoreLease | undefined> {
    return this.#table.alone(() => {
      const row = this.#table.find(name);
      if (row && row.holder !== holder && this.judge(row).isLive) return undefined;
      const lease = { name, holder, token: (row?.token ?? 0) + 1 };
      this.#save(lease, ttlMs);
      return lease;
    });
  }

  renew(lease: StoreLease, ttlMs: number): Promise<void> {
    return this.#table.alone(() => {
      this.assertHeld(lease);
      this.#save(lease, ttlMs);
    });
  }

  release(lease: StoreLease): Promise<void> {
    return this.renew(lease, 0);
  }

  /** Needs the lock. The current holder keeps its token; a new holder gets the next one. */
  grant({ name, holder, ttlMs }: LeaseGrant): void {
    const row = this.#table.find(name);
    const isSame = row !== undefined && row.holder === holder && this.judge(row).isLive;
    this.#save({ name, holder, token: (row?.token ?? 0) + (isSame ? 0 : 1) }, ttlMs);
  }

  /** Needs the lock. */
  giveUp(name: string): void {
    const row = this.#table.find(name);
    if (row) this.#save(row, 0);
  }

  /** After a reboot the old clock has no meaning, and no process can still hold a lease. */
  judge({ name, holder, token, boot, granted, expires }: LeaseRow): HeldStoreLease {
    const now = this.#clock.nowMs();
    return { name, holder, token, isLive: boot === this.#clock.boot && granted <= now && now < expires };
  }

  held(rows: Iterable<LeaseRow>): StoreLease[] {
    return [...rows]
      .filter((row) => this.judge(row).isLive)
      .map(({ name, holder, token }) => ({ name, holder, token }));
  }

  /** Needs the lock: the answer is valid until the transaction ends. */
  assertHeld(lease: StoreLease): void {
    const row = this.#table.find(lease.name);
    if (row && row.token === lease.token && row.holder === lease.holder && this.judge(row).isLive) return;
    const isTaken = row !== undefined && row.token !== lease.token;
    throw new Fault("lease.lost", {
      what: `${lease.holder} no longer holds ${lease.name}.`,
      why: isTaken ? `${row.holder} has taken it over.` : "The lease has run out.",
      fix: "Start again from the current state.",
    });
  }

  /** The row stays after a release, so that the next token is greater. */
  #save({ name, holder, token }: StoreLease, ttlMs: number): void {
    const granted = Math.floor(this.#clock.nowMs());
    this.#table.save({ name, holder, token, boot: this.#clock.boot, granted, expires: granted + ttlMs });
  }
}

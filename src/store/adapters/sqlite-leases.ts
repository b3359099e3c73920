import { Fault } from "#kernel/model/fault.ts";
import type { LeaseGrant, HeldStoreLease, StoreLease, LeaseStore } from "../operations/ports/store.ts";
import type { DatabaseReader, DatabaseRow } from "#kernel/adapters/sqlite-database.ts";
import type { Ledger } from "./sqlite-ledger.ts";

/** A clock that all processes of this machine share and no program can set: time since `boot`. */
export interface SteadyClock {
  readonly boot: string;
  nowMs(): number;
}

export class SqliteLeases implements LeaseStore {
  readonly #ledger: Ledger;
  readonly #clock: SteadyClock;

  constructor(ledger: Ledger, clock: SteadyClock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  acquire(name: string, holder: string, ttlMs: number): Promise<StoreLease | undefined> {
    return this.#ledger.alone(() => {
      const row = this.#row(name);
      if (row && this.#isLive(row) && row["holder"] !== holder) return undefined;
      const token = Number(row?.["token"] ?? 0) + 1;
      this.#write(name, holder, token, ttlMs);
      return { name, holder, token };
    });
  }

  renew(lease: StoreLease, ttlMs: number): Promise<void> {
    return this.#ledger.alone(() => {
      this.assertHeld(lease);
      this.#write(lease.name, lease.holder, lease.token, ttlMs);
    });
  }

  release(lease: StoreLease): Promise<void> {
    return this.#ledger.alone(() => {
      this.assertHeld(lease);
      // The row stays, so that the next token is greater.
      this.#write(lease.name, lease.holder, lease.token, 0);
    });
  }

  /** Needs the ledger lock. The current holder keeps its token; a new holder gets the next one. */
  grant({ name, holder, ttlMs }: LeaseGrant): void {
    const row = this.#row(name);
    const isSame = row !== undefined && row["holder"] === holder && this.#isLive(row);
    this.#write(name, holder, Number(row?.["token"] ?? 0) + (isSame ? 0 : 1), ttlMs);
  }

  /** Needs the ledger lock. The row stays, so that the next token is greater. */
  giveUp(name: string): void {
    const row = this.#row(name);
    if (row) this.#write(name, String(row["holder"]), Number(row["token"]), 0);
  }

  find(db: DatabaseReader, name: string): HeldStoreLease | undefined {
    const row = db.all("SELECT * FROM leases WHERE name = ?", name)[0];
    return row && this.judge(row);
  }

  judge(row: DatabaseRow): HeldStoreLease {
    return { ...toLease(row), isLive: this.#isLive(row) };
  }

  /** Needs the ledger lock: the answer is valid until the transaction ends. */
  assertHeld(lease: StoreLease): void {
    const row = this.#row(lease.name);
    if (row && Number(row["token"]) === lease.token && row["holder"] === lease.holder && this.#isLive(row)) return;
    const isTaken = row !== undefined && Number(row["token"]) !== lease.token;
    throw new Fault("lease.lost", {
      what: `${lease.holder} may no longer write as holder of ${lease.name}.`,
      why: isTaken ? `${String(row["holder"])} has taken it over.` : "The lease has run out.",
      fix: "Begin again from the present state.",
    });
  }

  held(rows: readonly DatabaseRow[]): StoreLease[] {
    return rows.filter((row) => this.#isLive(row)).map(toLease);
  }

  #row(name: string): DatabaseRow | undefined {
    return this.#ledger.all("SELECT * FROM leases WHERE name = ?", name)[0];
  }

  /** After a reboot the old clock has no meaning, and no process can still hold a lease. */
  #isLive(row: DatabaseRow): boolean {
    const now = this.#clock.nowMs();
    return row["boot"] === this.#clock.boot && Number(row["granted"]) <= now && now < Number(row["expires"]);
  }

  #write(name: string, holder: string, token: number, ttlMs: number): void {
    const now = Math.floor(this.#clock.nowMs());
    this.#ledger.run(
      `INSERT INTO leases (name, holder, token, boot, granted, expires) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, token = excluded.token, boot = excluded.boot,
         granted = excluded.granted, expires = excluded.expires`,
      name,
      holder,
      token,
      this.#clock.boot,
      now,
      now + ttlMs,
    );
  }
}

const toLease = (row: DatabaseRow): StoreLease => ({
  name: String(row["name"]),
  holder: String(row["holder"]),
  token: Number(row["token"]),
});

import { Fault } from "#kernel/model/fault.ts";
import { DATABASE_URL_VARIABLE } from "#kernel/model/database-address.ts";
import {
  SqliteDatabase,
  selectRows,
  type DatabaseReader,
  type DatabaseValue,
} from "#kernel/adapters/sqlite-database.ts";
import { createUnreadableValueError, type DatabaseKind } from "#kernel/adapters/database-fault.ts";
import type { HeldStoreLease, LedgerEntry, StoredEvent, StorePlan } from "../operations/ports/store.ts";
import migrations from "./ledger-migrations.json" with { type: "json" };
import type { EntriesBefore, WriteIntent } from "./write-intent.ts";
import { type LeaseRow, type SteadyClock, StoreLeases } from "./store-leases.ts";

/** Each migration raises the ledger's schema by one version. Never edit a released one; `user_version` counts them. */
export const LEDGER_MIGRATIONS: readonly string[] = migrations.map((statements) => statements.join("\n"));

export const LEDGER_KIND: DatabaseKind = {
  name: "ledger",
  migrations: LEDGER_MIGRATIONS,
  remedy: () => ({ operation: "workspace.doctor", input: { restore: true } }),
};

/** One change to the ledger's tables. A ledger of a team sends all but the last two to its server. */
export type LedgerChange =
  | { readonly table: "kept"; readonly space: string; readonly key: string; readonly body: string | null }
  | { readonly table: "counters"; readonly name: string; readonly value: number }
  | { readonly table: "leases"; readonly row: LeaseRow }
  | { readonly table: "events"; readonly seq?: number; readonly event: LedgerEventRow }
  | { readonly table: "intents"; readonly id: string; readonly values: readonly DatabaseValue[] }
  | { readonly table: "done"; readonly id: string };

/** An event in the order of its columns: id, at, checkout, kind, subject, data, ms. */
export type LedgerEventRow = readonly [string, string, string, string, string, string, number | null];

/** Runs work under the ledger's lock. */
export type LedgerLock = <T>(work: () => T) => Promise<T>;

/** In the mirror of a team's ledger: which repository and which state of it the tables show. */
export const MIRROR_SPACE = "team";
const IS_MIRROR = `SELECT 1 FROM kept WHERE space = '${MIRROR_SPACE}'`;

/** The database that all worktrees of a repository share. */
export class Ledger extends SqliteDatabase {
  #known: { readonly version: number; readonly spaces: Map<string, LoadedSpace> } | undefined;
  /** Bodies and values of spaces as they were last read. Most of them are the same after a write. */
  readonly #parsed = new Map<string, ReadonlyMap<string, ParsedRow>>();
  #changed: Set<string> | undefined;

  /** Whether other machines share it. */
  get isTeam(): boolean {
    return false;
  }

  get member(): string | undefined {
    return undefined;
  }

  constructor(file: string) {
    super(file, LEDGER_KIND);
  }

  override alone<T>(work: () => T, isSynced = true): Promise<T> {
    return super.alone(() => {
      this.#changed = new Set();
      try {
        this.assertOwner();
        return work();
      } finally {
        this.#changed = undefined;
      }
    }, isSynced);
  }

  /** Needs the lock. A mirror is written by its team's ledger alone, or the two would differ. */
  protected assertOwner(): void {
    if (this.all(IS_MIRROR).length === 0) return;
    throw new Fault("team.detached", {
      what: "Nothing was written.",
      why: "The state of this workspace is in a team's database, and its address is not set.",
      fix: [`Set ${DATABASE_URL_VARIABLE}.`, "To leave the team with everything: tenon team export --here"],
    });
  }

  /** Several steps under locks, during which no other machine decides anything. */
  together<T>(work: (alone: LedgerLock) => Promise<T>): Promise<T> {
    return work((step) => this.alone(step));
  }

  /** For state of this machine alone. */
  aloneHere<T>(work: () => T): Promise<T> {
    return this.alone(work);
  }

  /** Needs the lock. The entries that a plan changes, where other machines may change them too. */
  describeEntries(_plan: StorePlan<unknown>): EntriesBefore | undefined {
    return undefined;
  }

  /** Needs the lock. Throws `store.conflict` if another machine changed entries of an unfinished write. */
  assertUnchanged(_intent: WriteIntent): void {}

  /** Brings what `look` reads up to date. */
  async refresh(): Promise<void> {}

  /** Needs the lock. */
  change(change: LedgerChange): void {
    switch (change.table) {
      case "kept": {
        const { space, key, body } = change;
        this.forgetSpace(space);
        if (body === null) this.run("DELETE FROM kept WHERE space = ? AND key = ?", space, key);
        else this.run(KEEP, space, key, body);
        return;
      }
      case "counters":
        return this.run(COUNT, change.name, change.value);
      case "leases": {
        const { name, holder, token, boot, granted, expires } = change.row;
        return this.run(LEASE, name, holder, token, boot, granted, expires);
      }
      case "events":
        return this.run(EVENT, change.seq ?? null, ...change.event);
      case "intents":
        return this.run(INTEND, change.id, ...change.values);
      case "done":
        return this.run("DELETE FROM intents WHERE id = ?", change.id);
    }
  }

  override close(): void {
    super.close();
    this.#known = undefined;
    this.#parsed.clear();
  }

  /**
   * The values of a space as the open connection sees them. They are read again after this process wrote to the space,
   * and after another process wrote anything. So finished workflows make no call of a server slower.
   */
  loadSpace(space: string): LoadedSpace {
    // Another process cannot commit between this and the rows: a transaction is open.
    const version = Number(this.all("PRAGMA data_version")[0]?.["data_version"]);
    if (this.#known?.version !== version) this.#known = { version, spaces: new Map() };
    const known = this.#known.spaces.get(space);
    if (known) return known;
    const parsed = parseSpaceRows(this, space, this.#parsed.get(space));
    // What this transaction wrote may be rolled back.
    if (this.#changed?.has(space)) return parsed.loaded;
    this.#known.spaces.set(space, parsed.loaded);
    this.#parsed.set(space, parsed.rows);
    return parsed.loaded;
  }

  /** The same from a connection for one read. Bodies that this process knows are not parsed again. */
  readSpace(db: DatabaseReader, space: string): LoadedSpace {
    const parsed = parseSpaceRows(db, space, this.#parsed.get(space));
    this.#parsed.set(space, parsed.rows);
    return parsed.loaded;
  }

  forgetSpace(space: string): void {
    this.#changed?.add(space);
    this.#known?.spaces.delete(space);
  }
}

const KEEP =
  "INSERT INTO kept (space, key, body) VALUES (?, ?, ?) ON CONFLICT (space, key) DO UPDATE SET body = excluded.body";
const COUNT = "INSERT INTO counters VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)";
const LEASE = `INSERT INTO leases (name, holder, token, boot, granted, expires) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, token = excluded.token, boot = excluded.boot,
    granted = excluded.granted, expires = excluded.expires`;
const EVENT = "INSERT INTO events (seq, id, at, checkout, kind, subject, data, ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
const INTEND = "INSERT INTO intents (id, checkout, at, body, keeps) VALUES (?, ?, ?, ?, ?)";

type ParsedRow = { readonly body: string; readonly value: unknown };
type LoadedSpace = { readonly values: ReadonlyMap<string, unknown>; readonly error?: unknown };

/** One unreadable value makes its space unreadable, but not the others. */
function parseSpaceRows(db: DatabaseReader, space: string, before?: ReadonlyMap<string, ParsedRow>) {
  const rows = new Map<string, ParsedRow>();
  try {
    for (const row of selectRows<KeptRow>(db, SPACE_ROWS, space)) {
      const known = before?.get(row.key);
      rows.set(row.key, known?.body === row.body ? known : { body: row.body, value: parseValue(row) });
    }
  } catch (error) {
    return { rows: new Map<string, ParsedRow>(), loaded: { values: new Map<string, unknown>(), error } };
  }
  return { rows, loaded: { values: new Map([...rows].map(([key, { value }]) => [key, value])) } };
}

const SPACE_ROWS = "SELECT space, key, body FROM kept WHERE space = ? ORDER BY key";

/** A ledger with the first schema has no values. */
export const hasFirstSchema = (db: DatabaseReader): boolean =>
  Number(db.all("PRAGMA user_version")[0]?.["user_version"]) < 2;

type KeptRow = { readonly space: string; readonly key: string; readonly body: string };

export function listSpaceValues(db: DatabaseReader, space: string): Map<string, unknown> {
  const rows = selectRows<KeptRow>(db, SPACE_ROWS, space);
  return new Map(rows.map((row) => [row.key, parseValue(row)]));
}

function parseValue({ space, key, body }: KeptRow): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw createUnreadableValueError(`the value of ${space} ${key} is unreadable`);
  }
}

export function readLedgerValues(ledger: Ledger, db: DatabaseReader, isOpenConnection: boolean) {
  if (hasFirstSchema(db)) return undefined;
  const names = db.all("SELECT DISTINCT space FROM kept").map(({ space }) => String(space));
  const load = (name: string): LoadedSpace => (isOpenConnection ? ledger.loadSpace(name) : ledger.readSpace(db, name));
  const spaces = new Map(names.map((name) => [name, load(name)]));
  return { kept: (space: string) => readLoadedSpace(spaces.get(space)), leases: listLeases(db) };
}

export function readLoadedSpace(space: LoadedSpace | undefined): ReadonlyMap<string, unknown> {
  if (space?.error !== undefined) throw space.error;
  return space?.values ?? new Map();
}

/** For hooks: reads an unreadable value as undefined, so that it does not hide the others. */
export function readLedgerSnapshot(file: string, clock: SteadyClock) {
  const ledger = new Ledger(file);
  const leases = new SqliteLeases(ledger, clock);
  return ledger.look((all) => {
    if (hasFirstSchema({ all })) return undefined;
    // The columns are texts, so the rows are read as they are: a hook has no time for more.
    const rows = all("SELECT space, key, body FROM kept WHERE space <> 'snapshot'") as unknown as readonly KeptRow[];
    if (rows.length === 0) return undefined;
    const kept = new Map<string, Map<string, unknown>>();
    for (const { space, key, body } of rows) {
      const values = kept.get(space) ?? new Map<string, unknown>();
      kept.set(space, values.set(key, tryParseValue(body)));
    }
    const held = listLeases({ all }).map((row): [string, HeldStoreLease] => [row.name, leases.judge(row)]);
    return { kept, leases: new Map(held) };
  });
}

function tryParseValue(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Needs the ledger lock. */
export function writeSpaceValues(ledger: Ledger, keeps: readonly LedgerEntry[]): void {
  for (const { space, key, value } of keeps)
    ledger.change({ table: "kept", space, key, body: value === undefined ? null : JSON.stringify(value) });
}

/** Events of all checkouts unless one is named. */
export function listRecordedEvents(db: DatabaseReader, after: number, most: number, checkout?: string): StoredEvent[] {
  const rows = selectRows<Omit<StoredEvent, "data"> & { readonly data: string }>(
    db,
    `SELECT seq, id, at, kind, subject, data, ms FROM events
     WHERE seq > ?${checkout === undefined ? "" : " AND checkout = ?"} ORDER BY seq LIMIT ?`,
    ...(checkout === undefined ? [after, most] : [after, checkout, most]),
  );
  return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> }));
}

export const findLease = (db: DatabaseReader, name: string): LeaseRow | undefined =>
  selectRows<LeaseRow>(db, "SELECT * FROM leases WHERE name = ?", name)[0];

export const listLeases = (db: DatabaseReader): LeaseRow[] => selectRows<LeaseRow>(db, "SELECT * FROM leases");

export class SqliteLeases extends StoreLeases {
  constructor(ledger: Ledger, clock: SteadyClock) {
    super(
      {
        alone: (work) => ledger.alone(work),
        find: (name) => findLease(ledger, name),
        save: (row) => ledger.change({ table: "leases", row }),
      },
      clock,
    );
  }
}

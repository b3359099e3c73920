import { SqliteDatabase, selectRows, type DatabaseReader } from "#kernel/adapters/sqlite-database.ts";
import { createUnreadableValueError, type DatabaseKind } from "#kernel/adapters/database-fault.ts";
import type { HeldStoreLease, LedgerEntry, StoredEvent } from "../operations/ports/store.ts";
import migrations from "./ledger-migrations.json" with { type: "json" };
import { type LeaseRow, type SteadyClock, StoreLeases } from "./store-leases.ts";

/** Each migration raises the ledger's schema by one version. Never edit a released one; `user_version` counts them. */
export const LEDGER_MIGRATIONS: readonly string[] = migrations.map((statements) => statements.join("\n"));

export const LEDGER_KIND: DatabaseKind = {
  name: "ledger",
  migrations: LEDGER_MIGRATIONS,
  remedy: () => ({ operation: "workspace.doctor", input: { restore: true } }),
};

/** The database that all worktrees of a repository share. */
export class Ledger extends SqliteDatabase {
  #known: { readonly version: number; readonly spaces: Map<string, LoadedSpace> } | undefined;
  /** Bodies and values of spaces as they were last read. Most of them are the same after a write. */
  readonly #parsed = new Map<string, ReadonlyMap<string, ParsedRow>>();
  #changed: Set<string> | undefined;

  constructor(file: string) {
    super(file, LEDGER_KIND);
  }

  override alone<T>(work: () => T, isSynced = true): Promise<T> {
    return super.alone(() => {
      this.#changed = new Set();
      try {
        return work();
      } finally {
        this.#changed = undefined;
      }
    }, isSynced);
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
  const insert =
    "INSERT INTO kept (space, key, body) VALUES (?, ?, ?) ON CONFLICT (space, key) DO UPDATE SET body = excluded.body";
  for (const { space, key, value } of keeps) {
    ledger.forgetSpace(space);
    if (value === undefined) ledger.run("DELETE FROM kept WHERE space = ? AND key = ?", space, key);
    else ledger.run(insert, space, key, JSON.stringify(value));
  }
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
    const insert = `INSERT INTO leases (name, holder, token, boot, granted, expires) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, token = excluded.token, boot = excluded.boot,
        granted = excluded.granted, expires = excluded.expires`;
    super(
      {
        alone: (work) => ledger.alone(work),
        find: (name) => findLease(ledger, name),
        save: ({ name, holder, token, boot, granted, expires }) =>
          ledger.run(insert, name, holder, token, boot, granted, expires),
      },
      clock,
    );
  }
}

import fs from "node:fs";
import type { Client, ClientConfig, QueryResult } from "pg";
import { Fault } from "../model/fault.ts";
import type { DatabaseAddress } from "../model/database-address.ts";
import { readErrorCode } from "../model/system-error.ts";

export type PostgresValue = string | number | boolean | null | Uint8Array;

export interface PostgresQuery {
  /** Rows of one statement with `$1` parameters. */
  <Row extends object>(sql: string, ...values: readonly PostgresValue[]): Promise<Row[]>;
}

export interface PostgresTransaction {
  readonly query: PostgresQuery;
  /** Rows of each statement of a text without parameters, in one round trip. */
  readonly script: (sql: string) => Promise<object[][]>;
}

/** A server that is away shows within this time. */
const CONNECT_MS = 5000;
/** Longer than any statement may wait for a lock. */
const ANSWER_MS = 5000;
const LOCK_WAIT_MS = 3000;
/** Transactions wait this long for others altogether. */
const PATIENCE_MS = 15_000;
/** The server ends the transaction of a frozen process, so that it holds up nobody. */
const IDLE_TRANSACTION_MS = 10_000;

/** A lock that others hold, a conflict, a deadlock. */
const RETRIED_CODES = new Set(["55P03", "40001", "40P01"]);
const NO_SCHEMA_CODES = new Set(["42P01", "3F000"]);
const REJECTED_CODES: Readonly<Record<string, string>> = {
  "28000": "It does not let this user in.",
  "28P01": "The password is wrong.",
  "3D000": "There is no such database.",
  "42501": "The user lacks a right for it.",
};
/** The server ends connections with these while it stops, starts, or has no place left. */
const AWAY_CODES = /^(?:08|57P0|53300|25P03)/;

/**
 * One connection to PostgreSQL for the lifetime of a process. It connects on first use and again after a failure. Calls
 * run one after another. A server that does not answer ends in a fault, never in a hang.
 */
export class PostgresDatabase {
  readonly address: DatabaseAddress;
  #client: Promise<Client> | undefined;
  #turns: Promise<unknown> = Promise.resolve();

  constructor(address: DatabaseAddress) {
    this.address = address;
  }

  /** The schema, quoted for SQL. */
  get schema(): string {
    return `"${this.address.schema}"`;
  }

  query<Row extends object>(sql: string, ...values: readonly PostgresValue[]): Promise<Row[]> {
    return this.#inTurn(({ query }) => query<Row>(sql, ...values));
  }

  script(sql: string): Promise<object[][]> {
    return this.#inTurn(({ script }) => script(sql));
  }

  /**
   * Commits what `work` does, or nothing. It runs again if others held its rows for too long. `isDone` answers, on a new
   * connection, whether a commit whose answer was lost took place; without it, such a commit is a fault. `first` gives
   * statements that are sent with BEGIN, and `work` gets their rows.
   */
  transact<T>(
    work: (transaction: PostgresTransaction, rows: readonly object[][]) => Promise<T>,
    isDone?: (query: PostgresQuery) => Promise<boolean>,
    first: () => string = () => "",
  ): Promise<T> {
    return this.#inTurn(async (connection) => {
      const [, ...rows] = await connection.script(`BEGIN; ${first()}`);
      const result = await work(connection, rows);
      try {
        await connection.script("COMMIT");
      } catch (error) {
        if (!isLostConnection(error)) throw error;
        await this.#settleCommit(error, isDone);
      }
      return result;
    });
  }

  /** Does not wait for a server that may no longer answer. */
  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    void client?.end().catch(() => undefined);
  }

  async #settleCommit(lost: unknown, isDone: ((query: PostgresQuery) => Promise<boolean>) | undefined): Promise<void> {
    if (isDone) {
      await this.#drop();
      try {
        if (await isDone((await this.#connect()).query)) return;
      } catch {
        throw createUncertainFault();
      }
      throw lost;
    }
    throw createUncertainFault();
  }

  #inTurn<T>(work: (connection: PostgresTransaction) => Promise<T>): Promise<T> {
    const turn = this.#turns.then(() => this.#patiently(work));
    this.#turns = turn.catch(() => undefined);
    return turn;
  }

  async #patiently<T>(work: (connection: PostgresTransaction) => Promise<T>): Promise<T> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        const connection = await this.#connect();
        return await work(connection);
      } catch (error) {
        const code = readErrorCode(error) ?? "";
        if (isLostConnection(error)) await this.#drop();
        else await this.#rollBack();
        if (!RETRIED_CODES.has(code)) throw toPostgresFault(error);
        if (performance.now() > deadline) throw createBusyFault();
      }
    }
  }

  async #rollBack(): Promise<void> {
    try {
      const client = await this.#client;
      // Always: the driver reports an error before it knows that the statement was in a transaction.
      await client?.query("ROLLBACK");
    } catch {
      await this.#drop();
    }
  }

  async #drop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    // `end` would wait for a server that no longer answers.
    await client?.then((open) => getStream(open).destroy()).catch(() => undefined);
  }

  async #connect(): Promise<PostgresTransaction> {
    this.#client ??= openClient(this.address);
    const client = await this.#client.catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    const ask = async <T>(call: () => Promise<T>): Promise<T> => {
      // Only while a call waits does the connection keep the process alive.
      getStream(client).ref();
      try {
        return await call();
      } finally {
        getStream(client).unref();
      }
    };
    return {
      query: async <Row extends object>(sql: string, ...values: readonly PostgresValue[]) =>
        ask(async () => (await client.query<Row>(sql, [...values])).rows),
      script: async (sql) =>
        ask(async () => {
          const found = (await client.query(sql)) as QueryResult<object> | QueryResult<object>[];
          return (Array.isArray(found) ? found : [found]).map(({ rows }) => rows);
        }),
    };
  }
}

interface ReferencedStream {
  ref(): void;
  unref(): void;
  destroy(): void;
}

const getStream = (client: Client): ReferencedStream =>
  (client as unknown as { readonly connection: { readonly stream: ReferencedStream } }).connection.stream;

async function openClient(address: DatabaseAddress): Promise<Client> {
  const { default: pg } = await import("pg");
  const { host, port, user, password, database } = address;
  const config: ClientConfig = {
    host,
    port,
    user,
    database,
    ...(password === undefined ? {} : { password }),
    ssl: createTlsOptions(address),
    application_name: "tenon",
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    statement_timeout: ANSWER_MS - 500,
    lock_timeout: LOCK_WAIT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    keepAlive: true,
    types: { getTypeParser: (oid: number, form?: "text") => chooseParser(pg.types.getTypeParser, oid, form) } as never,
  };
  const client = new pg.Client(config);
  // A connection that breaks between two calls is opened again by the next one.
  client.on("error", () => undefined);
  try {
    await client.connect();
  } catch (error) {
    getStream(client).destroy();
    throw error;
  }
  getStream(client).unref();
  return client;
}

const INT8 = 20;

/** Counts and positions are far below 2^53. */
const chooseParser = (fallback: (oid: number, form?: "text") => unknown, oid: number, form?: "text"): unknown =>
  oid === INT8 ? Number : fallback(oid, form);

function createTlsOptions({ tls, authorityFile, host }: DatabaseAddress): ClientConfig["ssl"] {
  if (tls === "none") return false;
  return {
    rejectUnauthorized: true,
    servername: host,
    ...(authorityFile === undefined ? {} : { ca: fs.readFileSync(authorityFile, "utf8") }),
    ...(tls === "authority" ? { checkServerIdentity: () => undefined } : {}),
  };
}

/** Errors of the server have a severity. A broken connection has a system code, or only the driver's message. */
function isLostConnection(error: unknown): boolean {
  if (error instanceof Fault || !(error instanceof Error)) return false;
  const code = readErrorCode(error);
  if ("severity" in error) return AWAY_CODES.test(code ?? "");
  return code !== undefined || DRIVER_MESSAGE.test(error.message);
}

const DRIVER_MESSAGE =
  /^(?:Connection terminated|Query read timeout|timeout expired|Client (?:was closed|has encountered))/;

/** Neither the address nor the user may appear in a message. */
function toPostgresFault(error: unknown): unknown {
  if (error instanceof Fault || !(error instanceof Error)) return error;
  const code = readErrorCode(error) ?? "";
  if (NO_SCHEMA_CODES.has(code))
    return new Fault("team.unknown-repository", {
      what: "The team's database cannot be used.",
      why: "It has no schema of Tenon.",
      fix: ["The owner of the database prepares it:", { operation: "team.init" }],
    });
  const rejected = REJECTED_CODES[code];
  if (rejected !== undefined)
    return new Fault("team.rejected", {
      what: "The team's database rejected the call.",
      why: rejected,
      fix: { operation: "team.doctor" },
    });
  if (
    /^(?:CERT_|DEPTH_|ERR_TLS|SELF_SIGNED|UNABLE_TO|ERR_SSL)|SELF_SIGNED/.test(code) ||
    /\bSSL connection/.test(error.message)
  )
    return new Fault("team.insecure", {
      what: "The team's database was not opened.",
      why: `The server's certificate cannot be trusted (${code || "it offers no TLS"}).`,
      fix: "Name the certificates of your authority: sslrootcert=<file>",
    });
  if (!isLostConnection(error)) return error;
  return new Fault("team.unreachable", {
    what: "The team's database did not answer.",
    why: `The connection failed${code === "" ? "" : ` (${code})`}.`,
    fix: { operation: "team.doctor" },
  });
}

const createUncertainFault = (): Fault =>
  new Fault("team.uncertain", {
    what: "It is not known whether the write took place.",
    why: "The connection to the team's database broke while it was committed.",
    fix: ["Look before you repeat it.", { operation: "workspace.status" }],
  });

const createBusyFault = (): Fault =>
  new Fault("database.busy", {
    what: "The team's database stayed locked.",
    why: `Other processes held it for ${PATIENCE_MS / 1000} seconds.`,
    fix: "Run the command again.",
  });

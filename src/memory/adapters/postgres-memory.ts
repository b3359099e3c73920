import type { PostgresDatabase, PostgresTransaction, PostgresValue } from "#kernel/adapters/postgres-database.ts";
import type { DatabaseRow, DatabaseValue } from "#kernel/adapters/sqlite-database.ts";
import { LAST_OWN_NUMBER } from "../model/observation.ts";
import type { MemoryRecords } from "../operations/ports/memory.ts";
import { countRows, NO_STATISTICS, readMemoryStatistics } from "./memory-queries.ts";
import { PostgresTerms } from "./postgres-terms.ts";
import { queryRows, type SqlProgram } from "./sql-program.ts";
import { SqlMemory } from "./sql-memory.ts";

/**
 * Memory of a team, in PostgreSQL. The views of the schema `…_memory` show and write the rows of one repository only, so
 * a program cannot reach another one's.
 */
export class PostgresMemory extends SqlMemory<PostgresTerms> implements MemoryRecords {
  protected readonly index = new PostgresTerms();
  readonly #database: PostgresDatabase;
  readonly #settings: string;
  readonly #firstCounter: string;
  readonly #place: string;

  constructor(database: PostgresDatabase, repository: string, lastNumber = LAST_OWN_NUMBER) {
    super();
    const { host, database: name, schema } = database.address;
    this.#database = database;
    this.#place = `${name} on ${host}`;
    const setting = (key: string, value: string): string =>
      `set_config('${key}', '${value.replaceAll("'", "''")}', true)`;
    // The system's schema comes first without being named.
    this.#firstCounter = `INSERT INTO counters (name, value) VALUES ('observation', ${lastNumber}) ON CONFLICT DO NOTHING`;
    this.#settings = `SELECT ${setting("search_path", `"${schema}_memory"`)}, ${setting("tenon.repository", repository)}`;
  }

  stats: MemoryRecords["stats"] = async () => {
    const counts = await this.read({ ...NO_STATISTICS, bytes: 0 }, function* () {
      const [size] = yield* queryRows(
        "SELECT sum(octet_length(title) + octet_length(content)) AS bytes FROM observations",
      );
      return { ...(yield* readMemoryStatistics()), bytes: Number(size?.["bytes"] ?? 0) };
    });
    return { ...counts, file: this.#place };
  };

  async health(): ReturnType<MemoryRecords["health"]> {
    const nothing = { file: this.#place, exists: false, observations: 0 };
    try {
      return { ...nothing, ...(await this.read(nothing, checkTeamMemory)) };
    } catch (error) {
      return { ...nothing, problem: error instanceof Error ? error.message : String(error) };
    }
  }

  protected read<T>(_nothing: T, work: () => SqlProgram<T>): Promise<T> {
    const snapshot = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";
    return this.#database.transact(async (transaction) => {
      await transaction.script(`${snapshot}; ${this.#settings}`);
      return runOverNetwork(transaction, work());
    });
  }

  /** One writer of a repository at a time: what a program has read stays true until it commits. */
  protected write<T>(work: () => SqlProgram<T>): Promise<T> {
    const lock = "SELECT pg_advisory_xact_lock(hashtextextended(current_setting('tenon.repository'), 1))";
    return this.#database.transact(async (transaction) => {
      await transaction.script(`${this.#settings}; ${lock}; ${this.#firstCounter}`);
      return runOverNetwork(transaction, work());
    });
  }

  /** The server's own vacuum removes them. */
  protected removeTraces(): void {}
}

async function runOverNetwork<T>({ query }: PostgresTransaction, program: SqlProgram<T>): Promise<T> {
  let step = program.next();
  while (step.done !== true) {
    const { sql, values } = step.value;
    step = program.next(await query<DatabaseRow>(translateSql(sql), ...values.map(toPostgresValue)));
  }
  return step.value;
}

/** PostgreSQL numbers parameters. `CROSS JOIN … ON` is how SQLite keeps an order of tables. */
function translateSql(sql: string): string {
  let count = 0;
  return sql.replaceAll("CROSS JOIN", "JOIN").replaceAll("?", () => `$${++count}`);
}

const toPostgresValue = (value: DatabaseValue): PostgresValue => (typeof value === "bigint" ? String(value) : value);

function* checkTeamMemory(): SqlProgram<{ problem?: string; exists: boolean; observations: number }> {
  const projects = yield* countRows("projects");
  const indexed = yield* countRows("terms");
  const stored = yield* countRows("observations WHERE deleted_at IS NULL");
  const prompts = yield* countRows("terms WHERE is_prompt");
  const exists = projects > 0;
  if (stored !== indexed)
    return { problem: `${stored} are stored, but ${indexed} are indexed.`, exists, observations: 0 };
  return { exists, observations: stored - prompts };
}

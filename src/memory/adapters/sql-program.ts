import {
  type DatabaseReader,
  type DatabaseRow,
  type DatabaseValue,
  parseRow,
} from "#kernel/adapters/sqlite-database.ts";

/** A statement with `?` for each value, in SQL that SQLite and PostgreSQL share. */
interface SqlQuery {
  readonly sql: string;
  readonly values: readonly DatabaseValue[];
}

/**
 * Rules of memory that need rows. They yield statements and never see a database, so SQLite runs them at once and
 * PostgreSQL over a network.
 */
export type SqlProgram<T> = Generator<SqlQuery, T, readonly DatabaseRow[]>;

export function* queryRows(sql: string, ...values: DatabaseValue[]): SqlProgram<readonly DatabaseRow[]> {
  return yield { sql, values };
}

export function* selectRecords<Row>(sql: string, ...values: DatabaseValue[]): SqlProgram<Row[]> {
  return (yield { sql, values }).map((row) => parseRow<Row>(row));
}

export function runSqlProgram<T>(db: DatabaseReader, program: SqlProgram<T>): T {
  let step = program.next();
  while (step.done !== true) step = program.next(db.all(step.value.sql, ...step.value.values));
  return step.value;
}

/** One result for each item, in order. */
export function* mapProgram<Item, T>(items: Iterable<Item>, each: (item: Item) => SqlProgram<T>): SqlProgram<T[]> {
  const results: T[] = [];
  for (const item of items) results.push(yield* each(item));
  return results;
}

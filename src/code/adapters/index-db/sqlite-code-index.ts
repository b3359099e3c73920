import type {
  CodeIndex,
  IndexedComponentRow,
  IndexedImporter,
  IndexedSummary,
  IndexProblem,
  IndexStamp,
  IndexTurn,
} from "../../operations/ports/code-index.ts";
import type { SqliteDatabase, DatabaseValue } from "#kernel/adapters/sqlite-database.ts";
import {
  SELECT_FILE_SIZES,
  SELECT_MOST_CALLED,
  SELECT_SIMILAR_NAMES,
  selectDependencies,
  selectDependents,
  selectQueryCandidates,
} from "./index-queries.ts";
import {
  publishIndexExport,
  createIndexGoneFault,
  type CodeIndexOptions,
  isIndexDamage,
  isIndexUnwritable,
  hasIndexFile,
  openIndexFile,
  openTemporaryIndex,
  replaceIndexFile,
  claimIndexUpdate,
} from "./index-files.ts";
import {
  deleteIndexedFile,
  deleteTextFile,
  insertIndexedFile,
  insertTextFile,
  replaceImportTargets,
} from "./index-writer.ts";
import {
  CREATE_SQL_INDEXES,
  SELECT_COMPONENTS,
  SELECT_FILES,
  SELECT_TAGS,
  SELECT_TESTS,
  SELECT_TEXTS,
  selectRows,
} from "./index-schema.ts";

export function createCodeIndex(place: CodeIndexOptions): CodeIndex & Disposable {
  return new SqliteCodeIndex(place);
}

class SqliteCodeIndex implements CodeIndex, Disposable {
  readonly #place: CodeIndexOptions;
  #open: SqliteDatabase | undefined;
  /** Queue for calls of this process. Other processes wait for the claim file. */
  #turns: Promise<void> = Promise.resolve();
  #isAtWork = false;
  #isKept = true;
  #news: IndexProblem | undefined;

  constructor(place: CodeIndexOptions) {
    this.#place = place;
  }

  get isThere(): boolean {
    return !this.#isKept || hasIndexFile(this.#place);
  }

  get isKept(): boolean {
    return this.#isKept;
  }

  [Symbol.dispose](): void {
    this.#open?.close();
    this.#open = undefined;
  }

  takeNews(): IndexProblem | undefined {
    const news = this.#news;
    this.#news = undefined;
    return news;
  }

  alone<T>(work: () => Promise<T>, turn: IndexTurn): Promise<T> {
    const mine = this.#turns.then(() => this.#alone(work, turn));
    this.#turns = mine.then(
      () => undefined,
      () => undefined,
    );
    return mine;
  }

  async #alone<T>(work: () => Promise<T>, { cancelled, isAfresh = false }: IndexTurn): Promise<T> {
    try {
      using turn = this.#isKept ? await claimIndexUpdate(this.#place, cancelled) : undefined;
      if (this.#isKept && turn === undefined) await this.#leaveDisk();
      await this.#begin(isAfresh);
      return await this.#worked(work);
    } catch (error) {
      const fault = this.#faultOf(error);
      if (!this.#isKept || !isIndexUnwritable(fault)) throw fault;
      await this.#leaveDisk();
      return await this.#finished(work);
    }
  }

  /** Damage may only show while the index is in use. Then replaces the index and runs the work again. */
  async #worked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#finished(work);
    } catch (error) {
      if (!this.#isKept || !isIndexDamage(this.#faultOf(error))) throw error;
      await this.#replace("damaged");
      return await this.#finished(work);
    }
  }

  async #finished<T>(work: () => Promise<T>): Promise<T> {
    this.#isAtWork = true;
    try {
      const result = await work();
      const db = await this.#db();
      const [row] = db.all("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'tests_by_file'");
      if (row?.["n"] !== 1) await db.alone(() => db.script(CREATE_SQL_INDEXES));
      return result;
    } finally {
      this.#isAtWork = false;
    }
  }

  /** Only the process that holds the claim replaces the index: others may be using it. */
  async #begin(isAfresh: boolean): Promise<void> {
    if (!this.#isKept) return isAfresh ? this.#leaveDisk() : undefined;
    if (isAfresh) return this.#replace(undefined);
    if (this.#open?.isCurrent) return;
    this.#forgetOpen();
    const found = await openIndexFile(this.#place);
    if (typeof found === "string") return this.#replace(found);
    this.#open = found;
  }

  async #replace(news: IndexProblem | undefined): Promise<void> {
    this.#forgetOpen();
    this.#open = await replaceIndexFile(this.#place);
    this.#news = news ?? this.#news;
  }

  async #leaveDisk(): Promise<void> {
    this.#forgetOpen();
    this.#open = await openTemporaryIndex(this.#place);
    if (this.#isKept) this.#news = "unkept";
    this.#isKept = false;
  }

  #forgetOpen(): void {
    this.#open?.close();
    this.#open = undefined;
  }

  #faultOf(error: unknown): unknown {
    return this.#open?.fault(error) ?? error;
  }

  /** A reader treats an unusable index as empty until an update rebuilds it. */
  async #db(): Promise<SqliteDatabase> {
    if (this.#open && (!this.#isKept || this.#open.isCurrent)) return this.#open;
    if (this.#isAtWork) throw createIndexGoneFault(this.#place);
    const found = await openIndexFile(this.#place);
    this.#forgetOpen();
    this.#open = typeof found === "string" ? await openTemporaryIndex(this.#place) : found;
    return this.#open;
  }

  stamps: CodeIndex["stamps"] = () => this.#stamps("files");
  textStamps: CodeIndex["textStamps"] = () => this.#stamps("text_files");

  put: CodeIndex["put"] = (files, gone = []) =>
    this.#write((db) => {
      for (const path of gone) deleteIndexedFile(db, path);
      for (const file of files) insertIndexedFile(db, file);
    });

  restamp: CodeIndex["restamp"] = (files) =>
    this.#write((db) => {
      for (const { path, hash, stamp } of files)
        db.run("UPDATE files SET hash = ?, stamp = ? WHERE path = ?", hash, stamp, path);
    });

  importers: CodeIndex["importers"] = async function* (this: SqliteCodeIndex) {
    const db = await this.#db();
    let last: { path: string; language: string; imports: IndexedImporter["imports"][number][] } | undefined;
    for (const row of db.each(SELECT_ALL_IMPORTS)) {
      const path = String(row["path"]);
      if (last && last.path !== path) yield last;
      if (last?.path !== path) last = { path, language: String(row["language"]), imports: [] };
      last.imports.push({ specifier: String(row["specifier"]), names: JSON.parse(String(row["names"])) as string[] });
    }
    if (last) yield last;
  }.bind(this);

  retarget: CodeIndex["retarget"] = (targets) =>
    this.#write((db) => {
      for (const [path, means] of targets) replaceImportTargets(db, path, means);
    });

  putTexts: CodeIndex["putTexts"] = (files, gone = []) =>
    this.#write((db) => {
      for (const path of gone) deleteTextFile(db, path);
      for (const file of files) insertTextFile(db, file);
    });

  note: CodeIndex["note"] = async (name) => {
    const [row] = await this.#all<{ value: string }>("SELECT value FROM notes WHERE name = ?", name);
    return row?.value;
  };

  keepNote: CodeIndex["keepNote"] = (name, value) =>
    this.#write((db) =>
      value === undefined
        ? db.run("DELETE FROM notes WHERE name = ?", name)
        : db.run("INSERT OR REPLACE INTO notes VALUES (?, ?)", name, value),
    );

  publish: CodeIndex["publish"] = async (copy, now) => publishIndexExport(this.#place, copy, now);

  counts: CodeIndex["counts"] = async () => {
    const db = await this.#db();
    const count = (from: string): number => Number(db.all(`SELECT count(*) AS n FROM ${from}`)[0]?.["n"]);
    return {
      files: count("files WHERE language <> ''"),
      components: count("components"),
      tags: count("tags"),
      tests: count("tests"),
      texts: count("texts"),
      problems: count("files WHERE problem IS NOT NULL OR is_whole = 0"),
    };
  };

  files: CodeIndex["files"] = ({ path, most } = {}) => this.#some(SELECT_FILES, { path }, "path", most);
  problems: CodeIndex["problems"] = (most) =>
    this.#all(`${SELECT_FILES} WHERE problem IS NOT NULL OR is_whole = 0 ORDER BY path LIMIT ?`, most);
  components: CodeIndex["components"] = ({ path, name, ref, most } = {}) =>
    this.#some(SELECT_COMPONENTS, { path, name, ref }, "f.path, c.line, c.id", most);
  tags: CodeIndex["tags"] = ({ path, spec } = {}) => this.#some(SELECT_TAGS, { path, spec }, "f.path, t.line, t.rowid");
  tests: CodeIndex["tests"] = ({ path } = {}) => this.#some(SELECT_TESTS, { path }, "f.path, t.line, t.rowid");
  texts: CodeIndex["texts"] = ({ key, kind } = {}) =>
    this.#some(SELECT_TEXTS, { "key COLLATE NOCASE": key, kind }, "key, path");

  uses: CodeIndex["uses"] = (of) => this.#ask((db) => selectDependencies(db, of));
  usedBy: CodeIndex["usedBy"] = (of) => this.#ask((db) => selectDependents(db, of));
  candidates: CodeIndex["candidates"] = (question, most) =>
    this.#ask((db) => selectQueryCandidates(db, question, most));
  namesNear: CodeIndex["namesNear"] = async (word, most) =>
    (await this.#all<{ name: string }>(SELECT_SIMILAR_NAMES, word, most)).map(({ name }) => name);
  sizes: CodeIndex["sizes"] = () => this.#all(SELECT_FILE_SIZES);
  mostCalled: CodeIndex["mostCalled"] = async (most) =>
    (await this.#all<IndexedComponentRow & { calls: number }>(SELECT_MOST_CALLED, most)).map(
      ({ calls, ...component }) => ({ component, calls }),
    );

  summaries: CodeIndex["summaries"] = async (keys) => {
    const select = "SELECT * FROM summaries";
    const rows = await this.#ask((db) =>
      keys
        ? keys.flatMap((key) => selectRows<IndexedSummary>(db, `${select} WHERE key = ?`, key))
        : selectRows<IndexedSummary>(db, select),
    );
    return new Map(rows.map((row) => [row.key, row]));
  };

  keepSummary: CodeIndex["keepSummary"] = ({ key, text, hash, source, at }) =>
    this.#write((db) => db.run("INSERT OR REPLACE INTO summaries VALUES (?, ?, ?, ?, ?)", key, text, hash, source, at));

  async #stamps(table: "files" | "text_files"): Promise<ReadonlyMap<string, IndexStamp>> {
    const rows = await this.#all<IndexStamp & { path: string }>(`SELECT path, hash, stamp FROM ${table}`);
    return new Map(rows.map(({ path, ...stamp }) => [path, stamp]));
  }

  async #write(work: (db: SqliteDatabase) => void): Promise<void> {
    const db = await this.#db();
    await db.alone(() => work(db));
  }

  /** Answers several queries from one snapshot, whatever other processes write. */
  async #ask<T>(work: (db: SqliteDatabase) => T): Promise<T> {
    const db = await this.#db();
    try {
      return db.still(() => work(db));
    } catch (error) {
      throw db.fault(error);
    }
  }

  #all<Row>(sql: string, ...values: DatabaseValue[]): Promise<Row[]> {
    return this.#ask((db) => selectRows<Row>(db, sql, ...values));
  }

  /** Selects the rows that equal the given values, or all rows. */
  #some<Row>(
    select: string,
    where: Readonly<Record<string, string | undefined>>,
    order: string,
    most = -1,
  ): Promise<Row[]> {
    const given = Object.entries(where).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const filter = given.length === 0 ? "" : `WHERE ${given.map(([column]) => `${column} = ?`).join(" AND ")}`;
    return this.#all(`${select} ${filter} ORDER BY ${order} LIMIT ?`, ...given.map(([, value]) => value), most);
  }
}

const SELECT_ALL_IMPORTS = `SELECT f.path, f.language, i.specifier, i.names FROM imports i JOIN files f ON f.id = i.file
  ORDER BY i.file, i.rowid`;

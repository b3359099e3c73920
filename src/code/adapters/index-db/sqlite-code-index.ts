import type {
  CodeIndex,
  IndexedImporter,
  IndexProblem,
  IndexTurn,
  IndexFilter,
} from "../../operations/ports/code-index.ts";
import type { SqliteDatabase, DatabaseRow, DatabaseValue } from "#kernel/adapters/sqlite-database.ts";
import {
  selectDependencies,
  selectDependents,
  selectQueryCandidates,
  selectMostCalled,
  selectSimilarNames,
  selectFileSizes,
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
  SELECT_COMPONENTS,
  parseComponentRow,
  SELECT_FILES,
  parseFileRow,
  parseStampRows,
  parseSummaryRow,
  SELECT_TAGS,
  parseTagRow,
  SELECT_TESTS,
  parseTestRow,
  parseTextRow,
  CREATE_SQL_INDEXES,
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

  stamps: CodeIndex["stamps"] = async () => parseStampRows(await this.#all("SELECT path, hash, stamp FROM files"));

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

  textStamps: CodeIndex["textStamps"] = async () => parseStampRows(await this.#all("SELECT * FROM text_files"));

  putTexts: CodeIndex["putTexts"] = (files, gone = []) =>
    this.#write((db) => {
      for (const path of gone) deleteTextFile(db, path);
      for (const file of files) insertTextFile(db, file);
    });

  note: CodeIndex["note"] = async (name) => {
    const [row] = await this.#all("SELECT value FROM notes WHERE name = ?", name);
    return row && String(row["value"]);
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

  files: CodeIndex["files"] = async ({ path, most } = {}) =>
    (await this.#some(SELECT_FILES, [["path = ?", path]], "ORDER BY path", most)).map(parseFileRow);

  problems: CodeIndex["problems"] = async (most) =>
    (await this.#all(`${SELECT_FILES} WHERE problem IS NOT NULL OR is_whole = 0 ORDER BY path LIMIT ?`, most)).map(
      parseFileRow,
    );

  components: CodeIndex["components"] = async ({ path, name, ref, most }: IndexFilter = {}) => {
    const parts = [
      ["f.path = ?", path],
      ["c.name = ?", name],
      ["c.ref = ?", ref],
    ] as const;
    return (await this.#some(SELECT_COMPONENTS, parts, "ORDER BY f.path, c.line, c.id", most)).map(parseComponentRow);
  };

  tags: CodeIndex["tags"] = async ({ path, spec } = {}) => {
    const parts = [
      ["f.path = ?", path],
      ["t.spec = ?", spec],
    ] as const;
    return (await this.#some(SELECT_TAGS, parts, "ORDER BY f.path, t.line, t.rowid")).map(parseTagRow);
  };

  tests: CodeIndex["tests"] = async ({ path } = {}) =>
    (await this.#some(SELECT_TESTS, [["f.path = ?", path]], "ORDER BY f.path, t.line, t.rowid")).map(parseTestRow);

  texts: CodeIndex["texts"] = async ({ key, kind } = {}) =>
    (
      await this.#some(
        "SELECT * FROM texts",
        [
          ["key = ? COLLATE NOCASE", key],
          ["kind = ?", kind],
        ],
        "ORDER BY key, path",
      )
    ).map(parseTextRow);

  uses: CodeIndex["uses"] = (of) => this.#ask((db) => selectDependencies(db, of));
  usedBy: CodeIndex["usedBy"] = (of) => this.#ask((db) => selectDependents(db, of));
  candidates: CodeIndex["candidates"] = (question, most) =>
    this.#ask((db) => selectQueryCandidates(db, question, most));
  namesNear: CodeIndex["namesNear"] = (word, most) => this.#ask((db) => selectSimilarNames(db, word, most));
  sizes: CodeIndex["sizes"] = () => this.#ask(selectFileSizes);
  mostCalled: CodeIndex["mostCalled"] = (most) => this.#ask((db) => selectMostCalled(db, most));

  summaries: CodeIndex["summaries"] = async (keys) => {
    const rows = await this.#ask((db) =>
      keys
        ? keys.flatMap((key) => db.all("SELECT * FROM summaries WHERE key = ?", key))
        : db.all("SELECT * FROM summaries"),
    );
    return new Map(rows.map((row) => [String(row["key"]), parseSummaryRow(row)]));
  };

  keepSummary: CodeIndex["keepSummary"] = ({ key, text, hash, source, at }) =>
    this.#write((db) => db.run("INSERT OR REPLACE INTO summaries VALUES (?, ?, ?, ?, ?)", key, text, hash, source, at));

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

  #all(sql: string, ...values: DatabaseValue[]): Promise<DatabaseRow[]> {
    return this.#ask((db) => db.all(sql, ...values));
  }

  #some(
    select: string,
    parts: readonly (readonly [string, string | undefined])[],
    order: string,
    most = -1,
  ): Promise<DatabaseRow[]> {
    const given = parts.filter((part): part is readonly [string, string] => part[1] !== undefined);
    const where = given.length === 0 ? "" : `WHERE ${given.map(([sql]) => sql).join(" AND ")}`;
    return this.#all(`${select} ${where} ${order} LIMIT ?`, ...given.map(([, value]) => value), most);
  }
}

const SELECT_ALL_IMPORTS = `SELECT f.path, f.language, i.specifier, i.names FROM imports i JOIN files f ON f.id = i.file
  ORDER BY i.file, i.rowid`;

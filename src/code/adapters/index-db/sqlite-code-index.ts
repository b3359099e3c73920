import { existsSync } from "node:fs";
import { join } from "node:path";
import { CODE_INDEX_PATH } from "#kernel/model/workspace-paths.ts";
import type * as port from "../../operations/ports/code-index.ts";
import { listSupertypes } from "../../model/index/supertypes.ts";
import type { CodeIndex, IndexedComponentRow, IndexProblem, IndexStamp } from "../../operations/ports/code-index.ts";
import { type SqliteDatabase, type DatabaseValue, selectRows } from "#kernel/adapters/sqlite-database.ts";
import * as files from "./index-files.ts";
import * as tables from "./index-tables.ts";

export class SqliteCodeIndex implements CodeIndex, Disposable {
  readonly #place: files.CodeIndexOptions;
  #open: SqliteDatabase | undefined;
  /** Queue for calls of this process. Other processes wait for the claim file. */
  #turns: Promise<unknown> = Promise.resolve();
  #isAtWork = false;
  #isKept = true;
  #news: IndexProblem | undefined;

  constructor(place: files.CodeIndexOptions) {
    this.#place = place;
  }

  get isThere(): boolean {
    return !this.#isKept || existsSync(join(this.#place.root, CODE_INDEX_PATH));
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

  alone<T>(work: () => Promise<T>, turn: port.IndexTurn): Promise<T> {
    const mine = this.#turns.then(() => this.#alone(work, turn));
    this.#turns = mine.catch(() => undefined);
    return mine;
  }

  async #alone<T>(work: () => Promise<T>, { cancelled, isAfresh = false }: port.IndexTurn): Promise<T> {
    try {
      using turn = this.#isKept ? await files.claimIndexUpdate(this.#place, cancelled) : undefined;
      if (this.#isKept && turn === undefined) await this.#leaveDisk();
      await this.#begin(isAfresh);
      return await this.#worked(work);
    } catch (error) {
      const fault = this.#open?.fault(error) ?? error;
      if (!this.#isKept || !files.isIndexUnwritable(fault)) throw fault;
      await this.#leaveDisk();
      return await this.#finished(work);
    }
  }

  /** Damage may only show while the index is in use. Then replaces the index and runs the work again. */
  async #worked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#finished(work);
    } catch (error) {
      if (!this.#isKept || !files.isIndexDamage(this.#open?.fault(error) ?? error)) throw error;
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
      if (row?.["n"] !== 1) await db.alone(() => db.script(tables.CREATE_SQL_INDEXES));
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
    this[Symbol.dispose]();
    const found = await files.openIndexFile(this.#place);
    if (typeof found === "string") return this.#replace(found);
    this.#open = found;
  }

  async #replace(news: IndexProblem | undefined): Promise<void> {
    this[Symbol.dispose]();
    this.#open = await files.replaceIndexFile(this.#place);
    this.#news = news ?? this.#news;
  }

  async #leaveDisk(): Promise<void> {
    this[Symbol.dispose]();
    this.#open = await files.openTemporaryIndex(this.#place);
    if (this.#isKept) this.#news = "unkept";
    this.#isKept = false;
  }

  /** A reader treats an unusable index as empty until an update rebuilds it. */
  async #db(): Promise<SqliteDatabase> {
    if (this.#open && (!this.#isKept || this.#open.isCurrent)) return this.#open;
    if (this.#isAtWork) throw files.createIndexGoneFault(this.#place);
    const found = await files.openIndexFile(this.#place);
    this[Symbol.dispose]();
    this.#open = typeof found === "string" ? await files.openTemporaryIndex(this.#place) : found;
    return this.#open;
  }

  stamps: CodeIndex["stamps"] = () => this.#stamps("files");
  textStamps: CodeIndex["textStamps"] = () => this.#stamps("text_files");

  put: CodeIndex["put"] = (indexed, gone = []) =>
    this.#write((db) => {
      for (const path of gone) tables.deleteIndexedFile(db, path);
      for (const file of indexed) tables.insertIndexedFile(db, file);
    });

  restamp: CodeIndex["restamp"] = (stamps) =>
    this.#write((db) => {
      for (const { path, hash, stamp } of stamps)
        db.run("UPDATE files SET hash = ?, stamp = ? WHERE path = ?", hash, stamp, path);
    });

  importers: CodeIndex["importers"] = async function* (this: SqliteCodeIndex) {
    const db = await this.#db();
    let last: { path: string; language: string; imports: port.IndexedImporter["imports"][number][] } | undefined;
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
      for (const [path, means] of targets) tables.replaceImportTargets(db, path, means);
    });

  putTexts: CodeIndex["putTexts"] = (texts, gone = []) =>
    this.#write((db) => {
      for (const path of gone) tables.deleteTextFile(db, path);
      for (const file of texts) tables.insertTextFile(db, file);
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

  publish: CodeIndex["publish"] = async (copy, now) => files.publishIndexExport(this.#place, copy, now);

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

  files: CodeIndex["files"] = ({ path, most } = {}) => this.#some(tables.SELECT_FILES, { path }, "path", most);
  problems: CodeIndex["problems"] = (most) =>
    this.#all(`${tables.SELECT_FILES} WHERE problem IS NOT NULL OR is_whole = 0 ORDER BY path LIMIT ?`, most);
  components: CodeIndex["components"] = ({ path, name, ref, most } = {}) =>
    this.#some(tables.SELECT_COMPONENTS, { path, name, ref }, "f.path, c.line, c.id", most);
  subtypes: CodeIndex["subtypes"] = async (name, most) => {
    const where =
      "WHERE c.kind IN ('class', 'interface', 'type') AND instr(c.signature, ?) > 0 AND c.name <> ? LIMIT ?";
    const rows = await this.#all<IndexedComponentRow>(`${tables.SELECT_COMPONENTS} ${where}`, name, name, most);
    const found: IndexedComponentRow[] = [];
    for (const row of rows) {
      const [file] = await this.files({ path: row.path });
      if (listSupertypes(file?.language ?? "", row.signature).includes(name)) found.push(row);
    }
    return found;
  };
  tags: CodeIndex["tags"] = ({ path, spec } = {}) =>
    this.#some(tables.SELECT_TAGS, { path, spec }, "f.path, t.line, t.rowid");
  tests: CodeIndex["tests"] = ({ path } = {}) => this.#some(tables.SELECT_TESTS, { path }, "f.path, t.line, t.rowid");
  texts: CodeIndex["texts"] = ({ key, kind } = {}) =>
    this.#some(tables.SELECT_TEXTS, { "key COLLATE NOCASE": key, kind }, "key, path");

  uses: CodeIndex["uses"] = (of) => this.#ask((db) => tables.selectDependencies(db, "uses", of));
  usedBy: CodeIndex["usedBy"] = (of) => this.#ask((db) => tables.selectDependencies(db, "usedBy", of));
  testCallers: CodeIndex["testCallers"] = (name, most) => this.#all(tables.SELECT_TEST_CALLERS, name, most);
  candidates: CodeIndex["candidates"] = (question, most) =>
    this.#ask((db) => tables.selectQueryCandidates(db, question, most));
  namesNear: CodeIndex["namesNear"] = async (word, most) =>
    (await this.#all<{ name: string }>(tables.SELECT_SIMILAR_NAMES, word, most)).map(({ name }) => name);
  sizes: CodeIndex["sizes"] = () => this.#all(tables.SELECT_FILE_SIZES);
  mostCalled: CodeIndex["mostCalled"] = async (most) =>
    (await this.#all<port.IndexedComponentRow & { calls: number }>(tables.SELECT_MOST_CALLED, most)).map(
      ({ calls, ...component }) => ({ component, calls }),
    );

  summaries: CodeIndex["summaries"] = async (keys) => {
    const select = "SELECT * FROM summaries";
    const rows = await this.#ask((db) =>
      keys
        ? keys.flatMap((key) => selectRows<port.IndexedSummary>(db, `${select} WHERE key = ?`, key))
        : selectRows<port.IndexedSummary>(db, select),
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

import fs from "node:fs";
import { join } from "node:path";
import { Fault } from "#domain/fault.ts";
import { INDEX, MACHINE_FOLDER } from "#domain/workspace/path.ts";
import type { CodeIndex, Dependency, Where } from "#operations/ports/code-index.ts";
import { makeMachineFolder } from "../files/machine-folder.ts";
import { Database, type Row, type Value } from "../sqlite/database.ts";
import type { Kind } from "../sqlite/database-fault.ts";
import { findCandidates, mostCalledIn, namesNear } from "./find.ts";
import { forgetFile, forgetText, putFile, putText } from "./put.ts";
import { COMPONENT, componentOf, FILE, fileOf, summaryOf, TAG, tagOf, TEST, testOf, textOf } from "./rows.ts";
import { LAYOUT, TABLES } from "./schema.ts";

const KIND: Kind = {
  name: "index",
  migrations: [TABLES],
  // Whatever is lost can be made again.
  pragmas: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768",
  remedy: () => "Build it again: tenon index --full",
};

/** Opens the index, and makes it anew where there is none that can be used. */
export async function openCodeIndex(root: string, newId: () => string): Promise<CodeIndex & Disposable> {
  makeMachineFolder(join(root, MACHINE_FOLDER), newId);
  const file = join(root, INDEX);
  const isThere = fs.existsSync(file);
  const found = isThere ? await tryOpen(file) : undefined;
  if (found instanceof Database) return new SqliteCodeIndex(found, undefined);
  if (isThere) for (const end of ["", "-wal", "-shm"]) fs.rmSync(`${file}${end}`, { force: true });
  const db = new Database(file, KIND);
  await db.open();
  return new SqliteCodeIndex(db, found ?? "missing");
}

async function tryOpen(file: string): Promise<Database | "old" | "damaged"> {
  const db = new Database(file, KIND);
  try {
    await db.open();
    const [row] = db.all("SELECT value FROM notes WHERE name = 'layout'");
    if (row?.["value"] === LAYOUT) return db;
    db.close();
    return "old";
  } catch (error) {
    db.close();
    const fault = db.fault(error);
    if (fault instanceof Fault && fault.code === "database.newer") return "old";
    if (fault instanceof Fault && fault.code !== "database.corrupt") throw fault;
    return "damaged";
  }
}

class SqliteCodeIndex implements CodeIndex, Disposable {
  readonly wasMissing: CodeIndex["wasMissing"];
  readonly #db: Database;

  constructor(db: Database, wasMissing: CodeIndex["wasMissing"]) {
    this.#db = db;
    this.wasMissing = wasMissing;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  stamps: CodeIndex["stamps"] = async () =>
    new Map(
      this.#all("SELECT path, hash, stamp FROM files").map((row) => [
        String(row["path"]),
        { hash: String(row["hash"]), stamp: String(row["stamp"]) },
      ]),
    );

  put: CodeIndex["put"] = (files, gone = []) =>
    this.#db.alone(() => {
      for (const path of gone) forgetFile(this.#db, path);
      for (const file of files) putFile(this.#db, file);
    });

  putTexts: CodeIndex["putTexts"] = (texts) =>
    this.#db.alone(() => {
      const before = new Map(this.#all("SELECT key, hash FROM texts").map((row) => [row["key"], row["hash"]]));
      for (const text of texts) {
        if (before.get(text.key) !== text.hash) putText(this.#db, text);
        before.delete(text.key);
      }
      for (const key of before.keys()) forgetText(this.#db, String(key));
    });

  note: CodeIndex["note"] = async (name) => {
    const [row] = this.#all("SELECT value FROM notes WHERE name = ?", name);
    return row && String(row["value"]);
  };

  keepNote: CodeIndex["keepNote"] = (name, value) =>
    this.#db.alone(() => this.#db.run("INSERT OR REPLACE INTO notes VALUES (?, ?)", name, value));

  counts: CodeIndex["counts"] = async () => {
    const count = (from: string): number => Number(this.#all(`SELECT count(*) AS n FROM ${from}`)[0]?.["n"]);
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
    this.#some(FILE, [["path = ?", path]], "ORDER BY path", most).map(fileOf);

  components: CodeIndex["components"] = async ({ path, name, ref, most }: Where = {}) =>
    this.#some(
      COMPONENT,
      [
        ["f.path = ?", path],
        ["c.name = ?", name],
        ["c.ref = ?", ref],
      ],
      "ORDER BY f.path, c.line, c.id",
      most,
    ).map(componentOf);

  tags: CodeIndex["tags"] = async ({ path, spec } = {}) =>
    this.#some(
      TAG,
      [
        ["f.path = ?", path],
        ["t.spec = ?", spec],
      ],
      "ORDER BY f.path, t.line",
    ).map(tagOf);

  tests: CodeIndex["tests"] = async ({ path } = {}) =>
    this.#some(TEST, [["f.path = ?", path]], "ORDER BY f.path, t.line").map(testOf);

  texts: CodeIndex["texts"] = async ({ kind } = {}) =>
    this.#some("SELECT * FROM texts", [["kind = ?", kind]], "ORDER BY key").map(textOf);

  uses: CodeIndex["uses"] = async (of) =>
    of.ref === undefined
      ? this.#all(IMPORTED, of.path).map((row) => dependency("import", of, row))
      : this.#all(CALLED, of.path, of.ref).map((row) => dependency("call", of, row));

  usedBy: CodeIndex["usedBy"] = async (of) =>
    of.ref === undefined
      ? this.#all(IMPORTERS, of.path).map((row) => turned(dependency("import", of, row)))
      : this.#all(CALLERS, of.path, of.ref).map((row) => turned(dependency("call", of, row)));

  candidates: CodeIndex["candidates"] = async (question, most) =>
    this.#looking(() => findCandidates(this.#db, question, most));

  namesNear: CodeIndex["namesNear"] = async (word, most) => this.#looking(() => namesNear(this.#db, word, most));

  mostCalled: CodeIndex["mostCalled"] = async (most) => this.#looking(() => mostCalledIn(this.#db, most));

  summaries: CodeIndex["summaries"] = async (keys) => {
    const rows = keys
      ? keys.flatMap((key) => this.#all("SELECT * FROM summaries WHERE key = ?", key))
      : this.#all("SELECT * FROM summaries");
    return new Map(rows.map((row) => [String(row["key"]), summaryOf(row)]));
  };

  keepSummary: CodeIndex["keepSummary"] = ({ key, text, hash, source, at }) =>
    this.#db.alone(() =>
      this.#db.run("INSERT OR REPLACE INTO summaries VALUES (?, ?, ?, ?, ?)", key, text, hash, source, at),
    );

  #all(sql: string, ...values: Value[]): Row[] {
    return this.#looking(() => this.#db.all(sql, ...values));
  }

  #looking<T>(look: () => T): T {
    try {
      return look();
    } catch (error) {
      throw this.#db.fault(error);
    }
  }

  #some(select: string, parts: readonly (readonly [string, string | undefined])[], order: string, most = -1): Row[] {
    const given = parts.filter((part): part is readonly [string, string] => part[1] !== undefined);
    const where = given.length === 0 ? "" : `WHERE ${given.map(([sql]) => sql).join(" AND ")}`;
    return this.#all(`${select} ${where} ${order} LIMIT ?`, ...given.map(([, value]) => value), most);
  }
}

const IMPORTED = `SELECT DISTINCT i.target AS path, NULL AS ref FROM imports i JOIN files f ON f.id = i.file
  WHERE f.path = ? ORDER BY 1`;
const IMPORTERS = `SELECT DISTINCT f.path AS path, NULL AS ref FROM imports i JOIN files f ON f.id = i.file
  WHERE i.target = ? ORDER BY 1`;
/** A call means what has its name in the same file, or in a file that is imported. */
const CALLED = `SELECT DISTINCT tf.path AS path, t.ref AS ref
  FROM files f JOIN components c ON c.file = f.id JOIN calls k ON k.component = c.id
  JOIN components t ON t.name = k.name AND t.id <> c.id JOIN files tf ON tf.id = t.file
  WHERE f.path = ? AND c.ref = ? AND
    (tf.id = f.id OR EXISTS (SELECT 1 FROM imports i WHERE i.file = f.id AND i.target = tf.path)) ORDER BY 1, 2`;
const CALLERS = `SELECT DISTINCT cf.path AS path, c.ref AS ref
  FROM files f JOIN components t ON t.file = f.id JOIN calls k ON k.name = t.name
  JOIN components c ON c.id = k.component AND c.id <> t.id JOIN files cf ON cf.id = c.file
  WHERE f.path = ? AND t.ref = ? AND
    (cf.id = f.id OR EXISTS (SELECT 1 FROM imports i WHERE i.file = cf.id AND i.target = f.path)) ORDER BY 1, 2`;

function dependency(by: Dependency["by"], from: Dependency["from"], row: Row): Dependency {
  const ref = row["ref"];
  return { by, from, to: { path: String(row["path"]), ...(ref === null ? {} : { ref: String(ref) }) } };
}

const turned = ({ by, from, to }: Dependency): Dependency => ({ by, from: to, to: from });

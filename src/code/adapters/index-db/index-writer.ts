import { type CodeComponent, findSpanForLine, createComponentRefs } from "../../model/index/code-outline.ts";
import { isTestLine } from "../../model/scan/test-files.ts";
import { extractIndexTerms } from "../../model/query/code-search-terms.ts";
import { createComponentEntry, createFileEntry, createTextEntry } from "../../operations/index/index-entries.ts";
import type {
  IndexedComponentRow,
  CodeIndexEntry,
  IndexedFileRow,
  IndexedFile,
  IndexedText,
  IndexedTextFile,
} from "../../operations/ports/code-index.ts";
import type { SqliteDatabase } from "#kernel/adapters/sqlite-database.ts";
import { NAME_TERM_PREFIX, encodeEntryId } from "./index-schema.ts";

/** Keeps only the last name: `this.store.read` calls some `read`. */
const parseCalledName = (callee: string): string => /[\w$]+(?=[^\w$]*$)/.exec(callee)?.[0] ?? "";

export function insertIndexedFile(db: SqliteDatabase, file: IndexedFile): void {
  deleteIndexedFile(db, file.path);
  const { path, hash, stamp, isTest, outline, problem } = file;
  const row: IndexedFileRow = {
    path,
    hash,
    stamp,
    language: outline?.language ?? "",
    isTest,
    isWhole: outline?.isWhole ?? true,
    lines: outline?.lines ?? 0,
    doc: outline?.doc ?? "",
    ...(problem === undefined ? {} : { problem }),
  };
  const id = db.insert(
    `INSERT INTO files (path, hash, stamp, language, beside, is_test, is_whole, lines, doc, problem)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    path,
    hash,
    stamp,
    row.language,
    formatFolderScope(path, row.language),
    Number(isTest),
    Number(row.isWhole),
    row.lines,
    row.doc,
    problem ?? null,
  );
  if (!outline) return;
  insertSearchTerms(db, createFileEntry(encodeEntryId("file", id), row));
  const refs = createComponentRefs(outline.components);
  const placed = outline.components.map((each, i) => ({ ...each, ref: refs[i] ?? each.name }));
  for (const each of placed) insertComponentRow(db, id, { ...each, path, isTest: isTestCodeLine(file, each.line) });
  for (const { specifier, names } of outline.imports)
    db.run("INSERT INTO imports VALUES (?, ?, ?)", id, specifier, JSON.stringify(names));
  insertImportTargets(db, id, file.targets);
  for (const { spec, criterion, line, by } of outline.tags)
    db.run(
      "INSERT INTO tags VALUES (?, ?, ?, ?, ?, ?, ?)",
      id,
      findSpanForLine(placed, line)?.ref ?? null,
      spec,
      criterion ?? null,
      line,
      by,
      Number(isTestCodeLine(file, line)),
    );
  for (const { name, line, lastLine } of outline.tests)
    db.run("INSERT INTO tests VALUES (?, ?, ?, ?)", id, name, line, lastLine);
}

const isTestCodeLine = ({ isTest, outline }: IndexedFile, line: number): boolean =>
  isTest || isTestLine(outline?.testParts ?? [], line);

function insertComponentRow(
  db: SqliteDatabase,
  file: number,
  row: IndexedComponentRow & Pick<CodeComponent, "calls">,
): void {
  const id = db.insert(
    `INSERT INTO components (file, ref, kind, name, within, signature, doc, line, last_line, start, end,
       is_exported, is_test, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    file,
    row.ref,
    row.kind,
    row.name,
    row.within,
    row.signature,
    row.doc,
    row.line,
    row.lastLine,
    row.start,
    row.end,
    Number(row.isExported),
    Number(row.isTest),
    row.hash,
  );
  insertSearchTerms(db, createComponentEntry(encodeEntryId("component", id), row));
  for (const name of new Set(row.calls.map(parseCalledName)))
    if (name !== "") db.run("INSERT INTO calls VALUES (?, ?, ?)", id, name, Number(row.isTest));
}

const FOLDER_SCOPED_LANGUAGES = new Set(["go", "java", "csharp", "php"]);

const formatFolderScope = (path: string, language: string): string | null =>
  FOLDER_SCOPED_LANGUAGES.has(language) ? `${language} ${path.slice(0, path.lastIndexOf("/") + 1)}` : null;

function insertImportTargets(db: SqliteDatabase, file: number, targets: IndexedFile["targets"]): void {
  for (const [specifier, paths] of targets)
    for (const path of paths) db.run("INSERT INTO targets VALUES (?, ?, ?)", file, specifier, path);
}

function selectFileId(db: SqliteDatabase, path: string): number | undefined {
  const [row] = db.all("SELECT id FROM files WHERE path = ?", path);
  return row && Number(row["id"]);
}

export function replaceImportTargets(db: SqliteDatabase, path: string, targets: IndexedFile["targets"]): void {
  const id = selectFileId(db, path);
  if (id === undefined) return;
  db.run("DELETE FROM targets WHERE file = ?", id);
  insertImportTargets(db, id, targets);
}

const TABLES_WITH_FILE = ["components", "imports", "targets", "tags", "tests"] as const;

export function deleteIndexedFile(db: SqliteDatabase, path: string): void {
  const id = selectFileId(db, path);
  if (id === undefined) return;
  for (const row of db.all("SELECT id FROM components WHERE file = ?", id)) {
    const component = Number(row["id"]);
    deleteSearchTerms(db, encodeEntryId("component", component));
    db.run("DELETE FROM calls WHERE component = ?", component);
  }
  deleteSearchTerms(db, encodeEntryId("file", id));
  for (const table of TABLES_WITH_FILE) db.run(`DELETE FROM ${table} WHERE file = ?`, id);
  db.run("DELETE FROM files WHERE id = ?", id);
}

export function insertTextFile(db: SqliteDatabase, { path, hash, stamp, texts }: IndexedTextFile): void {
  deleteTextFile(db, path);
  db.run("INSERT INTO text_files VALUES (?, ?, ?)", path, hash, stamp);
  for (const text of texts) insertIndexedText(db, text);
}

function insertIndexedText(db: SqliteDatabase, text: IndexedText): void {
  const { kind, key, path, line, title, hash } = text;
  const id = db.insert(
    "INSERT INTO texts (kind, key, path, line, title, text, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
    kind,
    key,
    path,
    line,
    title,
    text.text,
    hash,
  );
  insertSearchTerms(db, createTextEntry(encodeEntryId("text", id), text));
}

export function deleteTextFile(db: SqliteDatabase, path: string): void {
  for (const row of db.all("SELECT id FROM texts WHERE path = ?", path))
    deleteSearchTerms(db, encodeEntryId("text", Number(row["id"])));
  db.run("DELETE FROM texts WHERE path = ?", path);
  db.run("DELETE FROM text_files WHERE path = ?", path);
}

function insertSearchTerms(db: SqliteDatabase, { id, title, text }: CodeIndexEntry): void {
  const named = [...extractIndexTerms(title)].map((term) => `${NAME_TERM_PREFIX}${term}`);
  const terms = [...extractIndexTerms(`${title}\n${text}`), ...named].join(" ");
  db.run("INSERT INTO words (rowid, text) VALUES (?, ?)", id, terms);
}

const deleteSearchTerms = (db: SqliteDatabase, id: number): void => db.run("DELETE FROM words WHERE rowid = ?", id);

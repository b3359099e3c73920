import { type CodeComponent, findSpanForLine, createComponentRefs } from "../../model/index/code-outline.ts";
import { isTestLine } from "../../model/scan/test-files.ts";
import { extractIndexTerms } from "../../model/query/code-search-terms.ts";
import { createComponentEntry, createFileEntry, createTextEntry } from "../../operations/index/index-entries.ts";
import type {
  CodeIndexEntry,
  IndexedComponentRow,
  IndexedFile,
  IndexedTextFile,
} from "../../operations/ports/code-index.ts";
import type { SqliteDatabase } from "#kernel/adapters/sqlite-database.ts";
import { NAME_TERM_PREFIX, encodeEntryId, insertRow } from "./index-schema.ts";

export function insertIndexedFile(db: SqliteDatabase, file: IndexedFile): void {
  deleteIndexedFile(db, file.path);
  const { path, hash, stamp, isTest, outline, problem } = file;
  const { language = "", isWhole = true, lines = 0, doc = "" } = outline ?? {};
  const beside = formatFolderScope(path, language);
  const flags = { is_test: isTest, is_whole: isWhole };
  const id = insertRow(db, "files", { path, hash, stamp, language, beside, ...flags, lines, doc, problem });
  if (!outline) return;
  insertSearchTerms(db, createFileEntry(encodeEntryId("file", id), { path, hash, doc }));
  const refs = createComponentRefs(outline.components);
  const placed = outline.components.map((each, i) => ({ ...each, ref: refs[i] ?? each.name }));
  for (const each of placed) insertComponentRow(db, id, { ...each, path, isTest: isTestCodeLine(file, each.line) });
  for (const { specifier, names } of outline.imports)
    db.run("INSERT INTO imports VALUES (?, ?, ?)", id, specifier, JSON.stringify(names));
  insertImportTargets(db, id, file.targets);
  for (const { by, ...tag } of outline.tags) {
    const ref = findSpanForLine(placed, tag.line)?.ref;
    insertRow(db, "tags", { file: id, ref, ...tag, said_by: by, is_test: isTestCodeLine(file, tag.line) });
  }
  for (const { name, line, lastLine } of outline.tests)
    db.run("INSERT INTO tests VALUES (?, ?, ?, ?)", id, name, line, lastLine);
}

const isTestCodeLine = ({ isTest, outline }: IndexedFile, line: number): boolean =>
  isTest || isTestLine(outline?.testParts ?? [], line);

const FOLDER_SCOPED_LANGUAGES = new Set(["go", "java", "csharp", "php"]);

const formatFolderScope = (path: string, language: string): string | undefined =>
  FOLDER_SCOPED_LANGUAGES.has(language) ? `${language} ${path.slice(0, path.lastIndexOf("/") + 1)}` : undefined;

function insertComponentRow(
  db: SqliteDatabase,
  file: number,
  component: IndexedComponentRow & Pick<CodeComponent, "calls">,
): void {
  const { path: _, calls, lastLine, isExported, isTest, ...row } = component;
  const flags = { is_exported: isExported, is_test: isTest };
  const id = insertRow(db, "components", { file, ...row, last_line: lastLine, ...flags });
  insertSearchTerms(db, createComponentEntry(encodeEntryId("component", id), component));
  for (const name of new Set(calls.map(parseCalledName)))
    if (name !== "") db.run("INSERT INTO calls VALUES (?, ?, ?)", id, name, Number(isTest));
}

/** Keeps only the last name: `this.store.read` calls some `read`. */
const parseCalledName = (callee: string): string => /[\w$]+(?=[^\w$]*$)/.exec(callee)?.[0] ?? "";

function insertImportTargets(db: SqliteDatabase, file: number, targets: IndexedFile["targets"]): void {
  for (const [specifier, paths] of targets)
    for (const path of paths) db.run("INSERT INTO targets VALUES (?, ?, ?)", file, specifier, path);
}

const selectFileId = (db: SqliteDatabase, path: string): number =>
  Number(db.all("SELECT id FROM files WHERE path = ?", path)[0]?.["id"] ?? 0);

export function replaceImportTargets(db: SqliteDatabase, path: string, targets: IndexedFile["targets"]): void {
  const id = selectFileId(db, path);
  if (id === 0) return;
  db.run("DELETE FROM targets WHERE file = ?", id);
  insertImportTargets(db, id, targets);
}

export function deleteIndexedFile(db: SqliteDatabase, path: string): void {
  const id = selectFileId(db, path);
  if (id === 0) return;
  for (const row of db.all("SELECT id FROM components WHERE file = ?", id)) {
    const component = Number(row["id"]);
    deleteSearchTerms(db, encodeEntryId("component", component));
    db.run("DELETE FROM calls WHERE component = ?", component);
  }
  deleteSearchTerms(db, encodeEntryId("file", id));
  for (const table of ["components", "imports", "targets", "tags", "tests"])
    db.run(`DELETE FROM ${table} WHERE file = ?`, id);
  db.run("DELETE FROM files WHERE id = ?", id);
}

export function insertTextFile(db: SqliteDatabase, { path, hash, stamp, texts }: IndexedTextFile): void {
  deleteTextFile(db, path);
  db.run("INSERT INTO text_files VALUES (?, ?, ?)", path, hash, stamp);
  for (const text of texts) {
    const id = insertRow(db, "texts", { ...text });
    insertSearchTerms(db, createTextEntry(encodeEntryId("text", id), text));
  }
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

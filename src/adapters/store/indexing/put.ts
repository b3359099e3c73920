import { type Component, aboutLine, refsOf } from "#domain/indexing/outline.ts";
import { isTestLine } from "#domain/scan/test-files.ts";
import { termsOfCode } from "#domain/indexing/words.ts";
import { entryOfComponent, entryOfFile, entryOfText } from "#operations/indexing/entry.ts";
import type {
  IndexedComponentRow,
  CodeIndexEntry,
  IndexedFileRow,
  IndexedFile,
  IndexedText,
  IndexedTextFile,
} from "#operations/ports/code-index.ts";
import type { Database } from "../sqlite/database.ts";
import { IN_NAME } from "./schema.ts";
import { entryId } from "./rows.ts";

/** Keeps only the last name: `this.store.read` calls some `read`. */
const calledName = (callee: string): string => /[\w$]+(?=[^\w$]*$)/.exec(callee)?.[0] ?? "";

export function putFile(db: Database, file: IndexedFile): void {
  forgetFile(db, file.path);
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
    besideOf(path, row.language),
    Number(isTest),
    Number(row.isWhole),
    row.lines,
    row.doc,
    problem ?? null,
  );
  if (!outline) return;
  putWords(db, entryOfFile(entryId("file", id), row));
  const refs = refsOf(outline.components);
  const placed = outline.components.map((each, i) => ({ ...each, ref: refs[i] ?? each.name }));
  for (const each of placed) putComponent(db, id, { ...each, path, isTest: isTestAt(file, each.line) });
  for (const { specifier, names } of outline.imports)
    db.run("INSERT INTO imports VALUES (?, ?, ?)", id, specifier, JSON.stringify(names));
  putTargets(db, id, file.targets);
  for (const { spec, criterion, line, by } of outline.tags)
    db.run(
      "INSERT INTO tags VALUES (?, ?, ?, ?, ?, ?, ?)",
      id,
      aboutLine(placed, line)?.ref ?? null,
      spec,
      criterion ?? null,
      line,
      by,
      Number(isTestAt(file, line)),
    );
  for (const { name, line, lastLine } of outline.tests)
    db.run("INSERT INTO tests VALUES (?, ?, ?, ?)", id, name, line, lastLine);
}

const isTestAt = ({ isTest, outline }: IndexedFile, line: number): boolean =>
  isTest || isTestLine(outline?.testParts ?? [], line);

function putComponent(db: Database, file: number, row: IndexedComponentRow & Pick<Component, "calls">): void {
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
  putWords(db, entryOfComponent(entryId("component", id), row));
  for (const name of new Set(row.calls.map(calledName)))
    if (name !== "") db.run("INSERT INTO calls VALUES (?, ?, ?)", id, name, Number(row.isTest));
}

const TOGETHER = new Set(["go", "java", "csharp", "php"]);

const besideOf = (path: string, language: string): string | null =>
  TOGETHER.has(language) ? `${language} ${path.slice(0, path.lastIndexOf("/") + 1)}` : null;

function putTargets(db: Database, file: number, targets: IndexedFile["targets"]): void {
  for (const [specifier, paths] of targets)
    for (const path of paths) db.run("INSERT INTO targets VALUES (?, ?, ?)", file, specifier, path);
}

function fileId(db: Database, path: string): number | undefined {
  const [row] = db.all("SELECT id FROM files WHERE path = ?", path);
  return row && Number(row["id"]);
}

export function retargetFile(db: Database, path: string, targets: IndexedFile["targets"]): void {
  const id = fileId(db, path);
  if (id === undefined) return;
  db.run("DELETE FROM targets WHERE file = ?", id);
  putTargets(db, id, targets);
}

const OF_FILE = ["components", "imports", "targets", "tags", "tests"] as const;

export function forgetFile(db: Database, path: string): void {
  const id = fileId(db, path);
  if (id === undefined) return;
  for (const row of db.all("SELECT id FROM components WHERE file = ?", id)) {
    const component = Number(row["id"]);
    forgetWords(db, entryId("component", component));
    db.run("DELETE FROM calls WHERE component = ?", component);
  }
  forgetWords(db, entryId("file", id));
  for (const table of OF_FILE) db.run(`DELETE FROM ${table} WHERE file = ?`, id);
  db.run("DELETE FROM files WHERE id = ?", id);
}

export function putTextFile(db: Database, { path, hash, stamp, texts }: IndexedTextFile): void {
  forgetTextFile(db, path);
  db.run("INSERT INTO text_files VALUES (?, ?, ?)", path, hash, stamp);
  for (const text of texts) putText(db, text);
}

function putText(db: Database, text: IndexedText): void {
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
  putWords(db, entryOfText(entryId("text", id), text));
}

export function forgetTextFile(db: Database, path: string): void {
  for (const row of db.all("SELECT id FROM texts WHERE path = ?", path))
    forgetWords(db, entryId("text", Number(row["id"])));
  db.run("DELETE FROM texts WHERE path = ?", path);
  db.run("DELETE FROM text_files WHERE path = ?", path);
}

function putWords(db: Database, { id, title, text }: CodeIndexEntry): void {
  const named = [...termsOfCode(title)].map((term) => `${IN_NAME}${term}`);
  const terms = [...termsOfCode(`${title}\n${text}`), ...named].join(" ");
  db.run("INSERT INTO words (rowid, text) VALUES (?, ?)", id, terms);
}

const forgetWords = (db: Database, id: number): void => db.run("DELETE FROM words WHERE rowid = ?", id);

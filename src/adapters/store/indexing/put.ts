import { componentAt, refsOf } from "#domain/indexing/outline.ts";
import { termsOfCode } from "#domain/indexing/words.ts";
import type { Entry, IndexedFile, IndexedText } from "#operations/ports/code-index.ts";
import type { Database } from "../sqlite/database.ts";
import { componentOf, entryId, entryOfComponent, entryOfFile, entryOfText, fileOf } from "./rows.ts";

/** Only the last name of what is called can be looked for: `this.store.read` calls some `read`. */
const calledName = (callee: string): string => /[\w$]+(?=[^\w$]*$)/.exec(callee)?.[0] ?? "";

export function putFile(db: Database, file: IndexedFile): void {
  forgetFile(db, file.path);
  const { path, hash, stamp, outline, problem } = file;
  const [row] = db.all(
    `INSERT INTO files (path, hash, stamp, language, is_test, is_whole, lines, doc, problem)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
    path,
    hash,
    stamp,
    outline?.language ?? "",
    file.isTest ? 1 : 0,
    outline?.isWhole === false ? 0 : 1,
    outline?.lines ?? 0,
    outline?.doc ?? "",
    problem ?? null,
  );
  const id = Number(row?.["id"]);
  if (!outline || !row) return;
  putWords(db, entryOfFile(entryId("file", id), fileOf(row)));
  const refs = refsOf(outline.components);
  for (const [i, each] of outline.components.entries()) {
    const [kept] = db.all(
      `INSERT INTO components (file, ref, kind, name, within, signature, doc, line, last_line, start, end,
         is_exported, is_test, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
      id,
      refs[i] ?? each.name,
      each.kind,
      each.name,
      each.within,
      each.signature,
      each.doc,
      each.line,
      each.lastLine,
      each.start,
      each.end,
      each.isExported ? 1 : 0,
      file.isTest ? 1 : 0,
      each.hash,
    );
    if (!kept) continue;
    const component = Number(kept["id"]);
    putWords(db, entryOfComponent(entryId("component", component), componentOf({ ...kept, path })));
    for (const name of new Set(each.calls.map(calledName)))
      if (name !== "") db.run("INSERT INTO calls VALUES (?, ?)", component, name);
  }
  for (const { specifier } of outline.imports)
    for (const target of file.targets.get(specifier) ?? [])
      db.run("INSERT INTO imports VALUES (?, ?, ?)", id, specifier, target);
  const placed = outline.components.map((each, i) => ({ ...each, ref: refs[i] ?? each.name }));
  for (const { spec, criterion, line, by } of outline.tags)
    db.run(
      "INSERT INTO tags VALUES (?, ?, ?, ?, ?, ?, ?)",
      id,
      componentAt(placed, line)?.ref ?? null,
      spec,
      criterion ?? null,
      line,
      by,
      file.isTest ? 1 : 0,
    );
  for (const { name, line, lastLine } of outline.tests)
    db.run("INSERT INTO tests VALUES (?, ?, ?, ?)", id, name, line, lastLine);
}

export function forgetFile(db: Database, path: string): void {
  const [file] = db.all("SELECT id FROM files WHERE path = ?", path);
  if (!file) return;
  const id = Number(file["id"]);
  for (const row of db.all("SELECT id FROM components WHERE file = ?", id))
    forgetWords(db, entryId("component", Number(row["id"])));
  forgetWords(db, entryId("file", id));
  db.run("DELETE FROM files WHERE id = ?", id);
}

export function putText(db: Database, text: IndexedText): void {
  forgetText(db, text.key);
  const [row] = db.all(
    "INSERT INTO texts (kind, key, path, line, title, text, hash) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
    text.kind,
    text.key,
    text.path,
    text.line,
    text.title,
    text.text,
    text.hash,
  );
  putWords(db, entryOfText(entryId("text", Number(row?.["id"])), text));
}

export function forgetText(db: Database, key: string): void {
  const [row] = db.all("SELECT id FROM texts WHERE key = ?", key);
  if (!row) return;
  forgetWords(db, entryId("text", Number(row["id"])));
  db.run("DELETE FROM texts WHERE key = ?", key);
}

function putWords(db: Database, { id, title, text }: Entry): void {
  const terms = [...termsOfCode(`${title}\n${text}`)].join(" ");
  db.run("INSERT INTO words (rowid, text) VALUES (?, ?)", id, terms);
}

const forgetWords = (db: Database, id: number): void => db.run("DELETE FROM words WHERE rowid = ?", id);

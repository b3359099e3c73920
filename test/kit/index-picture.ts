import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** All that an index says, without the numbers of its rows and the stamps of the disk. */
export type Picture = Readonly<Record<string, readonly string[]>>;

const NAMES = `SELECT id * 3 AS entry, (SELECT path FROM files f WHERE f.id = c.file) || '#' || ref AS name FROM components c
  UNION ALL SELECT id * 3 + 1, path FROM files UNION ALL SELECT id * 3 + 2, path || ' ' || key FROM texts`;
const OWNER = "(SELECT path FROM files f WHERE f.id = x.file) AS owner";
const PARTS: Readonly<Record<string, string>> = {
  files: "SELECT path, hash, language, beside, is_test, is_whole, lines, doc, problem FROM files",
  components: `SELECT ${OWNER}, ref, kind, name, within, signature, doc, line, last_line, start, end, is_exported, is_test, hash FROM components x`,
  calls: `SELECT (SELECT ${OWNER.replace(" AS owner", "")} || '#' || ref FROM components x WHERE x.id = c.component) AS owner, name FROM calls c`,
  imports: `SELECT ${OWNER}, specifier, names FROM imports x`,
  targets: `SELECT ${OWNER}, specifier, target FROM targets x`,
  tags: `SELECT ${OWNER}, x.* FROM tags x`,
  tests: `SELECT ${OWNER}, name, line, last_line FROM tests x`,
  texts: "SELECT kind, key, path, line, title, text, hash FROM texts",
  text_files: "SELECT path, hash FROM text_files",
  summaries: "SELECT * FROM summaries",
  // What was under way, how far the journal was read and which file it is are no matter of what is known.
  notes: "SELECT * FROM notes WHERE name NOT IN ('journal', 'born')",
  words: `SELECT n.name, v.term FROM temp.terms v JOIN (${NAMES}) n ON n.entry = v.doc`,
  strays: `SELECT doc FROM temp.terms WHERE doc NOT IN (SELECT entry FROM (${NAMES}))`,
};

export function takePicture(root: string): Picture {
  using db = new DatabaseSync(join(root, ".sdd", "index.db"));
  db.exec("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, words, 'instance')");
  return Object.fromEntries(
    Object.entries(PARTS).map(([name, sql]) => [
      name,
      db
        .prepare(sql)
        .all()
        .map((row) => JSON.stringify({ ...row, file: undefined }))
        .toSorted(),
    ]),
  );
}

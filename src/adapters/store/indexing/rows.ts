import type {
  IndexedComponentRow,
  IndexedFileRow,
  IndexedText,
  IndexStamp,
  IndexedSummary,
  IndexedTagRow,
  IndexedTestRow,
} from "#operations/ports/code-index.ts";
import type { DatabaseRow } from "../sqlite/database.ts";

const readIndexText = (value: unknown): string => (typeof value === "string" ? value : "");

export const parseStampRows = (rows: readonly DatabaseRow[]): ReadonlyMap<string, IndexStamp> =>
  new Map(
    rows.map((row) => [
      readIndexText(row["path"]),
      { hash: readIndexText(row["hash"]), stamp: readIndexText(row["stamp"]) },
    ]),
  );

export const SELECT_FILES = "SELECT * FROM files";
export const parseFileRow = (row: DatabaseRow): IndexedFileRow => ({
  path: readIndexText(row["path"]),
  hash: readIndexText(row["hash"]),
  stamp: readIndexText(row["stamp"]),
  language: readIndexText(row["language"]),
  isTest: row["is_test"] === 1,
  isWhole: row["is_whole"] === 1,
  lines: Number(row["lines"]),
  doc: readIndexText(row["doc"]),
  ...(row["problem"] === null ? {} : { problem: readIndexText(row["problem"]) }),
});

export const SELECT_COMPONENTS = "SELECT c.*, f.path AS path FROM components c JOIN files f ON f.id = c.file";
export const parseComponentRow = (row: DatabaseRow): IndexedComponentRow => ({
  path: readIndexText(row["path"]),
  ref: readIndexText(row["ref"]),
  kind: readIndexText(row["kind"]) as IndexedComponentRow["kind"],
  name: readIndexText(row["name"]),
  within: readIndexText(row["within"]),
  signature: readIndexText(row["signature"]),
  doc: readIndexText(row["doc"]),
  line: Number(row["line"]),
  lastLine: Number(row["last_line"]),
  start: Number(row["start"]),
  end: Number(row["end"]),
  isExported: row["is_exported"] === 1,
  isTest: row["is_test"] === 1,
  hash: readIndexText(row["hash"]),
});

export const SELECT_TAGS = "SELECT t.*, f.path AS path FROM tags t JOIN files f ON f.id = t.file";
export const parseTagRow = (row: DatabaseRow): IndexedTagRow => ({
  path: readIndexText(row["path"]),
  spec: readIndexText(row["spec"]),
  ...(row["criterion"] === null ? {} : { criterion: readIndexText(row["criterion"]) }),
  line: Number(row["line"]),
  by: row["said_by"] === "marker" ? "marker" : "tag",
  isTest: row["is_test"] === 1,
  ...(row["ref"] === null ? {} : { ref: readIndexText(row["ref"]) }),
});

export const SELECT_TESTS = "SELECT t.*, f.path AS path FROM tests t JOIN files f ON f.id = t.file";
export const parseTestRow = (row: DatabaseRow): IndexedTestRow => ({
  path: readIndexText(row["path"]),
  name: readIndexText(row["name"]),
  line: Number(row["line"]),
  lastLine: Number(row["last_line"]),
});

export const parseTextRow = (row: DatabaseRow): IndexedText => ({
  kind: readIndexText(row["kind"]) as IndexedText["kind"],
  key: readIndexText(row["key"]),
  path: readIndexText(row["path"]),
  line: Number(row["line"]),
  title: readIndexText(row["title"]),
  text: readIndexText(row["text"]),
  hash: readIndexText(row["hash"]),
});

export const parseSummaryRow = (row: DatabaseRow): IndexedSummary => ({
  key: readIndexText(row["key"]),
  text: readIndexText(row["text"]),
  hash: readIndexText(row["hash"]),
  source: readIndexText(row["source"]) as IndexedSummary["source"],
  at: readIndexText(row["at"]),
});

/** Three tables share the row ids of the search table. */
export const ENTRY_KINDS = ["component", "file", "text"] as const;
export const encodeEntryId = (kind: (typeof ENTRY_KINDS)[number], id: number): number =>
  id * ENTRY_KINDS.length + ENTRY_KINDS.indexOf(kind);

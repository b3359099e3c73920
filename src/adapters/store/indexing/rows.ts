import type {
  IndexedComponentRow,
  IndexedFileRow,
  IndexedText,
  IndexStamp,
  IndexedSummary,
  IndexedTagRow,
  IndexedTestRow,
} from "#operations/ports/code-index.ts";
import type { Row } from "../sqlite/database.ts";

const text = (value: unknown): string => (typeof value === "string" ? value : "");

export const stampsOf = (rows: readonly Row[]): ReadonlyMap<string, IndexStamp> =>
  new Map(rows.map((row) => [text(row["path"]), { hash: text(row["hash"]), stamp: text(row["stamp"]) }]));

export const FILE = "SELECT * FROM files";
export const fileOf = (row: Row): IndexedFileRow => ({
  path: text(row["path"]),
  hash: text(row["hash"]),
  stamp: text(row["stamp"]),
  language: text(row["language"]),
  isTest: row["is_test"] === 1,
  isWhole: row["is_whole"] === 1,
  lines: Number(row["lines"]),
  doc: text(row["doc"]),
  ...(row["problem"] === null ? {} : { problem: text(row["problem"]) }),
});

export const COMPONENT = "SELECT c.*, f.path AS path FROM components c JOIN files f ON f.id = c.file";
export const componentOf = (row: Row): IndexedComponentRow => ({
  path: text(row["path"]),
  ref: text(row["ref"]),
  kind: text(row["kind"]) as IndexedComponentRow["kind"],
  name: text(row["name"]),
  within: text(row["within"]),
  signature: text(row["signature"]),
  doc: text(row["doc"]),
  line: Number(row["line"]),
  lastLine: Number(row["last_line"]),
  start: Number(row["start"]),
  end: Number(row["end"]),
  isExported: row["is_exported"] === 1,
  isTest: row["is_test"] === 1,
  hash: text(row["hash"]),
});

export const TAG = "SELECT t.*, f.path AS path FROM tags t JOIN files f ON f.id = t.file";
export const tagOf = (row: Row): IndexedTagRow => ({
  path: text(row["path"]),
  spec: text(row["spec"]),
  ...(row["criterion"] === null ? {} : { criterion: text(row["criterion"]) }),
  line: Number(row["line"]),
  by: row["said_by"] === "marker" ? "marker" : "tag",
  isTest: row["is_test"] === 1,
  ...(row["ref"] === null ? {} : { ref: text(row["ref"]) }),
});

export const TEST = "SELECT t.*, f.path AS path FROM tests t JOIN files f ON f.id = t.file";
export const testOf = (row: Row): IndexedTestRow => ({
  path: text(row["path"]),
  name: text(row["name"]),
  line: Number(row["line"]),
  lastLine: Number(row["last_line"]),
});

export const textOf = (row: Row): IndexedText => ({
  kind: text(row["kind"]) as IndexedText["kind"],
  key: text(row["key"]),
  path: text(row["path"]),
  line: Number(row["line"]),
  title: text(row["title"]),
  text: text(row["text"]),
  hash: text(row["hash"]),
});

export const summaryOf = (row: Row): IndexedSummary => ({
  key: text(row["key"]),
  text: text(row["text"]),
  hash: text(row["hash"]),
  source: text(row["source"]) as IndexedSummary["source"],
  at: text(row["at"]),
});

/** Three tables share the row ids of the search table. */
export const ENTRY_KINDS = ["component", "file", "text"] as const;
export const entryId = (kind: (typeof ENTRY_KINDS)[number], id: number): number =>
  id * ENTRY_KINDS.length + ENTRY_KINDS.indexOf(kind);

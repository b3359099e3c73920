import { formatComponentKey } from "../../model/index/code-outline.ts";
import type { IndexedComponentRow, CodeIndexEntry, IndexedFileRow, IndexedText } from "../ports/code-index.ts";

export const createComponentEntry = (id: number, row: IndexedComponentRow): CodeIndexEntry => ({
  id,
  kind: "component",
  key: formatComponentKey(row.path, row.ref),
  path: row.path,
  line: row.line,
  title: row.within === "" ? row.name : `${row.within} ${row.name}`,
  text: `${row.signature}\n${row.doc}\n${row.path}`,
  component: row,
});

export const createFileEntry = (
  id: number,
  { path, doc, hash }: Pick<IndexedFileRow, "path" | "hash" | "doc">,
): CodeIndexEntry => ({ id, kind: "file", key: path, path, line: 1, title: path, text: doc, hash });

export const createTextEntry = (id: number, row: IndexedText): CodeIndexEntry => ({ id, ...row });

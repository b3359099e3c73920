import type { QueryFact } from "../../model/query/query-answer.ts";
import type { CodeIndex, CodeIndexEntry, IndexedComponentRow } from "../ports/code-index.ts";

const MAX_SUBTYPES = 200;

/** Product code first; then subtypes of subtypes. */
export async function loadSubtypesFact(
  index: CodeIndex,
  best: CodeIndexEntry,
  format: (row: IndexedComponentRow) => string,
): Promise<QueryFact> {
  const found = new Map<string, IndexedComponentRow>();
  const open = [best.component?.name ?? best.title];
  for (let name = open.shift(); name !== undefined && found.size < MAX_SUBTYPES; name = open.shift())
    for (const row of await index.subtypes(name, MAX_SUBTYPES))
      if (!found.has(`${row.path}#${row.ref}`)) {
        found.set(`${row.path}#${row.ref}`, row);
        open.push(row.name);
      }
  const ordered = [...found.values()].toSorted((one, other) => Number(one.isTest) - Number(other.isTest));
  const values = ordered.map((row, i) => (i < MAX_LOCATED_SUBTYPES ? format(row) : row.name));
  return {
    what: "subtypes",
    values: values.slice(0, MAX_NAMED_SUBTYPES),
    more: Math.max(0, values.length - MAX_NAMED_SUBTYPES),
  };
}

/** The others are named only, so that an answer has room for many. */
const MAX_LOCATED_SUBTYPES = 4;
const MAX_NAMED_SUBTYPES = 24;

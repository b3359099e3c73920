import type { CodeDependency } from "#operations/ports/code-index.ts";
import type { Reader, Row } from "../sqlite/database.ts";

type Place = CodeDependency["from"];

const IMPORTED = `SELECT DISTINCT t.target AS path, NULL AS ref FROM targets t JOIN files f ON f.id = t.file
  WHERE f.path = ? ORDER BY 1`;
const IMPORTERS = `SELECT DISTINCT f.path AS path, NULL AS ref FROM targets t JOIN files f ON f.id = t.file
  WHERE t.target = ? ORDER BY 1`;
/**
 * A call refers to a component of that name in the same file, in an imported file, or in a file visible without an
 * import.
 */
const SEES = (from: string, to: string): string => `(${to}.id = ${from}.id
  OR (${to}.beside = ${from}.beside
    AND (${from}.language <> 'go' OR ${from}.path LIKE '%\\_test.go' ESCAPE '\\' OR ${to}.path NOT LIKE '%\\_test.go' ESCAPE '\\'))
  OR EXISTS (SELECT 1 FROM targets i WHERE i.file = ${from}.id AND i.target = ${to}.path))`;
const CALLED = `SELECT DISTINCT tf.path AS path, t.ref AS ref
  FROM files f JOIN components c ON c.file = f.id JOIN calls k ON k.component = c.id
  JOIN components t ON t.name = k.name AND t.id <> c.id JOIN files tf ON tf.id = t.file
  WHERE f.path = ? AND c.ref = ? AND ${SEES("f", "tf")} ORDER BY 1, 2`;
const CALLERS = `SELECT DISTINCT cf.path AS path, c.ref AS ref
  FROM files f JOIN components t ON t.file = f.id JOIN calls k ON k.name = t.name
  JOIN components c ON c.id = k.component AND c.id <> t.id JOIN files cf ON cf.id = c.file
  WHERE f.path = ? AND t.ref = ? AND ${SEES("cf", "f")} ORDER BY 1, 2`;

export const usedFrom = (db: Reader, of: Place): CodeDependency[] =>
  of.ref === undefined
    ? db.all(IMPORTED, of.path).map((row) => ({ by: "import", from: of, to: placeIn(row) }))
    : db.all(CALLED, of.path, of.ref).map((row) => ({ by: "call", from: of, to: placeIn(row) }));

export const usersOf = (db: Reader, of: Place): CodeDependency[] =>
  of.ref === undefined
    ? db.all(IMPORTERS, of.path).map((row) => ({ by: "import", from: placeIn(row), to: of }))
    : db.all(CALLERS, of.path, of.ref).map((row) => ({ by: "call", from: placeIn(row), to: of }));

const placeIn = ({ path, ref }: Row): Place => ({
  path: String(path),
  ...(typeof ref === "string" ? { ref } : {}),
});

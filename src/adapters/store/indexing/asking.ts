import type { CodeDependency } from "#operations/ports/code-index.ts";
import type { DatabaseReader, DatabaseRow } from "../sqlite/database.ts";

type DependencyEnd = CodeDependency["from"];

const SELECT_IMPORTED_FILES = `SELECT DISTINCT t.target AS path, NULL AS ref FROM targets t JOIN files f ON f.id = t.file
  WHERE f.path = ? ORDER BY 1`;
const SELECT_IMPORTING_FILES = `SELECT DISTINCT f.path AS path, NULL AS ref FROM targets t JOIN files f ON f.id = t.file
  WHERE t.target = ? ORDER BY 1`;
/**
 * A call refers to a component of that name in the same file, in an imported file, or in a file visible without an
 * import.
 */
const buildVisibilityCondition = (from: string, to: string): string => `(${to}.id = ${from}.id
  OR (${to}.beside = ${from}.beside
    AND (${from}.language <> 'go' OR ${from}.path LIKE '%\\_test.go' ESCAPE '\\' OR ${to}.path NOT LIKE '%\\_test.go' ESCAPE '\\'))
  OR EXISTS (SELECT 1 FROM targets i WHERE i.file = ${from}.id AND i.target = ${to}.path))`;
const SELECT_CALLED_COMPONENTS = `SELECT DISTINCT tf.path AS path, t.ref AS ref
  FROM files f JOIN components c ON c.file = f.id JOIN calls k ON k.component = c.id
  JOIN components t ON t.name = k.name AND t.id <> c.id JOIN files tf ON tf.id = t.file
  WHERE f.path = ? AND c.ref = ? AND ${buildVisibilityCondition("f", "tf")} ORDER BY 1, 2`;
const SELECT_CALLING_COMPONENTS = `SELECT DISTINCT cf.path AS path, c.ref AS ref
  FROM files f JOIN components t ON t.file = f.id JOIN calls k ON k.name = t.name
  JOIN components c ON c.id = k.component AND c.id <> t.id JOIN files cf ON cf.id = c.file
  WHERE f.path = ? AND t.ref = ? AND ${buildVisibilityCondition("cf", "f")} ORDER BY 1, 2`;

export const selectDependencies = (db: DatabaseReader, of: DependencyEnd): CodeDependency[] =>
  of.ref === undefined
    ? db.all(SELECT_IMPORTED_FILES, of.path).map((row) => ({ by: "import", from: of, to: parseDependencyEnd(row) }))
    : db
        .all(SELECT_CALLED_COMPONENTS, of.path, of.ref)
        .map((row) => ({ by: "call", from: of, to: parseDependencyEnd(row) }));

export const selectDependents = (db: DatabaseReader, of: DependencyEnd): CodeDependency[] =>
  of.ref === undefined
    ? db.all(SELECT_IMPORTING_FILES, of.path).map((row) => ({ by: "import", from: parseDependencyEnd(row), to: of }))
    : db
        .all(SELECT_CALLING_COMPONENTS, of.path, of.ref)
        .map((row) => ({ by: "call", from: parseDependencyEnd(row), to: of }));

const parseDependencyEnd = ({ path, ref }: DatabaseRow): DependencyEnd => ({
  path: String(path),
  ...(typeof ref === "string" ? { ref } : {}),
});

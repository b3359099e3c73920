import type { CodeFinding, FindingSource, PatternHit, ScannedFile } from "./code-finding.ts";
import { findBlockEnd } from "./code-finding.ts";

const SQL_NAME = String.raw`(?:[\w"\x60[\]]+\.)?["\x60[]?(\w+)["\x60\]]?`;
/** A space matches any white space, and `<name>` for a table. */
const compileSql = (pattern: string, flags = "dgi"): RegExp =>
  new RegExp(
    pattern.replaceAll(" ", String.raw`\s+`).replace("<name>", () => SQL_NAME),
    flags,
  );

const SQL_TABLE = compileSql(String.raw`\bCREATE (?:UNLOGGED |TEMP(?:ORARY)? )?TABLE (?:IF NOT EXISTS )?<name>\s*\(`);
const SQL_ALTER = compileSql(
  String.raw`\bALTER TABLE (?:IF EXISTS )?(?:ONLY )?<name> ADD (?:COLUMN (?:IF NOT EXISTS )?)?([^;]{1,500});`,
);
const SQL_DROP = compileSql(String.raw`\bDROP TABLE (?:IF EXISTS )?<name>`);
const SQL_UNIQUE_INDEX = compileSql(
  String.raw`\bCREATE UNIQUE INDEX (?:CONCURRENTLY )?(?:IF NOT EXISTS )?\S*\s*ON <name>\s*(?:USING \w+\s*)?\(([^()]{1,300})\)`,
);
const SQL_VIEW = compileSql(String.raw`\bCREATE (?:OR REPLACE )?(?:MATERIALIZED )?VIEW (?:IF NOT EXISTS )?<name> AS\b`);
const SQL_ENUM = compileSql(String.raw`\bCREATE TYPE <name> AS ENUM\s*\(([^)]{0,2000})\)`);

export function findSqlModels(sheet: ScannedFile): CodeFinding[] {
  const sql = sheet.by("sql", "declared");
  return [
    ...listUpMigrationHits(sheet, SQL_TABLE).flatMap((hit, i, all) => {
      const open = hit.to - 1;
      const body = sheet.text.slice(open + 1, findBlockEnd(sheet.text, open, all[i + 1]?.from));
      return [
        sql.hit("entity", hit),
        ...splitSqlDefinitions(body).flatMap(({ text, at }) => readSqlColumn(sheet, hit.group(1), text, open + 1 + at)),
      ];
    }),
    ...listUpMigrationHits(sheet, SQL_ALTER).flatMap((hit) => {
      const at = hit.from + sheet.text.slice(hit.from, hit.to).lastIndexOf(hit.group(2));
      return readSqlColumn(sheet, hit.group(1), hit.group(2), at);
    }),
    ...listPatternHits(sheet, SQL_UNIQUE_INDEX).map((hit) => {
      const details = { words: hit.group(2), of: hit.group(1), says: "is unique" };
      return sql.find("rule", cleanColumnNames(hit.group(2)), hit.lineOf(2), details);
    }),
    ...listPatternHits(sheet, SQL_VIEW).map((hit) => sql.hit("derivation", hit, 1, { says: "is computed as a view" })),
    ...listPatternHits(sheet, SQL_ENUM).map((hit) => {
      const says = hit.group(2).replace(/['\s]+/g, " ");
      return sql.hit("enum", hit, 1, { says: says.replace(/ ,/g, ",").trim() });
    }),
  ];
}

export const findDroppedTables = (sheet: ScannedFile): string[] =>
  listUpMigrationHits(sheet, SQL_DROP).map((hit) => hit.group(1));

/** A file that only reverses a migration has none. */
const listPatternHits = (sheet: ScannedFile, pattern: RegExp): readonly PatternHit[] =>
  /\.down\.sql$/i.test(sheet.path) ? [] : sheet.hits(pattern);

/** Ends where the reversal of a migration begins. Its mark is a comment that `blankComments` keeps. */
function listUpMigrationHits(sheet: ScannedFile, pattern: RegExp): readonly PatternHit[] {
  const end = sheet.text.search(/^[ \t]*-- *(?:\+goose Down|migrate:down|\+migrate Down)/im);
  return listPatternHits(sheet, pattern).filter(({ from }) => end < 0 || from < end);
}

/** Splits at commas outside brackets and quotes. */
function splitSqlDefinitions(body: string): { text: string; at: number }[] {
  const found: { text: string; at: number }[] = [];
  let [depth, start, isQuoted] = [0, 0, false];
  for (let at = 0; at <= body.length; at++) {
    const sign = body[at] ?? ",";
    if (sign === "'") isQuoted = !isQuoted;
    else if (isQuoted && at < body.length) continue;
    else if (sign === "(") depth++;
    else if (sign === ")") depth--;
    else if (sign === "," && (depth === 0 || at === body.length)) {
      found.push({ text: body.slice(start, at), at: start });
      start = at + 1;
    }
  }
  return found;
}

const MAX_COLUMN_LENGTH = 1_000;
const SQL_REFERENCE = compileSql(String.raw`\bREFERENCES <name>`, "i");
const SQL_TABLE_RULE = /^\s*(?:CONSTRAINT\s+\S+\s+)?(PRIMARY\s+KEY|UNIQUE|FOREIGN\s+KEY|CHECK|EXCLUDE|KEY|INDEX)\b/i;

const SQL_COLUMN =
  /^["`[]?(\w+)["`\]]?\s+([\w ]+?(?:\([^)]*\))?(?:\[\])?)(?=\s+(?:NOT|NULL|DEFAULT|PRIMARY|UNIQUE|CHECK|REFERENCES|GENERATED|CONSTRAINT|COLLATE|AUTO_INCREMENT|ON)\b|\s*$)/i;

function readSqlColumn(sheet: ScannedFile, of: string, text: string, start: number): CodeFinding[] {
  const sql = sheet.by("sql", "declared");
  const own = text.trim().slice(0, MAX_COLUMN_LENGTH);
  const target = SQL_REFERENCE.exec(own)?.[1];
  const rule = SQL_TABLE_RULE.exec(own)?.[1]?.toUpperCase().replace(/\s+/g, " ");
  if (rule !== undefined) {
    const words = readBracketText(own, own.indexOf("("));
    const at = sheet.lineAt(start + Math.max(0, text.indexOf(words.split("\n", 1)[0] ?? "")));
    if (rule === "CHECK") return [sql.find("rule", "", at, { of, words, says: `satisfies ${words}` })];
    const columns = cleanColumnNames(words);
    if (rule === "UNIQUE") return [sql.find("rule", columns, at, { of, words, says: "is unique" })];
    const isRelation = rule === "FOREIGN KEY" && target !== undefined;
    return isRelation ? [sql.find("relation", columns, at, { of, words, says: target })] : [];
  }
  const [, name, type = ""] = SQL_COLUMN.exec(own) ?? [];
  if (name === undefined) return [];
  const line = sheet.lineAt(start + (text.length - text.trimStart().length));
  const check = /\bCHECK\s*\(/i.exec(own);
  const computed = /\bGENERATED\s+ALWAYS\s+AS\s*\(/i.exec(own);
  const readCondition = (match: RegExpExecArray): string => readBracketText(own, match.index + match[0].length - 1);
  return [
    ...sql.column(of, name, line, {
      type: type.toLowerCase().trim(),
      isRequired: /\bNOT\s+NULL\b/i.test(own),
      isUnique: /\bUNIQUE\b/i.test(own),
      target,
    }),
    ...(check ? [sql.find("rule", name, line, { of, says: `satisfies ${readCondition(check)}` })] : []),
    ...(computed
      ? [sql.find("derivation", name, line, { of, says: `is computed as ${readCondition(computed)}` })]
      : []),
  ];
}

const readBracketText = (text: string, open: number): string =>
  collapseSpaces(text.slice(open + 1, findBlockEnd(text, open)));
const cleanColumnNames = (list: string): string => collapseSpaces(list.replace(/["`[\]]/g, ""));
const collapseSpaces = (text: string): string => text.replace(/\s+/g, " ").trim();

export function findPrismaModels(sheet: ScannedFile): CodeFinding[] {
  const prisma = sheet.by("prisma", "declared");
  return sheet.hits(/^(model|enum)\s+(\w+)\s*\{/dgm).flatMap((hit, i, all) => {
    const first = sheet.lineAt(hit.to - 1);
    const last = sheet.lineAt(findBlockEnd(sheet.text, hit.to - 1, all[i + 1]?.from));
    const inside = sheet.lines.slice(first, last - 1).map((text) => text.trim());
    if (hit.group(1) === "enum")
      return [prisma.hit("enum", hit, 2, { says: inside.filter((text) => /^\w+$/.test(text)).join(", ") })];
    return [
      prisma.hit("entity", hit, 2),
      ...inside.flatMap((text, n) => readPrismaField(prisma, hit.group(2), text, first + 1 + n)),
    ];
  });
}

function readPrismaField(prisma: FindingSource, of: string, text: string, line: number): CodeFinding[] {
  const together = /^@@unique\(\[([^\]]+)\]/.exec(text)?.[1];
  if (together !== undefined) return [prisma.find("rule", together, line, { of, says: "is unique" })];
  const [, name, type = "", mark = "", rest = ""] = /^(\w+)\s+(\w+)(\?|\[\])?(.*)$/.exec(text) ?? [];
  if (name === undefined) return [];
  const keys = /@relation\([^)]*fields:\s*\[([^\]]+)\]/.exec(rest)?.[1];
  if (keys !== undefined) return [prisma.find("relation", keys.trim(), line, { of, words: keys, says: type })];
  if (mark === "[]" && /^[A-Z]/.test(type) && !PRISMA_SCALARS.has(type)) return [];
  return prisma.column(of, name, line, {
    type: `${type}${mark}`,
    isRequired: mark === "" && !/@id\b/.test(rest),
    isUnique: /@unique\b/.test(rest),
  });
}

const PRISMA_SCALARS = new Set(["String", "Boolean", "Int", "BigInt", "Float", "Decimal", "DateTime", "Json", "Bytes"]);

export const isOpenApiPath = (path: string): boolean =>
  /(?:^|\/)(?:openapi|swagger)[\w.-]*\.(?:ya?ml|json)$/i.test(path);

/** The operations of an API description: path keys and the methods one level below. */
export function findOpenApiRoutes(sheet: ScannedFile): CodeFinding[] {
  const found: CodeFinding[] = [];
  let top = -1;
  let path: { name: string; indent: number; methods?: number } | undefined;
  for (const [i, line] of sheet.lines.entries()) {
    const [, space = "", key] = /^([ \t]*)["']?([\w/{}.:~-]+)["']?\s*:/.exec(line) ?? [];
    if (key === undefined) continue;
    const indent = space.length;
    if (top < 0) top = key === "paths" ? indent : -1;
    else if (indent <= top) top = -1;
    else if (key.startsWith("/")) path = { name: key, indent };
    else if (path && indent > path.indent && /^(get|post|put|patch|delete|head|options)$/.test(key)) {
      path.methods ??= indent;
      if (indent !== path.methods) continue;
      const below = sheet.lines.slice(i + 1, i + 8).join("\n");
      const says = /^\s*["']?operationId["']?:\s*["']?([\w.-]+)/m.exec(below)?.[1];
      found.push(sheet.by("openapi", "declared").route(key, path.name, i + 1, key, says));
    }
  }
  return found;
}

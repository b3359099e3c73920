import {
  type CodeFinding,
  type FindingSource,
  findBlockEnd,
  type PatternHit,
  type ScannedFile,
} from "./code-finding.ts";

const SQL_NAME = String.raw`(?:[\w"\x60[\]]+\.)?["\x60[]?(\w+)["\x60\]]?`;
const SQL_TABLE = new RegExp(
  String.raw`\bCREATE\s+(?:UNLOGGED\s+|TEMP(?:ORARY)?\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?${SQL_NAME}\s*\(`,
  "dgi",
);
const SQL_ALTER = new RegExp(
  String.raw`\bALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?${SQL_NAME}\s+ADD\s+(?:COLUMN\s+(?:IF\s+NOT\s+EXISTS\s+)?)?([^;]{1,500});`,
  "dgi",
);
const SQL_DROP = new RegExp(String.raw`\bDROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?${SQL_NAME}`, "dgi");
const SQL_UNIQUE_INDEX = new RegExp(
  String.raw`\bCREATE\s+UNIQUE\s+INDEX\s+(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?\S*\s*ON\s+${SQL_NAME}\s*(?:USING\s+\w+\s*)?\(([^()]{1,300})\)`,
  "dgi",
);
const SQL_VIEW = new RegExp(
  String.raw`\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:MATERIALIZED\s+)?VIEW\s+(?:IF\s+NOT\s+EXISTS\s+)?${SQL_NAME}\s+AS\b`,
  "dgi",
);
const SQL_ENUM = new RegExp(String.raw`\bCREATE\s+TYPE\s+${SQL_NAME}\s+AS\s+ENUM\s*\(([^)]{0,2000})\)`, "dgi");

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
    ...listPatternHits(sheet, SQL_UNIQUE_INDEX).map((hit) =>
      sql.find("rule", cleanColumnNames(hit.group(2)), hit.lineOf(2), {
        words: hit.group(2),
        of: hit.group(1),
        says: "is unique",
      }),
    ),
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

const listUpMigrationHits = (sheet: ScannedFile, pattern: RegExp): PatternHit[] => {
  const end = findUpMigrationEnd(sheet.text);
  return listPatternHits(sheet, pattern).filter(({ from }) => from < end);
};

/** Where the reversal of a migration begins. Its mark is a comment that `blankComments` keeps. */
function findUpMigrationEnd(text: string): number {
  const at = text.search(/^[ \t]*-- *(?:\+goose Down|migrate:down|\+migrate Down)/im);
  return at < 0 ? text.length : at;
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
const SQL_REFERENCE = new RegExp(String.raw`\bREFERENCES\s+${SQL_NAME}`, "i");
const SQL_TABLE_RULE = /^\s*(?:CONSTRAINT\s+\S+\s+)?(PRIMARY\s+KEY|UNIQUE|FOREIGN\s+KEY|CHECK|EXCLUDE|KEY|INDEX)\b/i;

function readSqlColumn(sheet: ScannedFile, of: string, text: string, start: number): CodeFinding[] {
  const at = start + (text.length - text.trimStart().length);
  const line = sheet.lineAt(at);
  const own = text.trim().slice(0, MAX_COLUMN_LENGTH);
  const lineOf = (words: string): number => sheet.lineAt(start + Math.max(0, text.indexOf(words)));
  if (SQL_TABLE_RULE.test(own)) return readSqlTableRule(sheet, of, own, lineOf);
  const [, name, type = ""] =
    /^["`[]?(\w+)["`\]]?\s+([\w ]+?(?:\([^)]*\))?(?:\[\])?)(?=\s+(?:NOT|NULL|DEFAULT|PRIMARY|UNIQUE|CHECK|REFERENCES|GENERATED|CONSTRAINT|COLLATE|AUTO_INCREMENT|ON)\b|\s*$)/i.exec(
      own,
    ) ?? [];
  if (name === undefined) return [];
  const sql = sheet.by("sql", "declared");
  const check = /\bCHECK\s*\(/i.exec(own);
  const computed = /\bGENERATED\s+ALWAYS\s+AS\s*\(/i.exec(own);
  const readCondition = (match: RegExpExecArray): string => readBracketText(own, match.index + match[0].length - 1);
  return [
    ...sql.column(of, name, line, {
      type: type.toLowerCase().trim(),
      isRequired: /\bNOT\s+NULL\b/i.test(own),
      isUnique: /\bUNIQUE\b/i.test(own),
      target: SQL_REFERENCE.exec(own)?.[1],
    }),
    ...(check ? [sql.find("rule", name, line, { of, says: `satisfies ${readCondition(check)}` })] : []),
    ...(computed
      ? [sql.find("derivation", name, line, { of, says: `is computed as ${readCondition(computed)}` })]
      : []),
  ];
}

function readSqlTableRule(
  sheet: ScannedFile,
  of: string,
  own: string,
  lineOf: (words: string) => number,
): CodeFinding[] {
  const kind = (SQL_TABLE_RULE.exec(own)?.[1] ?? "").toUpperCase().replace(/\s+/g, " ");
  const words = readBracketText(own, own.indexOf("("));
  const line = lineOf(words.split("\n", 1)[0] ?? "");
  const sql = sheet.by("sql", "declared");
  if (kind === "UNIQUE") return [sql.find("rule", cleanColumnNames(words), line, { of, words, says: "is unique" })];
  if (kind === "CHECK") return [sql.find("rule", "", line, { of, words, says: `satisfies ${words}` })];
  const target = SQL_REFERENCE.exec(own)?.[1];
  return kind === "FOREIGN KEY" && target !== undefined
    ? [sql.find("relation", cleanColumnNames(words), line, { of, words, says: target })]
    : [];
}

const readBracketText = (text: string, open: number): string =>
  text
    .slice(open + 1, findBlockEnd(text, open))
    .replace(/\s+/g, " ")
    .trim();
const cleanColumnNames = (list: string): string =>
  list
    .replace(/["`[\]]/g, "")
    .replace(/\s+/g, " ")
    .trim();

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

const OPENAPI_METHOD = /^(get|post|put|patch|delete|head|options)$/;

/** The operations of an API description: path keys and the methods one level below. */
export function findOpenApiRoutes(sheet: ScannedFile): CodeFinding[] {
  const found: CodeFinding[] = [];
  let isInside = false;
  let top = -1;
  let path: { name: string; indent: number; methods: number } | undefined;
  for (const [i, line] of sheet.lines.entries()) {
    const [, space = "", key] = /^([ \t]*)["']?([\w/{}.:~-]+)["']?\s*:/.exec(line) ?? [];
    if (key === undefined) continue;
    const indent = space.length;
    if (key === "paths" && !isInside) {
      isInside = true;
      top = indent;
    } else if (isInside && indent <= top) isInside = false;
    else if (isInside && key.startsWith("/")) path = { name: key, indent, methods: -1 };
    else if (isInside && path && indent > path.indent && OPENAPI_METHOD.test(key)) {
      if (path.methods < 0) path.methods = indent;
      if (indent !== path.methods) continue;
      const says = findOperationId(sheet.lines.slice(i + 1, i + 8));
      found.push(sheet.by("openapi", "declared").route(key, path.name, i + 1, key, says));
    }
  }
  return found;
}

const findOperationId = (below: readonly string[]): string | undefined =>
  below.map((line) => /^\s*["']?operationId["']?:\s*["']?([\w.-]+)/.exec(line)?.[1]).find((name) => name !== undefined);

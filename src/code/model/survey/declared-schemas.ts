import { type CodeFinding, findBlockEnd, type ScannedFile } from "./code-finding.ts";

const SQL_FINDING_SOURCE = { by: "sql", basis: "declared" } as const;
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
  if (/\.down\.sql$/i.test(sheet.path)) return [];
  const end = findUpMigrationEnd(sheet.text);
  return [
    ...sheet
      .hits(SQL_TABLE)
      .filter(({ from }) => from < end)
      .flatMap((hit, i, all) => {
        const table = hit.group(1);
        const open = hit.to - 1;
        const body = sheet.text.slice(open + 1, findBlockEnd(sheet.text, open, all[i + 1]?.from));
        return [
          sheet.found("entity", table, hit.lineOf(1), table, SQL_FINDING_SOURCE),
          ...splitSqlDefinitions(body).flatMap(({ text, at }) => readSqlColumn(sheet, table, text, open + 1 + at)),
        ];
      }),
    ...sheet
      .hits(SQL_ALTER)
      .filter(({ from }) => from < end)
      .flatMap((hit) => {
        const at = hit.from + sheet.text.slice(hit.from, hit.to).lastIndexOf(hit.group(2));
        return readSqlColumn(sheet, hit.group(1), hit.group(2), at);
      }),
    ...sheet.hits(SQL_UNIQUE_INDEX).map((hit) =>
      sheet.found("rule", cleanColumnNames(hit.group(2)), hit.lineOf(2), hit.group(2), {
        ...SQL_FINDING_SOURCE,
        of: hit.group(1),
        says: "is unique",
      }),
    ),
    ...sheet.hits(SQL_VIEW).map((hit) =>
      sheet.found("derivation", hit.group(1), hit.lineOf(1), hit.group(1), {
        ...SQL_FINDING_SOURCE,
        says: "is computed as a view",
      }),
    ),
    ...sheet.hits(SQL_ENUM).map((hit) =>
      sheet.found("enum", hit.group(1), hit.lineOf(1), hit.group(1), {
        ...SQL_FINDING_SOURCE,
        says: hit
          .group(2)
          .replace(/['\s]+/g, " ")
          .replace(/ ,/g, ",")
          .trim(),
      }),
    ),
  ];
}

export function findDroppedTables(sheet: ScannedFile): string[] {
  if (/\.down\.sql$/i.test(sheet.path)) return [];
  const end = findUpMigrationEnd(sheet.text);
  return sheet
    .hits(SQL_DROP)
    .filter(({ from }) => from < end)
    .map((hit) => hit.group(1));
}

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
  const rule = (says: string): CodeFinding =>
    sheet.found("rule", name, line, name, { ...SQL_FINDING_SOURCE, of, says });
  const check = /\bCHECK\s*\(/i.exec(own);
  const target = new RegExp(String.raw`\bREFERENCES\s+${SQL_NAME}`, "i").exec(own)?.[1];
  const computed = /\bGENERATED\s+ALWAYS\s+AS\s*\(/i.exec(own);
  return [
    sheet.found("field", name, line, name, { ...SQL_FINDING_SOURCE, of, says: type.toLowerCase().trim() }),
    ...(/\bNOT\s+NULL\b/i.test(own) ? [rule("has a value")] : []),
    ...(/\bUNIQUE\b/i.test(own) ? [rule("is unique")] : []),
    ...(check ? [rule(`satisfies ${readBracketText(own, check.index + check[0].length - 1)}`)] : []),
    ...(target === undefined
      ? []
      : [sheet.found("relation", name, line, name, { ...SQL_FINDING_SOURCE, of, says: target })]),
    ...(computed
      ? [
          sheet.found("derivation", name, line, name, {
            ...SQL_FINDING_SOURCE,
            of,
            says: `is computed as ${readBracketText(own, computed.index + computed[0].length - 1)}`,
          }),
        ]
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
  const inside = readBracketText(own, own.indexOf("("));
  const line = lineOf(inside.split("\n", 1)[0] ?? "");
  const found = { ...SQL_FINDING_SOURCE, of };
  if (kind === "UNIQUE")
    return [sheet.found("rule", cleanColumnNames(inside), line, inside, { ...found, says: "is unique" })];
  if (kind === "CHECK") return [sheet.found("rule", "", line, inside, { ...found, says: `satisfies ${inside}` })];
  const target = new RegExp(String.raw`\bREFERENCES\s+${SQL_NAME}`, "i").exec(own)?.[1];
  return kind === "FOREIGN KEY" && target !== undefined
    ? [sheet.found("relation", cleanColumnNames(inside), line, inside, { ...found, says: target })]
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

const PRISMA_FINDING_SOURCE = { by: "prisma", basis: "declared" } as const;

export function findPrismaModels(sheet: ScannedFile): CodeFinding[] {
  return sheet.hits(/^(model|enum)\s+(\w+)\s*\{/dgm).flatMap((hit, i, all) => {
    const name = hit.group(2);
    const first = sheet.lineAt(hit.to - 1);
    const last = sheet.lineAt(findBlockEnd(sheet.text, hit.to - 1, all[i + 1]?.from));
    const inside = sheet.lines.slice(first, last - 1).map((text, n) => ({ text: text.trim(), line: first + 1 + n }));
    if (hit.group(1) === "enum") {
      const values = inside.map(({ text }) => text).filter((text) => /^\w+$/.test(text));
      return [sheet.found("enum", name, hit.lineOf(2), name, { ...PRISMA_FINDING_SOURCE, says: values.join(", ") })];
    }
    return [
      sheet.found("entity", name, hit.lineOf(2), name, PRISMA_FINDING_SOURCE),
      ...inside.flatMap(({ text, line }) => readPrismaField(sheet, name, text, line)),
    ];
  });
}

function readPrismaField(sheet: ScannedFile, of: string, text: string, line: number): CodeFinding[] {
  const together = /^@@unique\(\[([^\]]+)\]/.exec(text)?.[1];
  if (together !== undefined)
    return [sheet.found("rule", together, line, together, { ...PRISMA_FINDING_SOURCE, of, says: "is unique" })];
  const [, name, type = "", mark = "", rest = ""] = /^(\w+)\s+(\w+)(\?|\[\])?(.*)$/.exec(text) ?? [];
  if (name === undefined) return [];
  const keys = /@relation\([^)]*fields:\s*\[([^\]]+)\]/.exec(rest)?.[1];
  if (keys !== undefined)
    return [sheet.found("relation", keys.trim(), line, keys, { ...PRISMA_FINDING_SOURCE, of, says: type })];
  if (mark === "[]" && /^[A-Z]/.test(type) && !PRISMA_SCALARS.has(type)) return [];
  return [
    sheet.found("field", name, line, name, { ...PRISMA_FINDING_SOURCE, of, says: `${type}${mark}` }),
    ...(mark === "" && !/@id\b/.test(rest)
      ? [sheet.found("rule", name, line, name, { ...PRISMA_FINDING_SOURCE, of, says: "has a value" })]
      : []),
    ...(/@unique\b/.test(rest)
      ? [sheet.found("rule", name, line, name, { ...PRISMA_FINDING_SOURCE, of, says: "is unique" })]
      : []),
  ];
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
      found.push(
        sheet.found("route", `${key.toUpperCase()} ${path.name}`, i + 1, key, {
          by: "openapi",
          basis: "declared",
          says,
        }),
      );
    }
  }
  return found;
}

const findOperationId = (below: readonly string[]): string | undefined =>
  below.map((line) => /^\s*["']?operationId["']?:\s*["']?([\w.-]+)/.exec(line)?.[1]).find((name) => name !== undefined);

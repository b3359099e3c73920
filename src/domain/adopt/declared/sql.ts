import type { Finding } from "../finding.ts";
import { closing, type Sheet } from "../sheet.ts";

const told = { by: "sql", basis: "declared" } as const;
const NAME = String.raw`(?:[\w"\x60[\]]+\.)?["\x60[]?(\w+)["\x60\]]?`;
const TABLE = new RegExp(
  String.raw`\bCREATE\s+(?:UNLOGGED\s+|TEMP(?:ORARY)?\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?${NAME}\s*\(`,
  "dgi",
);
const ALTER = new RegExp(
  String.raw`\bALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?${NAME}\s+ADD\s+(?:COLUMN\s+(?:IF\s+NOT\s+EXISTS\s+)?)?([^;]{1,500});`,
  "dgi",
);
const DROP = new RegExp(String.raw`\bDROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?${NAME}`, "dgi");
const UNIQUE_INDEX = new RegExp(
  String.raw`\bCREATE\s+UNIQUE\s+INDEX\s+(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?\S*\s*ON\s+${NAME}\s*(?:USING\s+\w+\s*)?\(([^()]{1,300})\)`,
  "dgi",
);
const VIEW = new RegExp(
  String.raw`\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:MATERIALIZED\s+)?VIEW\s+(?:IF\s+NOT\s+EXISTS\s+)?${NAME}\s+AS\b`,
  "dgi",
);
const ENUM = new RegExp(String.raw`\bCREATE\s+TYPE\s+${NAME}\s+AS\s+ENUM\s*\(([^)]{0,2000})\)`, "dgi");

export function sql(sheet: Sheet): Finding[] {
  if (/\.down\.sql$/i.test(sheet.path)) return [];
  const end = upEnd(sheet.text);
  return [
    ...sheet
      .hits(TABLE)
      .filter(({ from }) => from < end)
      .flatMap((hit, i, all) => {
        const table = hit.group(1);
        const open = hit.to - 1;
        const body = sheet.text.slice(open + 1, closing(sheet.text, open, all[i + 1]?.from));
        return [
          sheet.found("entity", table, hit.lineOf(1), table, told),
          ...parts(body).flatMap(({ text, at }) => column(sheet, table, text, open + 1 + at)),
        ];
      }),
    ...sheet
      .hits(ALTER)
      .filter(({ from }) => from < end)
      .flatMap((hit) => {
        const at = hit.from + sheet.text.slice(hit.from, hit.to).lastIndexOf(hit.group(2));
        return column(sheet, hit.group(1), hit.group(2), at);
      }),
    ...sheet.hits(UNIQUE_INDEX).map((hit) =>
      sheet.found("rule", names(hit.group(2)), hit.lineOf(2), hit.group(2), {
        ...told,
        of: hit.group(1),
        says: "is unique",
      }),
    ),
    ...sheet.hits(VIEW).map((hit) =>
      sheet.found("derivation", hit.group(1), hit.lineOf(1), hit.group(1), {
        ...told,
        says: "is computed as a view",
      }),
    ),
    ...sheet.hits(ENUM).map((hit) =>
      sheet.found("enum", hit.group(1), hit.lineOf(1), hit.group(1), {
        ...told,
        says: hit
          .group(2)
          .replace(/['\s]+/g, " ")
          .replace(/ ,/g, ",")
          .trim(),
      }),
    ),
  ];
}

export function dropped(sheet: Sheet): string[] {
  if (/\.down\.sql$/i.test(sheet.path)) return [];
  const end = upEnd(sheet.text);
  return sheet
    .hits(DROP)
    .filter(({ from }) => from < end)
    .map((hit) => hit.group(1));
}

/** Where the reversal of a migration begins. Its mark is a comment that `blankComments` keeps. */
function upEnd(text: string): number {
  const at = text.search(/^[ \t]*-- *(?:\+goose Down|migrate:down|\+migrate Down)/im);
  return at < 0 ? text.length : at;
}

/** Splits at commas outside brackets and quotes. */
function parts(body: string): { text: string; at: number }[] {
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

const LONGEST_COLUMN = 1_000;
const TABLE_RULE = /^\s*(?:CONSTRAINT\s+\S+\s+)?(PRIMARY\s+KEY|UNIQUE|FOREIGN\s+KEY|CHECK|EXCLUDE|KEY|INDEX)\b/i;

function column(sheet: Sheet, of: string, text: string, start: number): Finding[] {
  const at = start + (text.length - text.trimStart().length);
  const line = sheet.lineAt(at);
  const own = text.trim().slice(0, LONGEST_COLUMN);
  const lineOf = (words: string): number => sheet.lineAt(start + Math.max(0, text.indexOf(words)));
  if (TABLE_RULE.test(own)) return tableRule(sheet, of, own, lineOf);
  const [, name, type = ""] =
    /^["`[]?(\w+)["`\]]?\s+([\w ]+?(?:\([^)]*\))?(?:\[\])?)(?=\s+(?:NOT|NULL|DEFAULT|PRIMARY|UNIQUE|CHECK|REFERENCES|GENERATED|CONSTRAINT|COLLATE|AUTO_INCREMENT|ON)\b|\s*$)/i.exec(
      own,
    ) ?? [];
  if (name === undefined) return [];
  const rule = (says: string): Finding => sheet.found("rule", name, line, name, { ...told, of, says });
  const check = /\bCHECK\s*\(/i.exec(own);
  const target = new RegExp(String.raw`\bREFERENCES\s+${NAME}`, "i").exec(own)?.[1];
  const computed = /\bGENERATED\s+ALWAYS\s+AS\s*\(/i.exec(own);
  return [
    sheet.found("field", name, line, name, { ...told, of, says: type.toLowerCase().trim() }),
    ...(/\bNOT\s+NULL\b/i.test(own) ? [rule("has a value")] : []),
    ...(/\bUNIQUE\b/i.test(own) ? [rule("is unique")] : []),
    ...(check ? [rule(`satisfies ${inBrackets(own, check.index + check[0].length - 1)}`)] : []),
    ...(target === undefined ? [] : [sheet.found("relation", name, line, name, { ...told, of, says: target })]),
    ...(computed
      ? [
          sheet.found("derivation", name, line, name, {
            ...told,
            of,
            says: `is computed as ${inBrackets(own, computed.index + computed[0].length - 1)}`,
          }),
        ]
      : []),
  ];
}

function tableRule(sheet: Sheet, of: string, own: string, lineOf: (words: string) => number): Finding[] {
  const kind = (TABLE_RULE.exec(own)?.[1] ?? "").toUpperCase().replace(/\s+/g, " ");
  const inside = inBrackets(own, own.indexOf("("));
  const line = lineOf(inside.split("\n", 1)[0] ?? "");
  const found = { ...told, of };
  if (kind === "UNIQUE") return [sheet.found("rule", names(inside), line, inside, { ...found, says: "is unique" })];
  if (kind === "CHECK") return [sheet.found("rule", "", line, inside, { ...found, says: `satisfies ${inside}` })];
  const target = new RegExp(String.raw`\bREFERENCES\s+${NAME}`, "i").exec(own)?.[1];
  return kind === "FOREIGN KEY" && target !== undefined
    ? [sheet.found("relation", names(inside), line, inside, { ...found, says: target })]
    : [];
}

const inBrackets = (text: string, open: number): string =>
  text
    .slice(open + 1, closing(text, open))
    .replace(/\s+/g, " ")
    .trim();
const names = (list: string): string =>
  list
    .replace(/["`[\]]/g, "")
    .replace(/\s+/g, " ")
    .trim();

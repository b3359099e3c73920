import type { CodeFinding } from "../finding.ts";
import { findBlockEnd, type ScannedFile } from "../sheet.ts";

const DRIZZLE_TABLE = /\b(\w+)\s*=\s*(?:pg|mysql|sqlite)Table\(\s*["'](\w+)["']\s*,\s*\{/dg;
const TYPEORM_ENTITY = /@Entity\([^)]{0,300}\)\s*(?:export\s+)?(?:default\s+)?class\s+(\w+)[^{]{0,200}\{/dg;
const MONGOOSE_SCHEMA = /\b(\w+)\s*=\s*new\s+(?:mongoose\.)?Schema(?:<[^>]*>)?\(\s*\{/dg;
const ZOD_OBJECT = /\b(\w+)\s*=\s*z\s*\.\s*(?:strictObject|object)\(\s*\{/dg;
const JS_ENUM = /\benum\s+(\w+)\s*\{([^}]{0,2000})\}/dg;
const ZOD_ENUM = /\b(\w+)\s*=\s*z\s*\.\s*enum\(\s*\[([^\]]{0,2000})\]/dg;

export function findJsModels(sheet: ScannedFile): CodeFinding[] {
  return [
    ...sheet.hits(DRIZZLE_TABLE).flatMap((hit) => readDrizzleTable(sheet, hit.group(2), hit.lineOf(2), hit.to - 1)),
    ...sheet.hits(TYPEORM_ENTITY).flatMap((hit) => readTypeormEntity(sheet, hit.group(1), hit.lineOf(1), hit.to - 1)),
    ...sheet
      .hits(MONGOOSE_SCHEMA)
      .slice(0, 100)
      .map((hit) => {
        const name = new RegExp(String.raw`\bmodel(?:<[^>]*>)?\(\s*["'](\w+)["']\s*,\s*${hit.group(1)}\b`).exec(
          sheet.text,
        )?.[1];
        return sheet.found("entity", name ?? hit.group(1).replace(/Schema$/i, ""), hit.lineOf(1), hit.group(1), {
          by: "mongoose",
          basis: "coded",
        });
      }),
    ...sheet.hits(ZOD_OBJECT).flatMap((hit) => readZodRules(sheet, hit.group(1), hit.to - 1)),
    ...[...sheet.hits(JS_ENUM), ...sheet.hits(ZOD_ENUM)].map((hit) =>
      sheet.found("enum", hit.group(1), hit.lineOf(1), hit.group(1), {
        by: "code",
        basis: "coded",
        says: formatEnumValues(hit.group(2)),
      }),
    ),
  ];
}

const formatEnumValues = (list: string): string =>
  list
    .split(",")
    .map((part) => (/["'`]([^"'`]+)["'`]/.exec(part)?.[1] ?? part).trim())
    .filter((part) => part !== "")
    .join(", ");

/** Members of a block with their lines, without those of nested blocks. */
function listBlockMembers(
  sheet: ScannedFile,
  open: number,
  pattern: RegExp,
): { name: string; rest: string; line: number }[] {
  const end = findBlockEnd(sheet.text, open);
  let [at, depth] = [open + 1, 0];
  return sheet
    .hits(pattern)
    .filter(({ from }) => from > open && from < end)
    .filter(({ from }) => {
      for (; at < from; at++) depth += { "{": 1, "}": -1 }[sheet.text[at] ?? ""] ?? 0;
      return depth === 0;
    })
    .map((hit, i, all) => ({
      name: hit.group(1),
      rest: sheet.text.slice(hit.from, Math.min(end, all[i + 1]?.from ?? end)),
      line: hit.lineOf(1),
    }));
}

function readDrizzleTable(sheet: ScannedFile, of: string, line: number, open: number): CodeFinding[] {
  const told = { by: "drizzle", basis: "coded" } as const;
  const fields = listBlockMembers(sheet, open, /^[ \t]*(\w+):\s*(?:t\.)?\w+\(/dgm).flatMap(
    ({ name, rest, line: at }) => {
      const type = /:\s*(?:t\.)?(\w+)\(/.exec(rest)?.[1];
      const target = /\.references\(\s*\(\)[^=]*=>\s*(\w+)\./.exec(rest)?.[1];
      const rule = (says: string): CodeFinding => sheet.found("rule", name, at, name, { ...told, of, says });
      return [
        sheet.found("field", name, at, name, { ...told, of, says: type }),
        ...(/\.notNull\(\)/.test(rest) ? [rule("has a value")] : []),
        ...(/\.unique\(/.test(rest) ? [rule("is unique")] : []),
        ...(target === undefined ? [] : [sheet.found("relation", name, at, name, { ...told, of, says: target })]),
      ];
    },
  );
  return [sheet.found("entity", of, line, of, told), ...fields];
}

function readTypeormEntity(sheet: ScannedFile, of: string, line: number, open: number): CodeFinding[] {
  const told = { by: "typeorm", basis: "coded" } as const;
  const end = findBlockEnd(sheet.text, open);
  const fields = sheet
    .hits(
      /@(Column|PrimaryColumn|PrimaryGeneratedColumn|CreateDateColumn|UpdateDateColumn|ManyToOne|OneToOne)\(([\s\S]{0,300}?)\)\s*(?:@\w+\([^)]{0,200}\)\s*){0,8}(?:readonly\s+|public\s+|private\s+)?(\w+)[!?]?:\s*([^;\n]+)/dg,
    )
    .filter(({ from }) => from > open && from < end)
    .flatMap((hit) => {
      const [kind, options, name] = [hit.group(1), hit.group(2), hit.group(3)];
      const at = hit.lineOf(3);
      if (kind.endsWith("ToOne"))
        return [sheet.found("relation", name, at, name, { ...told, of, says: hit.group(4).replace(/\W.*$/, "") })];
      const rule = (says: string): CodeFinding => sheet.found("rule", name, at, name, { ...told, of, says });
      return [
        sheet.found("field", name, at, name, { ...told, of, says: hit.group(4).trim() }),
        ...(kind === "Column" && !/nullable:\s*true/.test(options) ? [rule("has a value")] : []),
        ...(/unique:\s*true/.test(options) ? [rule("is unique")] : []),
      ];
    });
  return [sheet.found("entity", of, line, of, told), ...fields];
}

const ZOD_RULES: readonly (readonly [pattern: RegExp, says: (value: string) => string])[] = [
  [/\.(?:min|gte)\(\s*([\w.]+)/, (n) => `is at least ${n}`],
  [/\.(?:max|lte)\(\s*([\w.]+)/, (n) => `is at most ${n}`],
  [/\.gt\(\s*([\w.]+)/, (n) => `is more than ${n}`],
  [/\.positive\(()/, () => "is more than 0"],
  [/\.nonnegative\(()/, () => "is not negative"],
  [/(?:\.|z\.)email\(()/, () => "is an e-mail address"],
  [/(?:\.|z\.)uuid\(()/, () => "is a UUID"],
  [/(?:\.|z\.)url\(()/, () => "is a URL"],
];

function readZodRules(sheet: ScannedFile, name: string, open: number): CodeFinding[] {
  return listBlockMembers(sheet, open, /(?<=^|[{,])[^\S\n]*(\w+):\s*z\b/dgm).flatMap(({ name: field, rest, line }) => {
    // Limits of a list and of its items look the same here.
    if (/^[^\n]*z\s*\.\s*(?:array|record|map|set|object|strictObject)\(/.test(rest.trimStart())) return [];
    const isText = /z\s*\.\s*string\(/.test(rest);
    return ZOD_RULES.flatMap(([pattern, says]) => {
      const value = pattern.exec(rest)?.[1];
      if (value === undefined) return [];
      const said =
        isText && /^is at (?:least|most) \d+$/.test(says(value))
          ? says(value)
              .replace("is", "has")
              .concat(value === "1" ? " character" : " characters")
          : says(value);
      return [sheet.found("rule", field, line, field, { by: "zod", basis: "coded", of: name, says: said })];
    });
  });
}

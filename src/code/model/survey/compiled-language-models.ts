import { type CodeFinding, findBlockEnd, type ScannedFile } from "./code-finding.ts";

/** Structs with storage tags, and the rules of their validators. */
export function findGoModels(sheet: ScannedFile): CodeFinding[] {
  return sheet.hits(/^type\s+(\w+)\s+struct\s*\{/dgm).flatMap((hit, n, all) => {
    const of = hit.group(1);
    const first = sheet.lineAt(hit.to - 1);
    const inside = sheet.lines.slice(first, sheet.lineAt(findBlockEnd(sheet.text, hit.to - 1, all[n + 1]?.from)) - 1);
    const isKept = inside.some((line) => /`[^`]*\b(?:db|gorm|bun):"/.test(line) || /\bgorm\.Model\b/.test(line));
    const by = inside.some((line) => /\bgorm[:.]/.test(line)) ? "gorm" : "sqlx";
    const told = { by, basis: "coded" } as const;
    const fields = inside.flatMap((line, i) => readGoField(sheet, of, line, first + 1 + i, isKept ? told : undefined));
    return [...(isKept ? [sheet.found("entity", of, hit.lineOf(1), of, told)] : []), ...fields];
  });
}

const GO_VALIDATION_RULES: Readonly<Record<string, (n: string) => string>> = {
  required: () => "has a value",
  email: () => "is an e-mail address",
  gt: (n) => `is more than ${n}`,
  gte: (n) => `is at least ${n}`,
  min: (n) => `is at least ${n}`,
  lt: (n) => `is less than ${n}`,
  lte: (n) => `is at most ${n}`,
  max: (n) => `is at most ${n}`,
};

function readGoField(
  sheet: ScannedFile,
  of: string,
  line: string,
  at: number,
  kept: Pick<CodeFinding, "by" | "basis"> | undefined,
): CodeFinding[] {
  const [, name, type = "", tag = ""] = /^\s*(\w+)\s+([\w.*[\]]+)(?:\s+`([^`]*)`)?/.exec(line) ?? [];
  if (name === undefined) return [];
  const shown = /\b(?:db|json):"(\w+)/.exec(tag)?.[1] ?? name;
  const asked = /\b(?:validate|binding):"([^"]*)"/.exec(tag)?.[1] ?? "";
  const gorm = /\bgorm:"([^"]*)"/.exec(tag)?.[1] ?? "";
  const rule = (says: string, told: Pick<CodeFinding, "by" | "basis">): CodeFinding =>
    sheet.found("rule", shown, at, shown, { ...told, of, says });
  return [
    ...(kept ? [sheet.found("field", shown, at, shown, { ...kept, of, says: type })] : []),
    ...(kept && /not null/i.test(gorm) ? [rule("has a value", kept)] : []),
    ...(kept && /unique/i.test(gorm) ? [rule("is unique", kept)] : []),
    ...asked.split(",").flatMap((part) => {
      const [key = "", n = ""] = part.split("=");
      const says = Object.hasOwn(GO_VALIDATION_RULES, key) ? GO_VALIDATION_RULES[key] : undefined;
      const said = says?.(n).replace(/^is (at .*)$/, type.endsWith("string") ? "has $1 characters" : "is $1");
      return said === undefined ? [] : [rule(said, { by: "validator", basis: "coded" })];
    }),
  ];
}

export function findRustModels(sheet: ScannedFile): CodeFinding[] {
  const diesel = { by: "diesel", basis: "coded" } as const;
  const row = { by: "sqlx", basis: "coded" } as const;
  return [
    ...sheet
      .hits(/\btable!\s*\{\s*(?:\w+\.)?(\w+)\s*\([^)]*\)\s*\{/dg)
      .flatMap((hit) => [
        sheet.found("entity", hit.group(1), hit.lineOf(1), hit.group(1), diesel),
        ...listBracketMembers(sheet, hit.to - 1, /^[ \t]*(\w+)\s*->\s*([\w<>]+)/dgm).flatMap(({ name, type, line }) => [
          sheet.found("field", name, line, name, { ...diesel, of: hit.group(1), says: type }),
          ...(type.startsWith("Nullable")
            ? []
            : [sheet.found("rule", name, line, name, { ...diesel, of: hit.group(1), says: "has a value" })]),
        ]),
      ]),
    ...sheet.hits(/\bjoinable!\(\s*(\w+)\s*->\s*(\w+)\s*\((\w+)\)/dg).map((hit) =>
      sheet.found("relation", hit.group(3), hit.lineOf(3), hit.group(3), {
        ...diesel,
        of: hit.group(1),
        says: hit.group(2),
      }),
    ),
    ...sheet
      .hits(
        /#\[derive\([^)\n]*\b(?:FromRow|Queryable)\b[^)\n]*\)\]\s*(?:#\[[^\]\n]*\]\s*){0,8}(?:pub\s+)?struct\s+(\w+)[^{;]{0,200}\{/dg,
      )
      .flatMap((hit) => [
        sheet.found("entity", hit.group(1), hit.lineOf(1), hit.group(1), row),
        ...listBracketMembers(sheet, hit.to - 1, /^[ \t]*(?:pub\s+)?(\w+)\s*:\s*([^,\n]+)/dgm).map(
          ({ name, type, line }) =>
            sheet.found("field", name, line, name, { ...row, of: hit.group(1), says: type.trim() }),
        ),
      ]),
    ...findRustLimits(sheet),
  ];
}

/** `#[validate(range(min = 1))]` above a field. */
function findRustLimits(sheet: ScannedFile): CodeFinding[] {
  const structs = sheet.hits(/\bstruct\s+(\w+)/dg);
  return sheet
    .hits(
      /#\[(?:validate|garde)\((range|length)\(([^)\n]*)\)[^\]\n]*\]\s*(?:#\[[^\]\n]*\]\s*){0,8}(?:pub\s+)?(\w+)\s*:/dg,
    )
    .flatMap((hit) => {
      const of = structs.findLast(({ from }) => from < hit.from)?.group(1);
      const verb = hit.group(1) === "length" ? "has a length of" : "is";
      return [...hit.group(2).matchAll(/\b(min|max)\s*=\s*([\w.-]+)/g)].map(([, end, n]) =>
        sheet.found("rule", hit.group(3), hit.lineOf(3), hit.group(3), {
          by: "validator",
          basis: "coded",
          of,
          says: `${verb} at ${end === "min" ? "least" : "most"} ${n}`,
        }),
      );
    });
}

function listBracketMembers(
  sheet: ScannedFile,
  open: number,
  pattern: RegExp,
): { name: string; type: string; line: number }[] {
  const end = findBlockEnd(sheet.text, open);
  return sheet
    .hits(pattern)
    .filter(({ from }) => from > open && from < end)
    .map((hit) => ({ name: hit.group(1), type: hit.group(2), line: hit.lineOf(1) }));
}

const JAVA_FIELD =
  /((?:^[ \t]*@[\w.]+(?:\([^)\n]*\))?[ \t]*\n){0,12})^[ \t]*(?:private|protected)\s+(?:final\s+)?([\w<>.]+)\s+(\w+)\s*[;=]/dgm;
const JAVA_VALIDATION_RULES: readonly (readonly [pattern: RegExp, says: (n: string) => string])[] = [
  [/@Not(?:Null|Blank|Empty)\b()/, () => "has a value"],
  [/@Email\b()/, () => "is an e-mail address"],
  [/@Positive\b()/, () => "is more than 0"],
  [/@Min\(\s*(?:value\s*=\s*)?(\d+)/, (n) => `is at least ${n}`],
  [/@Max\(\s*(?:value\s*=\s*)?(\d+)/, (n) => `is at most ${n}`],
];

export function findJavaModels(sheet: ScannedFile): CodeFinding[] {
  const told = { by: "jpa", basis: "coded" } as const;
  const enums = sheet.hits(/\benum\s+(\w+)\s*\{\s*([A-Z][\w,\s]{0,2000}?)\s*[;}]/dg).map((hit) =>
    sheet.found("enum", hit.group(1), hit.lineOf(1), hit.group(1), {
      by: "code",
      basis: "coded",
      says: hit.group(2).replace(/\s+/g, " "),
    }),
  );
  const [entity] = sheet.hits(/@Entity\b[\s\S]{0,200}?\bclass\s+(\w+)/dg);
  if (!entity) return enums;
  const of = entity.group(1);
  const fields = sheet.hits(JAVA_FIELD).flatMap((hit) => {
    const [marks, type, name] = [hit.group(1), hit.group(2), hit.group(3)];
    const line = hit.lineOf(3);
    if (/@(?:OneToMany|ManyToMany|Transient)\b/.test(marks)) return [];
    if (/@(?:ManyToOne|OneToOne)\b/.test(marks))
      return [sheet.found("relation", name, line, name, { ...told, of, says: type })];
    const rule = (says: string, by = "jpa"): CodeFinding =>
      sheet.found("rule", name, line, name, { by, basis: "coded", of, says });
    return [
      sheet.found("field", name, line, name, { ...told, of, says: type }),
      ...(/nullable\s*=\s*false/.test(marks) ? [rule("has a value")] : []),
      ...(/unique\s*=\s*true/.test(marks) ? [rule("is unique")] : []),
      ...JAVA_VALIDATION_RULES.flatMap(([pattern, says]) => {
        const n = pattern.exec(marks)?.[1];
        return n === undefined ? [] : [rule(says(n), "bean validation")];
      }),
    ];
  });
  return [...enums, sheet.found("entity", of, entity.lineOf(1), of, told), ...fields];
}

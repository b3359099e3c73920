import { type CodeFinding, findBlockEnd, readRulePhrases, type RulePhrase, type ScannedFile } from "./code-finding.ts";

/** Structs with storage tags, and the rules of their validators. */
export function findGoModels(sheet: ScannedFile): CodeFinding[] {
  return sheet.hits(/^type\s+(\w+)\s+struct\s*\{/dgm).flatMap((hit, n, all) => {
    const first = sheet.lineAt(hit.to - 1);
    const inside = sheet.lines.slice(first, sheet.lineAt(findBlockEnd(sheet.text, hit.to - 1, all[n + 1]?.from)) - 1);
    const isKept = inside.some((line) => /`[^`]*\b(?:db|gorm|bun):"/.test(line) || /\bgorm\.Model\b/.test(line));
    const by = inside.some((line) => /\bgorm[:.]/.test(line)) ? "gorm" : "sqlx";
    return [
      ...(isKept ? [sheet.by(by).hit("entity", hit)] : []),
      ...inside.flatMap((line, i) => readGoField(sheet, hit.group(1), line, first + 1 + i, isKept ? by : undefined)),
    ];
  });
}

const GO_VALIDATION_RULES: readonly RulePhrase[] = [
  [/^required$/, "has a value"],
  [/^email$/, "is an e-mail address"],
  [/^gt=(.*)/, "is more than $1"],
  [/^(?:gte|min)=(.*)/, "is at least $1"],
  [/^lt=(.*)/, "is less than $1"],
  [/^(?:lte|max)=(.*)/, "is at most $1"],
];

/** `kept` names the library that stores the struct. */
function readGoField(
  sheet: ScannedFile,
  of: string,
  line: string,
  at: number,
  kept: string | undefined,
): CodeFinding[] {
  const [, name, type = "", tag = ""] = /^\s*(\w+)\s+([\w.*[\]]+)(?:\s+`([^`]*)`)?/.exec(line) ?? [];
  if (name === undefined) return [];
  const shown = /\b(?:db|json):"(\w+)/.exec(tag)?.[1] ?? name;
  const asked = /\b(?:validate|binding):"([^"]*)"/.exec(tag)?.[1] ?? "";
  const gorm = /\bgorm:"([^"]*)"/.exec(tag)?.[1] ?? "";
  const rules = asked.split(",").flatMap((part) => readRulePhrases(part, GO_VALIDATION_RULES));
  const column = { type, isRequired: /not null/i.test(gorm), isUnique: /unique/i.test(gorm) };
  return [
    ...(kept === undefined ? [] : sheet.by(kept).column(of, shown, at, column)),
    ...rules.map((rule) => {
      const says = type.endsWith("string") ? rule.replace(/^is (at .*)$/, "has $1 characters") : rule;
      return sheet.by("validator").find("rule", shown, at, { of, says });
    }),
  ];
}

export function findRustModels(sheet: ScannedFile): CodeFinding[] {
  const [diesel, sqlx] = [sheet.by("diesel"), sheet.by("sqlx")];
  return [
    ...sheet.hits(/\btable!\s*\{\s*(?:\w+\.)?(\w+)\s*\([^)]*\)\s*\{/dg).flatMap((hit) => [
      diesel.hit("entity", hit),
      ...listBracketMembers(sheet, hit.to - 1, /^[ \t]*(\w+)\s*->\s*([\w<>]+)/dgm).flatMap(({ name, type, line }) =>
        diesel.column(hit.group(1), name, line, {
          type,
          isRequired: !type.startsWith("Nullable"),
          isUnique: false,
        }),
      ),
    ]),
    ...sheet
      .hits(/\bjoinable!\(\s*(\w+)\s*->\s*(\w+)\s*\((\w+)\)/dg)
      .map((hit) => diesel.hit("relation", hit, 3, { of: hit.group(1), says: hit.group(2) })),
    ...sheet
      .hits(
        /#\[derive\([^)\n]*\b(?:FromRow|Queryable)\b[^)\n]*\)\]\s*(?:#\[[^\]\n]*\]\s*){0,8}(?:pub\s+)?struct\s+(\w+)[^{;]{0,200}\{/dg,
      )
      .flatMap((hit) => [
        sqlx.hit("entity", hit),
        ...listBracketMembers(sheet, hit.to - 1, /^[ \t]*(?:pub\s+)?(\w+)\s*:\s*([^,\n]+)/dgm).map(
          ({ name, type, line }) => sqlx.find("field", name, line, { of: hit.group(1), says: type.trim() }),
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
        sheet.by("validator").hit("rule", hit, 3, { of, says: `${verb} at ${end === "min" ? "least" : "most"} ${n}` }),
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
const JAVA_VALIDATION_RULES: readonly RulePhrase[] = [
  [/@Not(?:Null|Blank|Empty)\b/, "has a value"],
  [/@Email\b/, "is an e-mail address"],
  [/@Positive\b/, "is more than 0"],
  [/@Min\(\s*(?:value\s*=\s*)?(\d+)/, "is at least $1"],
  [/@Max\(\s*(?:value\s*=\s*)?(\d+)/, "is at most $1"],
];

export function findJavaModels(sheet: ScannedFile): CodeFinding[] {
  const jpa = sheet.by("jpa");
  const enums = sheet
    .hits(/\benum\s+(\w+)\s*\{\s*([A-Z][\w,\s]{0,2000}?)\s*[;}]/dg)
    .map((hit) => sheet.by("code").hit("enum", hit, 1, { says: hit.group(2).replace(/\s+/g, " ") }));
  const [entity] = sheet.hits(/@Entity\b[\s\S]{0,200}?\bclass\s+(\w+)/dg);
  if (!entity) return enums;
  const of = entity.group(1);
  const fields = sheet.hits(JAVA_FIELD).flatMap((hit) => {
    const [marks, type, name, line] = [hit.group(1), hit.group(2), hit.group(3), hit.lineOf(3)];
    if (/@(?:OneToMany|ManyToMany|Transient)\b/.test(marks)) return [];
    if (/@(?:ManyToOne|OneToOne)\b/.test(marks)) return [jpa.find("relation", name, line, { of, says: type })];
    const column = {
      type,
      isRequired: /nullable\s*=\s*false/.test(marks),
      isUnique: /unique\s*=\s*true/.test(marks),
    };
    return [
      ...jpa.column(of, name, line, column),
      ...readRulePhrases(marks, JAVA_VALIDATION_RULES).map((says) =>
        sheet.by("bean validation").find("rule", name, line, { of, says }),
      ),
    ];
  });
  return [...enums, jpa.hit("entity", entity), ...fields];
}

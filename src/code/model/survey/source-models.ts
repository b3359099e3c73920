import { type CodeFinding, findBlockEnd, type PatternHit, readRulePhrases, type ScannedFile } from "./code-finding.ts";

const TYPEORM_ENTITY = /@Entity\([^)]{0,300}\)\s*(?:export\s+)?(?:default\s+)?class\s+(\w+)[^{]{0,200}\{/dg;

export function findJsModels(sheet: ScannedFile): CodeFinding[] {
  const enums = [/\benum\s+(\w+)\s*\{([^}]{0,2000})\}/dg, /\b(\w+)\s*=\s*z\s*\.\s*enum\(\s*\[([^\]]{0,2000})\]/dg];
  const formatValues = (list: string): string => {
    const values = list.split(",").map((part) => (/["'`]([^"'`]+)["'`]/.exec(part)?.[1] ?? part).trim());
    return values.filter((value) => value !== "").join(", ");
  };
  return [
    ...sheet
      .hits(/\b(\w+)\s*=\s*(?:pg|mysql|sqlite)Table\(\s*["'](\w+)["']\s*,\s*\{/dg)
      .flatMap((hit) => readDrizzleTable(sheet, hit)),
    ...sheet.hits(TYPEORM_ENTITY).flatMap((hit) => readTypeormEntity(sheet, hit)),
    ...sheet
      .hits(/\b(\w+)\s*=\s*new\s+(?:mongoose\.)?Schema(?:<[^>]*>)?\(\s*\{/dg)
      .slice(0, 100)
      .map((hit) => {
        const model = new RegExp(String.raw`\bmodel(?:<[^>]*>)?\(\s*["'](\w+)["']\s*,\s*${hit.group(1)}\b`);
        const name = model.exec(sheet.text)?.[1] ?? hit.group(1).replace(/Schema$/i, "");
        return sheet.by("mongoose").find("entity", name, hit.lineOf(1), { words: hit.group(1) });
      }),
    ...sheet
      .hits(/\b(\w+)\s*=\s*z\s*\.\s*(?:strictObject|object)\(\s*\{/dg)
      .flatMap((hit) => readZodRules(sheet, hit.group(1), hit.to - 1)),
    ...enums
      .flatMap((pattern) => sheet.hits(pattern))
      .map((hit) => sheet.by("code").hit("enum", hit, 1, { says: formatValues(hit.group(2)) })),
  ];
}

/** Members of a block with their lines, without those of nested blocks. */
function listBlockMembers(sheet: ScannedFile, open: number, pattern: RegExp) {
  const end = findBlockEnd(sheet.text, open);
  let [at, depth] = [open + 1, 0];
  return sheet
    .hitsInBlock(pattern, open)
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

function readDrizzleTable(sheet: ScannedFile, hit: PatternHit): CodeFinding[] {
  const drizzle = sheet.by("drizzle");
  const members = listBlockMembers(sheet, hit.to - 1, /^[ \t]*(\w+):\s*(?:t\.)?\w+\(/dgm);
  return [
    drizzle.hit("entity", hit, 2),
    ...members.flatMap(({ name, rest, line }) =>
      drizzle.column(hit.group(2), name, line, {
        type: /:\s*(?:t\.)?(\w+)\(/.exec(rest)?.[1],
        isRequired: /\.notNull\(\)/.test(rest),
        isUnique: /\.unique\(/.test(rest),
        target: /\.references\(\s*\(\)[^=]*=>\s*(\w+)\./.exec(rest)?.[1],
      }),
    ),
  ];
}

const TYPEORM_COLUMN =
  /@(Column|PrimaryColumn|PrimaryGeneratedColumn|CreateDateColumn|UpdateDateColumn|ManyToOne|OneToOne)\(([\s\S]{0,300}?)\)\s*(?:@\w+\([^)]{0,200}\)\s*){0,8}(?:readonly\s+|public\s+|private\s+)?(\w+)[!?]?:\s*([^;\n]+)/dg;

function readTypeormEntity(sheet: ScannedFile, entity: PatternHit): CodeFinding[] {
  const typeorm = sheet.by("typeorm");
  const of = entity.group(1);
  const fields = sheet.hitsInBlock(TYPEORM_COLUMN, entity.to - 1).flatMap((hit) => {
    const [kind, options, type] = [hit.group(1), hit.group(2), hit.group(4)];
    if (kind.endsWith("ToOne")) return [typeorm.hit("relation", hit, 3, { of, says: type.replace(/\W.*$/, "") })];
    return typeorm.column(of, hit.group(3), hit.lineOf(3), {
      type: type.trim(),
      isRequired: kind === "Column" && !/nullable:\s*true/.test(options),
      isUnique: /unique:\s*true/.test(options),
    });
  });
  return [typeorm.hit("entity", entity), ...fields];
}

function readZodRules(sheet: ScannedFile, of: string, open: number): CodeFinding[] {
  return listBlockMembers(sheet, open, /(?<=^|[{,])[^\S\n]*(\w+):\s*z\b/dgm).flatMap(({ name, rest, line }) => {
    // Limits of a list and of its items look the same here.
    if (/^[^\n]*z\s*\.\s*(?:array|record|map|set|object|strictObject)\(/.test(rest.trimStart())) return [];
    const isText = /z\s*\.\s*string\(/.test(rest);
    return readRulePhrases(rest, "zod").map((rule) => {
      const [, limit, n] = (isText && /^is (at (?:least|most) (\d+))$/.exec(rule)) || [];
      const says = limit === undefined ? rule : `has ${limit} character${n === "1" ? "" : "s"}`;
      return sheet.by("zod").find("rule", name, line, { of, says });
    });
  });
}

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

/** `kept` names the library that stores the struct. */
function readGoField(sheet: ScannedFile, of: string, line: string, at: number, kept?: string): CodeFinding[] {
  const [, name, type = "", tag = ""] = /^\s*(\w+)\s+([\w.*[\]]+)(?:\s+`([^`]*)`)?/.exec(line) ?? [];
  if (name === undefined) return [];
  const shown = /\b(?:db|json):"(\w+)/.exec(tag)?.[1] ?? name;
  const asked = /\b(?:validate|binding):"([^"]*)"/.exec(tag)?.[1] ?? "";
  const gorm = /\bgorm:"([^"]*)"/.exec(tag)?.[1] ?? "";
  const rules = asked.split(",").flatMap((part) => readRulePhrases(part, "go"));
  const column = { type, isRequired: /not null/i.test(gorm), isUnique: /unique/i.test(gorm) };
  return [
    ...(kept === undefined ? [] : sheet.by(kept).column(of, shown, at, column)),
    ...rules.map((rule) => {
      const says = type.endsWith("string") ? rule.replace(/^is (at .*)$/, "has $1 characters") : rule;
      return sheet.by("validator").find("rule", shown, at, { of, says });
    }),
  ];
}

const RUST_ROW =
  /#\[derive\([^)\n]*\b(?:FromRow|Queryable)\b[^)\n]*\)\]\s*(?:#\[[^\]\n]*\]\s*){0,8}(?:pub\s+)?struct\s+(\w+)[^{;]{0,200}\{/dg;
/** `#[validate(range(min = 1))]` above a field. */
const RUST_LIMIT =
  /#\[(?:validate|garde)\((range|length)\(([^)\n]*)\)[^\]\n]*\]\s*(?:#\[[^\]\n]*\]\s*){0,8}(?:pub\s+)?(\w+)\s*:/dg;

export function findRustModels(sheet: ScannedFile): CodeFinding[] {
  const [diesel, sqlx] = [sheet.by("diesel"), sheet.by("sqlx")];
  const structs = sheet.hits(/\bstruct\s+(\w+)/dg);
  return [
    ...sheet.hits(/\btable!\s*\{\s*(?:\w+\.)?(\w+)\s*\([^)]*\)\s*\{/dg).flatMap((hit) => [
      diesel.hit("entity", hit),
      ...sheet.hitsInBlock(/^[ \t]*(\w+)\s*->\s*([\w<>]+)/dgm, hit.to - 1).flatMap((member) => {
        const type = member.group(2);
        const column = { type, isRequired: !type.startsWith("Nullable"), isUnique: false };
        return diesel.column(hit.group(1), member.group(1), member.lineOf(1), column);
      }),
    ]),
    ...sheet
      .hits(/\bjoinable!\(\s*(\w+)\s*->\s*(\w+)\s*\((\w+)\)/dg)
      .map((hit) => diesel.hit("relation", hit, 3, { of: hit.group(1), says: hit.group(2) })),
    ...sheet
      .hits(RUST_ROW)
      .flatMap((hit) => [
        sqlx.hit("entity", hit),
        ...sheet
          .hitsInBlock(/^[ \t]*(?:pub\s+)?(\w+)\s*:\s*([^,\n]+)/dgm, hit.to - 1)
          .map((member) => sqlx.hit("field", member, 1, { of: hit.group(1), says: member.group(2).trim() })),
      ]),
    ...sheet.hits(RUST_LIMIT).flatMap((hit) => {
      const of = structs.findLast(({ from }) => from < hit.from)?.group(1);
      const verb = hit.group(1) === "length" ? "has a length of" : "is";
      return [...hit.group(2).matchAll(/\b(min|max)\s*=\s*([\w.-]+)/g)].map(([, end, n]) =>
        sheet.by("validator").hit("rule", hit, 3, { of, says: `${verb} at ${end === "min" ? "least" : "most"} ${n}` }),
      );
    }),
  ];
}

const JAVA_FIELD =
  /((?:^[ \t]*@[\w.]+(?:\([^)\n]*\))?[ \t]*\n){0,12})^[ \t]*(?:private|protected)\s+(?:final\s+)?([\w<>.]+)\s+(\w+)\s*[;=]/dgm;

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
    const [isRequired, isUnique] = [/nullable\s*=\s*false/.test(marks), /unique\s*=\s*true/.test(marks)];
    const rules = readRulePhrases(marks, "java");
    return [
      ...jpa.column(of, name, line, { type, isRequired, isUnique }),
      ...rules.map((says) => sheet.by("bean validation").find("rule", name, line, { of, says })),
    ];
  });
  return [...enums, jpa.hit("entity", entity), ...fields];
}

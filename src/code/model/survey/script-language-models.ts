import {
  type CodeFinding,
  findBlockEnd,
  type PatternHit,
  readRulePhrases,
  type RulePhrase,
  type ScannedFile,
} from "./code-finding.ts";

const DRIZZLE_TABLE = /\b(\w+)\s*=\s*(?:pg|mysql|sqlite)Table\(\s*["'](\w+)["']\s*,\s*\{/dg;
const TYPEORM_ENTITY = /@Entity\([^)]{0,300}\)\s*(?:export\s+)?(?:default\s+)?class\s+(\w+)[^{]{0,200}\{/dg;
const MONGOOSE_SCHEMA = /\b(\w+)\s*=\s*new\s+(?:mongoose\.)?Schema(?:<[^>]*>)?\(\s*\{/dg;
const ZOD_OBJECT = /\b(\w+)\s*=\s*z\s*\.\s*(?:strictObject|object)\(\s*\{/dg;
const JS_ENUM = /\benum\s+(\w+)\s*\{([^}]{0,2000})\}/dg;
const ZOD_ENUM = /\b(\w+)\s*=\s*z\s*\.\s*enum\(\s*\[([^\]]{0,2000})\]/dg;

export function findJsModels(sheet: ScannedFile): CodeFinding[] {
  return [
    ...sheet.hits(DRIZZLE_TABLE).flatMap((hit) => readDrizzleTable(sheet, hit)),
    ...sheet.hits(TYPEORM_ENTITY).flatMap((hit) => readTypeormEntity(sheet, hit)),
    ...sheet
      .hits(MONGOOSE_SCHEMA)
      .slice(0, 100)
      .map((hit) => {
        const model = new RegExp(String.raw`\bmodel(?:<[^>]*>)?\(\s*["'](\w+)["']\s*,\s*${hit.group(1)}\b`);
        const name = model.exec(sheet.text)?.[1] ?? hit.group(1).replace(/Schema$/i, "");
        return sheet.by("mongoose").find("entity", name, hit.lineOf(1), { words: hit.group(1) });
      }),
    ...sheet.hits(ZOD_OBJECT).flatMap((hit) => readZodRules(sheet, hit.group(1), hit.to - 1)),
    ...[...sheet.hits(JS_ENUM), ...sheet.hits(ZOD_ENUM)].map((hit) =>
      sheet.by("code").hit("enum", hit, 1, { says: formatEnumValues(hit.group(2)) }),
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
  const [of, open] = [entity.group(1), entity.to - 1];
  const end = findBlockEnd(sheet.text, open);
  const fields = sheet
    .hits(TYPEORM_COLUMN)
    .filter(({ from }) => from > open && from < end)
    .flatMap((hit) => {
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

const ZOD_RULES: readonly RulePhrase[] = [
  [/\.(?:min|gte)\(\s*([\w.]+)/, "is at least $1"],
  [/\.(?:max|lte)\(\s*([\w.]+)/, "is at most $1"],
  [/\.gt\(\s*([\w.]+)/, "is more than $1"],
  [/\.positive\(/, "is more than 0"],
  [/\.nonnegative\(/, "is not negative"],
  [/(?:\.|z\.)email\(/, "is an e-mail address"],
  [/(?:\.|z\.)uuid\(/, "is a UUID"],
  [/(?:\.|z\.)url\(/, "is a URL"],
];

function readZodRules(sheet: ScannedFile, of: string, open: number): CodeFinding[] {
  return listBlockMembers(sheet, open, /(?<=^|[{,])[^\S\n]*(\w+):\s*z\b/dgm).flatMap(({ name, rest, line }) => {
    // Limits of a list and of its items look the same here.
    if (/^[^\n]*z\s*\.\s*(?:array|record|map|set|object|strictObject)\(/.test(rest.trimStart())) return [];
    const isText = /z\s*\.\s*string\(/.test(rest);
    return readRulePhrases(rest, ZOD_RULES).map((rule) => {
      const says = isText
        ? rule.replace(/^is (at (?:least|most) (\d+))$/, (_, limit: string, n: string) =>
            n === "1" ? `has ${limit} character` : `has ${limit} characters`,
          )
        : rule;
      return sheet.by("zod").find("rule", name, line, { of, says });
    });
  });
}

const MAX_CLASS_LINES = 500;
const PYTHON_CLASS = /^class\s+(\w+)\(([^)\n]*)\):/dgm;

export function findPythonModels(sheet: ScannedFile): CodeFinding[] {
  return sheet.hits(PYTHON_CLASS).flatMap((hit) => {
    const [name, bases] = [hit.group(1), hit.group(2)];
    const first = hit.lineOf(1);
    const length = sheet.lines.slice(first, first + MAX_CLASS_LINES).findIndex((line) => /^\S/.test(line));
    const inside = sheet.lines
      .slice(first, first + (length < 0 ? MAX_CLASS_LINES : length))
      .map((text, i) => ({ text, line: first + 1 + i }));
    if (/\bEnum\b/.test(bases)) return [readPythonEnum(sheet, name, first, inside)];
    if (/\bmodels\.Model\b/.test(bases)) return readDjangoModel(sheet, name, first, joinPythonStatements(inside));
    const table = inside
      .map(({ text }) => /__tablename__\s*(?::[^=]+)?=\s*["'](\w+)["']/.exec(text)?.[1])
      .find((found) => found);
    if (table !== undefined || /\btable\s*=\s*True\b/.test(bases))
      return readSqlalchemyModel(sheet, name, first, joinPythonStatements(inside));
    return /\b(?:BaseModel|SQLModel|\w*Base|Schema)\b/.test(bases)
      ? readPydanticRules(sheet, name, joinPythonStatements(inside))
      : [];
  });
}

interface PythonStatement {
  readonly text: string;
  readonly line: number;
}

/** The statements of a class body. A statement includes all lines of its brackets. */
function joinPythonStatements(lines: readonly PythonStatement[]): PythonStatement[] {
  const found: { text: string; line: number }[] = [];
  let depth = 0;
  for (const { text, line } of lines) {
    const last = found.at(-1);
    if (depth > 0 && last) last.text += ` ${text.trim()}`;
    else found.push({ text, line });
    depth = Math.max(0, depth + (text.match(/[([{]/g)?.length ?? 0) - (text.match(/[)\]}]/g)?.length ?? 0));
  }
  return found;
}

function readSqlalchemyModel(
  sheet: ScannedFile,
  of: string,
  line: number,
  body: readonly PythonStatement[],
): CodeFinding[] {
  const sqlalchemy = sheet.by("sqlalchemy");
  const fields = body.flatMap(({ text, line: at }) => {
    const [, name, type = "", call = ""] =
      /^\s+(\w+)\s*(?::\s*(.+?))?\s*=\s*((?:db\.|sa\.)?(?:Column|mapped_column|Field)\(.*)$/.exec(text) ?? [];
    const bare = name === undefined ? /^\s+(\w+)\s*:\s*(Mapped\[[\w.[\] |]+\]|[\w.[\] |]+)\s*$/.exec(text) : undefined;
    const field = name ?? bare?.[1];
    const said = (name === undefined ? (bare?.[2] ?? "") : type).replace(/^Mapped\[(.*)\]$/, "$1");
    if (field === undefined || field.startsWith("__") || /\brelationship\b|^(?:list|List)\[/.test(`${call}${said}`))
      return [];
    const isOptional = /Optional|\| *None/.test(said) || /nullable\s*=\s*True/.test(call);
    const isRequired =
      !isOptional && (/nullable\s*=\s*False/.test(call) || (said !== "" && !/primary_key\s*=\s*True/.test(call)));
    const target = /(?:ForeignKey\(|foreign_key\s*=\s*)\s*["'](\w+)\./.exec(call)?.[1];
    const shown =
      said || (/(?:Column|mapped_column)\(\s*(?:["']\w+["']\s*,\s*)?(?:db\.|sa\.)?(\w+)/.exec(call)?.[1] ?? "");
    return sqlalchemy.column(of, field, at, {
      type: shown,
      isRequired,
      isUnique: /unique\s*=\s*True/.test(call),
      target,
    });
  });
  const checks = body.flatMap(({ text, line: at }) =>
    [...text.matchAll(/CheckConstraint\(\s*["']([^"']+)["']/g)].map(([, words = ""]) =>
      sqlalchemy.find("rule", "", sheet.lineWith(words, at), { of, words, says: `satisfies ${words}` }),
    ),
  );
  return [sqlalchemy.find("entity", of, line), ...fields, ...checks];
}

function readDjangoModel(
  sheet: ScannedFile,
  of: string,
  line: number,
  body: readonly PythonStatement[],
): CodeFinding[] {
  const django = sheet.by("django");
  const fields = body.flatMap(({ text, line: at }) => {
    const [, name, type = "", rest = ""] = /^\s+(\w+)\s*=\s*models\.(\w+)\((.*)$/.exec(text) ?? [];
    if (name === undefined) return [];
    const isKey = /^(?:ForeignKey|OneToOneField)$/.test(type);
    const target = isKey ? /^\s*["']?(?:\w+\.)?(\w+)/.exec(rest)?.[1] : undefined;
    return django.column(of, name, at, {
      type,
      isRequired: !/null\s*=\s*True|default\s*=/.test(rest),
      isUnique: /unique\s*=\s*True/.test(rest),
      target: target === "self" ? of : target,
    });
  });
  return [django.find("entity", of, line), ...fields];
}

const PYDANTIC_LIMITS: Readonly<Record<string, string>> = {
  gt: "is more than",
  ge: "is at least",
  lt: "is less than",
  le: "is at most",
  min: "has a length of at least",
  max: "has a length of at most",
};

function readPydanticRules(sheet: ScannedFile, of: string, body: readonly PythonStatement[]): CodeFinding[] {
  return body.flatMap(({ text, line }) => {
    const [, name, said = ""] = /^\s+(\w+)\s*:\s*(.*)$/.exec(text) ?? [];
    if (name === undefined) return [];
    const limits = [/\b(gt|ge|lt|le)\s*=\s*([\w.-]+)/g, /\b(min|max)_(?:length|items)\s*=\s*(\d+)/g];
    return [
      ...limits.flatMap((pattern) =>
        [...said.matchAll(pattern)].map(([, limit = "", n = ""]) => `${PYDANTIC_LIMITS[limit] ?? ""} ${n}`),
      ),
      ...(/\bEmailStr\b/.test(said) ? ["is an e-mail address"] : []),
    ].map((says) => sheet.by("pydantic").find("rule", name, line, { of, says }));
  });
}

function readPythonEnum(
  sheet: ScannedFile,
  name: string,
  line: number,
  inside: readonly PythonStatement[],
): CodeFinding {
  const values = inside.flatMap(
    ({ text }) =>
      /^\s+(\w+)\s*=\s*(?:["']([^"']*)["']|\w)/
        .exec(text)
        ?.slice(1, 3)
        .findLast((part) => part) ?? [],
  );
  return sheet.by("code").find("enum", name, line, { says: values.join(", ") });
}

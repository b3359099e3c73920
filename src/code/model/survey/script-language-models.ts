import { type CodeFinding, findBlockEnd, type ScannedFile } from "./code-finding.ts";

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
  const told = { by: "sqlalchemy", basis: "coded" } as const;
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
    return createColumnFindings(sheet, of, field, at, told, {
      type: shown,
      isRequired,
      isUnique: /unique\s*=\s*True/.test(call),
      target,
    });
  });
  return [sheet.found("entity", of, line, of, told), ...fields, ...findCheckConstraints(sheet, of, body, told)];
}

function findCheckConstraints(
  sheet: ScannedFile,
  of: string,
  body: readonly PythonStatement[],
  told: Pick<CodeFinding, "by" | "basis">,
): CodeFinding[] {
  return body.flatMap(({ text, line }) =>
    [...text.matchAll(/CheckConstraint\(\s*["']([^"']+)["']/g)].map(([, condition = ""]) =>
      sheet.found("rule", "", sheet.lineWith(condition, line), condition, {
        ...told,
        of,
        says: `satisfies ${condition}`,
      }),
    ),
  );
}

function readDjangoModel(
  sheet: ScannedFile,
  of: string,
  line: number,
  body: readonly PythonStatement[],
): CodeFinding[] {
  const told = { by: "django", basis: "coded" } as const;
  const fields = body.flatMap(({ text, line: at }) => {
    const [, name, type = "", rest = ""] = /^\s+(\w+)\s*=\s*models\.(\w+)\((.*)$/.exec(text) ?? [];
    if (name === undefined) return [];
    const isKey = /^(?:ForeignKey|OneToOneField)$/.test(type);
    const target = isKey ? /^\s*["']?(?:\w+\.)?(\w+)/.exec(rest)?.[1] : undefined;
    return createColumnFindings(sheet, of, name, at, told, {
      type,
      isRequired: !/null\s*=\s*True|default\s*=/.test(rest),
      isUnique: /unique\s*=\s*True/.test(rest),
      target: target === "self" ? of : target,
    });
  });
  return [sheet.found("entity", of, line, of, told), ...fields];
}

interface ModelColumn {
  readonly type: string;
  readonly isRequired: boolean;
  readonly isUnique: boolean;
  readonly target: string | undefined;
}

function createColumnFindings(
  sheet: ScannedFile,
  of: string,
  name: string,
  line: number,
  told: Pick<CodeFinding, "by" | "basis">,
  said: ModelColumn,
): CodeFinding[] {
  const rule = (says: string): CodeFinding => sheet.found("rule", name, line, name, { ...told, of, says });
  return [
    sheet.found("field", name, line, name, { ...told, of, says: said.type }),
    ...(said.isRequired ? [rule("has a value")] : []),
    ...(said.isUnique ? [rule("is unique")] : []),
    ...(said.target === undefined
      ? []
      : [sheet.found("relation", name, line, name, { ...told, of, says: said.target })]),
  ];
}

const PYDANTIC_LIMITS: Readonly<Record<string, string>> = {
  gt: "is more than",
  ge: "is at least",
  lt: "is less than",
  le: "is at most",
};

function readPydanticRules(sheet: ScannedFile, of: string, body: readonly PythonStatement[]): CodeFinding[] {
  return body.flatMap(({ text, line }) => {
    const [, name, said = ""] = /^\s+(\w+)\s*:\s*(.*)$/.exec(text) ?? [];
    if (name === undefined) return [];
    const rule = (says: string): CodeFinding =>
      sheet.found("rule", name, line, name, { by: "pydantic", basis: "coded", of, says });
    return [
      ...[...said.matchAll(/\b(gt|ge|lt|le)\s*=\s*([\w.-]+)/g)].map(([, limit = "", n = ""]) =>
        rule(`${PYDANTIC_LIMITS[limit] ?? ""} ${n}`),
      ),
      ...[...said.matchAll(/\b(min|max)_(?:length|items)\s*=\s*(\d+)/g)].map(([, end, n]) =>
        rule(`has a length of at ${end === "min" ? "least" : "most"} ${n}`),
      ),
      ...(/\bEmailStr\b/.test(said) ? [rule("is an e-mail address")] : []),
    ];
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
  return sheet.found("enum", name, line, name, { by: "code", basis: "coded", says: values.join(", ") });
}

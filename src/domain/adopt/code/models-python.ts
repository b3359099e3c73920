import type { CodeFinding } from "../finding.ts";
import type { ScannedFile } from "../sheet.ts";

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

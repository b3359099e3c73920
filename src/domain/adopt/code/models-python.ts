import type { Finding } from "../finding.ts";
import type { Sheet } from "../sheet.ts";

const LONGEST_CLASS = 500;
const CLASS = /^class\s+(\w+)\(([^)\n]*)\):/dgm;

export function modelsPython(sheet: Sheet): Finding[] {
  return sheet.hits(CLASS).flatMap((hit) => {
    const [name, bases] = [hit.group(1), hit.group(2)];
    const first = hit.lineOf(1);
    const length = sheet.lines.slice(first, first + LONGEST_CLASS).findIndex((line) => /^\S/.test(line));
    const inside = sheet.lines
      .slice(first, first + (length < 0 ? LONGEST_CLASS : length))
      .map((text, i) => ({ text, line: first + 1 + i }));
    if (/\bEnum\b/.test(bases)) return [pythonEnum(sheet, name, first, inside)];
    if (/\bmodels\.Model\b/.test(bases)) return django(sheet, name, first, statements(inside));
    const table = inside
      .map(({ text }) => /__tablename__\s*(?::[^=]+)?=\s*["'](\w+)["']/.exec(text)?.[1])
      .find((found) => found);
    if (table !== undefined || /\btable\s*=\s*True\b/.test(bases))
      return sqlalchemy(sheet, name, first, statements(inside));
    return /\b(?:BaseModel|SQLModel|\w*Base|Schema)\b/.test(bases) ? pydantic(sheet, name, statements(inside)) : [];
  });
}

interface Statement {
  readonly text: string;
  readonly line: number;
}

/** The statements of a class body. A statement includes all lines of its brackets. */
function statements(lines: readonly Statement[]): Statement[] {
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

function sqlalchemy(sheet: Sheet, of: string, line: number, body: readonly Statement[]): Finding[] {
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
    return column(sheet, of, field, at, told, {
      type: shown,
      isRequired,
      isUnique: /unique\s*=\s*True/.test(call),
      target,
    });
  });
  return [sheet.found("entity", of, line, of, told), ...fields, ...checks(sheet, of, body, told)];
}

function checks(sheet: Sheet, of: string, body: readonly Statement[], told: Pick<Finding, "by" | "basis">): Finding[] {
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

function django(sheet: Sheet, of: string, line: number, body: readonly Statement[]): Finding[] {
  const told = { by: "django", basis: "coded" } as const;
  const fields = body.flatMap(({ text, line: at }) => {
    const [, name, type = "", rest = ""] = /^\s+(\w+)\s*=\s*models\.(\w+)\((.*)$/.exec(text) ?? [];
    if (name === undefined) return [];
    const isKey = /^(?:ForeignKey|OneToOneField)$/.test(type);
    const target = isKey ? /^\s*["']?(?:\w+\.)?(\w+)/.exec(rest)?.[1] : undefined;
    return column(sheet, of, name, at, told, {
      type,
      isRequired: !/null\s*=\s*True|default\s*=/.test(rest),
      isUnique: /unique\s*=\s*True/.test(rest),
      target: target === "self" ? of : target,
    });
  });
  return [sheet.found("entity", of, line, of, told), ...fields];
}

interface Column {
  readonly type: string;
  readonly isRequired: boolean;
  readonly isUnique: boolean;
  readonly target: string | undefined;
}

function column(
  sheet: Sheet,
  of: string,
  name: string,
  line: number,
  told: Pick<Finding, "by" | "basis">,
  said: Column,
): Finding[] {
  const rule = (says: string): Finding => sheet.found("rule", name, line, name, { ...told, of, says });
  return [
    sheet.found("field", name, line, name, { ...told, of, says: said.type }),
    ...(said.isRequired ? [rule("has a value")] : []),
    ...(said.isUnique ? [rule("is unique")] : []),
    ...(said.target === undefined
      ? []
      : [sheet.found("relation", name, line, name, { ...told, of, says: said.target })]),
  ];
}

const LIMITS: Readonly<Record<string, string>> = {
  gt: "is more than",
  ge: "is at least",
  lt: "is less than",
  le: "is at most",
};

function pydantic(sheet: Sheet, of: string, body: readonly Statement[]): Finding[] {
  return body.flatMap(({ text, line }) => {
    const [, name, said = ""] = /^\s+(\w+)\s*:\s*(.*)$/.exec(text) ?? [];
    if (name === undefined) return [];
    const rule = (says: string): Finding =>
      sheet.found("rule", name, line, name, { by: "pydantic", basis: "coded", of, says });
    return [
      ...[...said.matchAll(/\b(gt|ge|lt|le)\s*=\s*([\w.-]+)/g)].map(([, limit = "", n = ""]) =>
        rule(`${LIMITS[limit] ?? ""} ${n}`),
      ),
      ...[...said.matchAll(/\b(min|max)_(?:length|items)\s*=\s*(\d+)/g)].map(([, end, n]) =>
        rule(`has a length of at ${end === "min" ? "least" : "most"} ${n}`),
      ),
      ...(/\bEmailStr\b/.test(said) ? [rule("is an e-mail address")] : []),
    ];
  });
}

function pythonEnum(sheet: Sheet, name: string, line: number, inside: readonly Statement[]): Finding {
  const values = inside.flatMap(
    ({ text }) =>
      /^\s+(\w+)\s*=\s*(?:["']([^"']*)["']|\w)/
        .exec(text)
        ?.slice(1, 3)
        .findLast((part) => part) ?? [],
  );
  return sheet.found("enum", name, line, name, { by: "code", basis: "coded", says: values.join(", ") });
}

import patterns from "./survey-patterns.json" with { type: "json" };
import type { CodeFinding, ScannedFile } from "./code-finding.ts";

const MAX_CLASS_LINES = 500;

interface PythonClass {
  readonly name: string;
  readonly bases: string;
  readonly line: number;
  readonly inside: readonly string[];
  readonly body: readonly PythonStatement[];
}

export function findPythonModels(sheet: ScannedFile): CodeFinding[] {
  const classes = sheet.hits(/^class\s+(\w+)\(([^)\n]*)\):/dgm).map((hit): PythonClass => {
    const line = hit.lineOf(1);
    const length = sheet.lines.slice(line, line + MAX_CLASS_LINES).findIndex((text) => /^\S/.test(text));
    const inside = sheet.lines.slice(line, line + (length < 0 ? MAX_CLASS_LINES : length));
    return { name: hit.group(1), bases: hit.group(2), line, inside, body: joinPythonStatements(inside, line + 1) };
  });
  const byName = new Map(classes.map((each) => [each.name, each]));
  return classes.flatMap((each) => readPythonClass(sheet, each, listPythonBases(each, byName)));
}

/** The classes of this file that it inherits from, the nearest first. */
function listPythonBases({ bases }: PythonClass, byName: ReadonlyMap<string, PythonClass>): PythonClass[] {
  const found = new Set<PythonClass>();
  const open: string[] = bases.match(/\w+/g) ?? [];
  for (let name = open.shift(); name !== undefined && found.size < MAX_BASES; name = open.shift()) {
    const base = byName.get(name);
    if (base === undefined || found.has(base)) continue;
    found.add(base);
    open.push(...(base.bases.match(/\w+/g) ?? []));
  }
  return [...found];
}

const MAX_BASES = 20;

function readPythonClass(sheet: ScannedFile, own: PythonClass, inherited: readonly PythonClass[]): CodeFinding[] {
  const { name, bases, line, inside } = own;
  if (/\bEnum\b/.test(bases)) {
    const values = inside.flatMap((text) => {
      const [, key, value] = /^\s+(\w+)\s*=\s*(?:["']([^"']*)["']|\w)/.exec(text) ?? [];
      return value || key || [];
    });
    return [sheet.by("code").find("enum", name, line, { says: values.join(", ") })];
  }
  const fields = new Set<string>();
  const body = [own, ...inherited].flatMap((each) =>
    each.body.filter(({ text }) => {
      const field = /^\s+(\w+)\s*[:=]/.exec(text)?.[1] ?? text;
      return !fields.has(field) && fields.add(field);
    }),
  );
  const above = [bases, ...inherited.map((each) => each.bases)].join(" ");
  const isAbstract = inside.some((text) => /^\s+abstract\s*=\s*True/.test(text));
  if (/\bmodels\.Model\b/.test(above)) return isAbstract ? [] : readDjangoModel(sheet, name, line, body);
  const isTable = inside.some((text) => /__tablename__\s*(?::[^=]+)?=\s*["'](\w+)["']/.test(text));
  if (isTable || /\btable\s*=\s*True\b/.test(bases)) return readSqlalchemyModel(sheet, name, line, body);
  return /\b(?:BaseModel|SQLModel|\w*Base|Schema)\b/.test(bases) ? readPydanticRules(sheet, name, own.body) : [];
}

type PythonStatement = { text: string; readonly line: number };

/** The statements of a class body. A statement includes all lines of its brackets. */
function joinPythonStatements(lines: readonly string[], first: number): PythonStatement[] {
  const found: PythonStatement[] = [];
  let depth = 0;
  for (const [i, text] of lines.entries()) {
    const last = found.at(-1);
    if (depth > 0 && last) last.text += ` ${text.trim()}`;
    else found.push({ text, line: first + i });
    depth = Math.max(0, depth + (text.match(/[([{]/g)?.length ?? 0) - (text.match(/[)\]}]/g)?.length ?? 0));
  }
  return found;
}

function readSqlalchemyModel(sheet: ScannedFile, of: string, line: number, body: readonly PythonStatement[]) {
  const sqlalchemy = sheet.by("sqlalchemy");
  const fields = body.flatMap(({ text, line: at }) => {
    const [, name, type = "", call = ""] =
      /^\s+(\w+)\s*(?::\s*(.+?))?\s*=\s*((?:db\.|sa\.)?(?:Column|mapped_column|Field)\(.*)$/.exec(text) ?? [];
    const bare =
      name === undefined
        ? /^\s+(\w+)\s*:\s*(Mapped\[[\w.[\] |]+\]|[\w.[\] |]+?)\s*(?:=\s*[\w.'"-]*\s*)?$/.exec(text)
        : undefined;
    const field = name ?? bare?.[1];
    const said = (name === undefined ? (bare?.[2] ?? "") : type).replace(/^Mapped\[(.*)\]$/, "$1");
    if (field === undefined || field.startsWith("__") || /\brelationship\b|^(?:list|List)\[/.test(`${call}${said}`))
      return [];
    const isOptional = /Optional|\| *None/.test(said) || /nullable\s*=\s*True/.test(call);
    const isStated = /nullable\s*=\s*False/.test(call) || (said !== "" && !/primary_key\s*=\s*True/.test(call));
    const called = /(?:Column|mapped_column)\(\s*(?:["']\w+["']\s*,\s*)?(?:db\.|sa\.)?(\w+)/.exec(call)?.[1];
    return sqlalchemy.column(of, field, at, {
      type: said || (called ?? ""),
      isRequired: !isOptional && isStated,
      isUnique: /unique\s*=\s*True/.test(call),
      target: /(?:ForeignKey\(|foreign_key\s*=\s*)\s*["'](\w+)\./.exec(call)?.[1],
    });
  });
  const checks = body.flatMap(({ text, line: at }) =>
    [...text.matchAll(/CheckConstraint\(\s*["']([^"']+)["']/g)].map(([, words = ""]) =>
      sqlalchemy.find("rule", "", sheet.lineWith(words, at), { of, words, says: `satisfies ${words}` }),
    ),
  );
  return [sqlalchemy.find("entity", of, line), ...fields, ...checks];
}

function readDjangoModel(sheet: ScannedFile, of: string, line: number, body: readonly PythonStatement[]) {
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

function readPydanticRules(sheet: ScannedFile, of: string, body: readonly PythonStatement[]): CodeFinding[] {
  const limits: Readonly<Record<string, string>> = patterns.pydanticLimits;
  return body.flatMap(({ text, line }) => {
    const [, name, said = ""] = /^\s+(\w+)\s*:\s*(.*)$/.exec(text) ?? [];
    if (name === undefined) return [];
    const stated = [
      ...said.matchAll(/\b(gt|ge|lt|le)\s*=\s*([\w.-]+)/g),
      ...said.matchAll(/\b(min|max)_(?:length|items)\s*=\s*(\d+)/g),
    ].map(([, limit = "", n = ""]) => `${limits[limit] ?? ""} ${n}`);
    const all = /\bEmailStr\b/.test(said) ? [...stated, "is an e-mail address"] : stated;
    return all.map((says) => sheet.by("pydantic").find("rule", name, line, { of, says }));
  });
}

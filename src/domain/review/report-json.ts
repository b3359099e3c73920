import { findClosestWord } from "../closest.ts";
import { isPlainObject } from "../flow/shape.ts";
import { mostPressing, type Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";
import {
  type Field,
  inOneLine,
  type Refused,
  type ReportForm,
  type Row,
  type Section,
  textProblem,
  type Told,
} from "./report-form.ts";
import { CONTROL, type Line } from "./report-lines.ts";

const MOST = 1_000;

export const isJson = (lines: readonly Line[]): boolean => /^\s*[{[]/.test(lines[0]?.text ?? "");

/** Each problem names its path: `findings[2].severity`. */
export function jsonIn(lines: readonly Line[], form: ReportForm): Told | Refused {
  const read = parsed(lines);
  if ("problems" in read) return read;
  const { value } = read;
  if (!isPlainObject(value)) return { problems: [{ problem: `As JSON, ${form.name} is one object.` }] };
  if (typeof value["error"] === "string" && Object.keys(value).length === 1) {
    return { problems: [{ problem: `An error was reported instead of ${form.name}: ${quote(value["error"])}.` }] };
  }
  const problems: Problem[] = [];
  const told = fieldsOf(value, form, problems);
  return problems.length > 0 ? { problems: mostPressing(problems) } : told;
}

export function parsed(lines: readonly Line[]): { readonly value: unknown } | Refused {
  const text = lines.map((line) => line.text).join("\n");
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const why = String(error).replace(/^\w+: /, "");
    return { problems: [{ problem: `The report begins as JSON and is none: ${quote(why)}.`, ...lineOf(why, lines) }] };
  }
}

function lineOf(why: string, lines: readonly Line[]): { readonly line: number } | Record<string, never> {
  const line = / \(line (?<line>\d+) column/.exec(why)?.groups?.["line"];
  const place = why.startsWith("Unexpected end") ? lines.at(-1) : lines[Number(line) - 1];
  return place ? { line: place.number } : {};
}

type Entries = Readonly<Record<string, unknown>>;

function fieldsOf(value: Entries, form: ReportForm, problems: Problem[]): Told {
  const names = [...form.metadata, ...form.sections].map(({ name }) => name);
  refuseUnknown(value, names, "", problems);
  const metadata = form.metadata.flatMap((one) => {
    const said = value[one.name];
    if (one.isDropped) return [];
    if (said === undefined || said === null || (said === "" && one.missing !== "refused" && !one.oneOf)) {
      if (one.missing === "refused") problems.push({ problem: `${one.name} is missing.` });
      return one.missing === "empty" ? [[one.name, ""] as const] : [];
    }
    return [[one.name, textIn(said, one, one.name, problems)] as const];
  });
  const filling = metadata.find(([name]) => name === form.filler?.field);
  const sections = form.sections.map((section) => {
    const filled = filling && form.filler?.section === section.keyword ? Object.fromEntries([filling]) : {};
    return [section.name, recordsIn(value[section.name], section, filled, problems)] as const;
  });
  return Object.fromEntries([...metadata, ...sections]);
}

function recordsIn(
  value: unknown,
  section: Section,
  filled: Row,
  problems: Problem[],
): readonly string[] | readonly Row[] {
  const { name, fields } = section;
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > MOST) {
    problems.push({ problem: Array.isArray(value) ? `${name} has more than ${MOST} items.` : `${name} is no list.` });
    return [];
  }
  const items: readonly unknown[] = value;
  if (fields === "free") return items.map((item, i) => textIn(item, section, `${name}[${i}]`, problems));
  return items.map((item, i) => rowIn(item, { fields, filled, path: `${name}[${i}]` }, problems));
}

interface Place {
  readonly fields: readonly Field[];
  readonly filled: Row;
  readonly path: string;
}

function rowIn(item: unknown, { fields, filled, path }: Place, problems: Problem[]): Row {
  if (!isPlainObject(item)) {
    problems.push({ problem: `${path} is no object.` });
    return {};
  }
  refuseUnknown(
    item,
    fields.map(({ name }) => name),
    `${path}.`,
    problems,
  );
  const entries = fields.flatMap((field) => {
    const said = item[field.name] ?? filled[field.name];
    if (said === undefined && field.isJsonOnly) return [];
    const where = `${path}.${field.name}`;
    const told = field.isList ? listIn(said, field, where, problems) : textIn(said, field, where, problems);
    return [[field.name, told] as const];
  });
  return Object.fromEntries(entries);
}

function listIn(value: unknown, field: Field, path: string, problems: Problem[]): readonly string[] {
  if (!Array.isArray(value) || value.length > MOST) {
    problems.push({ problem: value === undefined ? `${path} is missing.` : `${path} is no list of texts.` });
    return [];
  }
  if (value.length === 0 && !field.isJsonOnly) problems.push({ problem: `${path} is empty.` });
  return value.map((item: unknown, i) => textIn(item, field, `${path}[${i}]`, problems));
}

function textIn(value: unknown, field: Field, path: string, problems: Problem[]): string {
  if (typeof value !== "string") {
    problems.push({ problem: value === undefined ? `${path} is missing.` : `${path} is no text.` });
    return "";
  }
  const text = inOneLine(value);
  const problem = CONTROL.test(text) ? "has a control character in it" : textProblem(field, text);
  if (problem !== undefined) problems.push({ problem: `${path} ${problem}.` });
  return text;
}

function refuseUnknown(value: Entries, known: readonly string[], path: string, problems: Problem[]): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const meant = findClosestWord(key, known);
    const advice = meant ? `Write ${meant}.` : `There are ${known.join(", ")}.`;
    problems.push({ problem: `${path}${quote(key, 40)} is not known here. ${advice}` });
  }
}

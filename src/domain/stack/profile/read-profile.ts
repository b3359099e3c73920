import { quote } from "../../quote.ts";
import { CHECK_KINDS, type CheckKind } from "../check.ts";
import { Fields } from "./fields.ts";
import {
  type ControlPattern,
  type Detecting,
  type Example,
  type Indicator,
  PROFILE_ID,
  type Profile,
  type ProfileText,
} from "./profile.ts";
import { readCheck } from "./read-check.ts";
import { isNamePattern, readConditions } from "./read-condition.ts";

const KEYS = [
  "id",
  "title",
  "description",
  "extends",
  "off",
  "test_framework",
  "detection",
  "checks",
  "instead",
  "test_files",
  "source_files",
  "borrowed",
  "control",
  "patterns",
  "conventions",
  "enforcement",
  "docs",
  "examples",
];

export interface ProfileReading {
  readonly profile?: ProfileText;
  readonly problems: readonly string[];
}

/** Collects every problem at once. The id is the name of the file; an `id` in the file must match it. */
export function readProfile(name: string, value: unknown): ProfileReading {
  const problems: string[] = [];
  const fields = new Fields(value, "", KEYS, problems);
  if (!PROFILE_ID.test(name)) problems.push(`its name must be words of small letters with hyphens between`);
  const id = fields.text("id", 60);
  if (id !== undefined && id !== name) problems.push(`id is ${quote(id, 60)}, but the file is ${name}.yaml`);
  const given = {
    title: fields.text("title", 100),
    description: fields.text("description"),
    extends: fields.text("extends", 60),
    off: readOff(fields),
    test_framework: fields.text("test_framework", 100),
    detection: fields.has("detection") ? readDetection(fields, problems) : undefined,
    checks: fields.items("checks", (item, place) => readCheck(item, place, problems)),
    instead: readInstead(fields),
    test_files: readGlobs(fields, "test_files"),
    source_files: readGlobs(fields, "source_files"),
    borrowed: readGlobs(fields, "borrowed"),
    control: fields.items("control", (item, place) => readControl(item, place, problems)),
    patterns: fields.table("patterns"),
    conventions: fields.texts("conventions"),
    enforcement: fields.texts("enforcement"),
    docs: fields.texts("docs"),
    examples: readExamples(fields),
  };
  if (problems.length > 0) return { problems: [...new Set(problems)] };
  const said = Object.entries(given).filter(([, inner]) => inner !== undefined);
  return { profile: { ...(Object.fromEntries(said) as Partial<Profile>), id: name }, problems };
}

function readOff(fields: Fields): readonly string[] | undefined {
  const off = fields.texts("off", 80);
  const strange = off?.filter((word) => !CHECK_KINDS.some((kind) => word === kind || word.startsWith(`${kind}/`)));
  if (strange && strange.length > 0)
    fields.problem("off", `names kinds of checks, alone or with a tool as lint/pylint: ${CHECK_KINDS.join(", ")}`);
  return off;
}

function readDetection(fields: Fields, problems: string[]): Detecting | undefined {
  const inner = new Fields(fields.raw("detection"), "detection", ["at", "indicators", "alone"], problems);
  const at = inner.texts("at", 100);
  if (at?.some((name) => !isNamePattern(name) || name.includes("/"))) inner.problem("at", "must be names of files");
  const indicators = inner.items("indicators", (item, place): Indicator | undefined => {
    const one = new Fields(item, place, ["when", "score", "says"], problems);
    const [score, says] = [one.number("score", 1, 100), one.text("says", 200)];
    const when = readConditions(one.raw("when"), one.place("when"), problems);
    for (const key of ["when", "score", "says"]) if (!one.has(key)) one.problem(key, "is missing");
    return score === undefined || says === undefined ? undefined : { when, score, says };
  });
  if (!at || !indicators) {
    problems.push("detection must have at and indicators");
    return undefined;
  }
  return { at, indicators, alone: readConditions(inner.raw("alone"), "detection.alone", problems) };
}

function readInstead(fields: Fields): Profile["instead"] | undefined {
  const table = fields.table("instead", 40);
  if (!table) return undefined;
  const isKind = (word: string): word is CheckKind => CHECK_KINDS.some((kind) => kind === word);
  if (Object.entries(table).every(([kind, other]) => isKind(kind) && isKind(other) && kind !== other)) return table;
  fields.problem("instead", `must name, for a kind of check, the kind that answers for it: ${CHECK_KINDS.join(", ")}`);
  return undefined;
}

function readGlobs(fields: Fields, key: string): readonly string[] | undefined {
  const globs = fields.texts(key, 200);
  const isInside = (glob: string): boolean =>
    glob.split("/").every((part) => part !== "" && part !== ".." && !/[\\:{}]/.test(part));
  if (globs && !globs.every(isInside)) fields.problem(key, "must be paths below the folder, with * and ** alone");
  return globs;
}

function readControl(value: unknown, place: string, problems: string[]): ControlPattern | undefined {
  const fields = new Fields(value, place, ["file", "parts"], problems);
  const file = fields.text("file", 200);
  const parts = fields.texts("parts", 100);
  if (!fields.has("file")) fields.problem("file", "is missing");
  if (file === undefined) return undefined;
  if (!isNamePattern(file.replace(/^\*\*\//, "")))
    fields.problem("file", "may have a star only in its last name, and ** only before it");
  if (parts && !/\.(?:json|toml|mod)$/.test(file)) fields.problem("parts", "are known of JSON, TOML and go.mod alone");
  return { file, ...(parts ? { parts } : {}) };
}

function readExamples(fields: Fields): readonly Example[] | undefined {
  const table = fields.table("examples", 8_000);
  return table && Object.entries(table).map(([name, code]) => ({ name, code }));
}

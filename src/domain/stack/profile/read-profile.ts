import { quote } from "../../quote.ts";
import { CHECK_KINDS, type CheckKind } from "../check.ts";
import { ProfileFields } from "./fields.ts";
import {
  type ControlPattern,
  type DetectionRules,
  type ProfileExample,
  type StackIndicator,
  PROFILE_ID,
  type StackProfile,
  type ProfileSource,
} from "./profile.ts";
import { parseProfileCheck } from "./read-check.ts";
import { isNamePattern, parseFolderConditions } from "./read-condition.ts";

const PROFILE_KEYS = [
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

export interface ParsedProfile {
  readonly profile?: ProfileSource;
  readonly problems: readonly string[];
}

/** Collects every problem at once. The id is the name of the file; an `id` in the file must match it. */
export function parseProfileTree(name: string, value: unknown): ParsedProfile {
  const problems: string[] = [];
  const fields = new ProfileFields(value, "", PROFILE_KEYS, problems);
  if (!PROFILE_ID.test(name)) problems.push(`its name must be words of small letters with hyphens between`);
  const id = fields.text("id", 60);
  if (id !== undefined && id !== name) problems.push(`id is ${quote(id, 60)}, but the file is ${name}.yaml`);
  const given = {
    title: fields.text("title", 100),
    description: fields.text("description"),
    extends: fields.text("extends", 60),
    off: parseDroppedChecks(fields),
    test_framework: fields.text("test_framework", 100),
    detection: fields.has("detection") ? parseDetectionRules(fields, problems) : undefined,
    checks: fields.items("checks", (item, place) => parseProfileCheck(item, place, problems)),
    instead: parseCoveredKinds(fields),
    test_files: parseProfileGlobs(fields, "test_files"),
    source_files: parseProfileGlobs(fields, "source_files"),
    borrowed: parseProfileGlobs(fields, "borrowed"),
    control: fields.items("control", (item, place) => parseControlPattern(item, place, problems)),
    patterns: fields.table("patterns"),
    conventions: fields.texts("conventions"),
    enforcement: fields.texts("enforcement"),
    docs: fields.texts("docs"),
    examples: parseProfileExamples(fields),
  };
  if (problems.length > 0) return { problems: [...new Set(problems)] };
  const said = Object.entries(given).filter(([, inner]) => inner !== undefined);
  return { profile: { ...(Object.fromEntries(said) as Partial<StackProfile>), id: name }, problems };
}

function parseDroppedChecks(fields: ProfileFields): readonly string[] | undefined {
  const off = fields.texts("off", 80);
  const strange = off?.filter((word) => !CHECK_KINDS.some((kind) => word === kind || word.startsWith(`${kind}/`)));
  if (strange && strange.length > 0)
    fields.problem("off", `names kinds of checks, alone or with a tool as lint/pylint: ${CHECK_KINDS.join(", ")}`);
  return off;
}

function parseDetectionRules(fields: ProfileFields, problems: string[]): DetectionRules | undefined {
  const inner = new ProfileFields(fields.raw("detection"), "detection", ["at", "indicators", "alone"], problems);
  const at = inner.texts("at", 100);
  if (at?.some((name) => !isNamePattern(name) || name.includes("/"))) inner.problem("at", "must be names of files");
  const indicators = inner.items("indicators", (item, place): StackIndicator | undefined => {
    const one = new ProfileFields(item, place, ["when", "score", "says"], problems);
    const [score, says] = [one.number("score", 1, 100), one.text("says", 200)];
    const when = parseFolderConditions(one.raw("when"), one.place("when"), problems);
    for (const key of ["when", "score", "says"]) if (!one.has(key)) one.problem(key, "is missing");
    return score === undefined || says === undefined ? undefined : { when, score, says };
  });
  if (!at || !indicators) {
    problems.push("detection must have at and indicators");
    return undefined;
  }
  return { at, indicators, alone: parseFolderConditions(inner.raw("alone"), "detection.alone", problems) };
}

function parseCoveredKinds(fields: ProfileFields): StackProfile["instead"] | undefined {
  const table = fields.table("instead", 40);
  if (!table) return undefined;
  const isKind = (word: string): word is CheckKind => CHECK_KINDS.some((kind) => kind === word);
  if (Object.entries(table).every(([kind, other]) => isKind(kind) && isKind(other) && kind !== other)) return table;
  fields.problem("instead", `must name, for a kind of check, the kind that answers for it: ${CHECK_KINDS.join(", ")}`);
  return undefined;
}

function parseProfileGlobs(fields: ProfileFields, key: string): readonly string[] | undefined {
  const globs = fields.texts(key, 200);
  const isInside = (glob: string): boolean =>
    glob.split("/").every((part) => part !== "" && part !== ".." && !/[\\:{}]/.test(part));
  if (globs && !globs.every(isInside)) fields.problem(key, "must be paths below the folder, with * and ** alone");
  return globs;
}

function parseControlPattern(value: unknown, place: string, problems: string[]): ControlPattern | undefined {
  const fields = new ProfileFields(value, place, ["file", "parts"], problems);
  const file = fields.text("file", 200);
  const parts = fields.texts("parts", 100);
  if (!fields.has("file")) fields.problem("file", "is missing");
  if (file === undefined) return undefined;
  if (!isNamePattern(file.replace(/^\*\*\//, "")))
    fields.problem("file", "may have a star only in its last name, and ** only before it");
  if (parts && !/\.(?:json|toml|mod)$/.test(file)) fields.problem("parts", "are known of JSON, TOML and go.mod alone");
  return { file, ...(parts ? { parts } : {}) };
}

function parseProfileExamples(fields: ProfileFields): readonly ProfileExample[] | undefined {
  const table = fields.table("examples", 8_000);
  return table && Object.entries(table).map(([name, code]) => ({ name, code }));
}

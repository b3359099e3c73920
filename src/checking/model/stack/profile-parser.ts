import { quote } from "#kernel/model/text-format.ts";
import type { CommandInvocation } from "#kernel/model/shell-command.ts";
import { CHECK_KINDS, type CheckKind, CHECK_EXPECTATIONS, canTakeFiles } from "./stack-check.ts";
import { ProfileFields } from "./profile-fields.ts";
import {
  type ControlPattern,
  type DetectionRules,
  type ProfileExample,
  type StackIndicator,
  PROFILE_ID,
  type StackProfile,
  type ProfileSource,
  type ProfileCheck,
} from "./stack-profile.ts";
import { isNamePattern, parseFolderConditions } from "./profile-condition.ts";
import { COVERAGE_FORMATS, TEST_FORMATS } from "../report/test-report.ts";

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

const PROFILE_CHECK_KEYS = [
  "kind",
  "tool",
  "when",
  "otherwise",
  "argv",
  "shell",
  "expect",
  "min_score",
  "timeout_s",
  "silence_s",
  "fix",
  "report",
  "coverage",
  "variables",
];

const LONGEST_CHECK_LIMIT_S = 3_600;
const DEFAULT_CHECK_LIMITS = { timeout_s: 600, silence_s: 180 };

/** The only variables that a profile may set. None of them makes a program load another. */
const SETTABLE_VARIABLES = ["CI", "NO_COLOR", "TZ", "RUSTC_BOOTSTRAP", "CARGO_TERM_COLOR"];

const KNOWN_PLACEHOLDERS = new Set(["report", "coverage", "files"]);

function parseProfileCheck(value: unknown, place: string, problems: string[]): ProfileCheck | undefined {
  const before = problems.length;
  const fields = new ProfileFields(value, place, PROFILE_CHECK_KEYS, problems);
  const kind = fields.oneOf("kind", CHECK_KINDS);
  const tool = fields.text("tool", 60);
  for (const key of ["kind", "tool"]) if (!fields.has(key)) fields.problem(key, "is missing");
  const run = parseCheckInvocation(fields, problems, place);
  const fix = fields.has("fix") ? parseFixCommand(fields, problems) : undefined;
  const report = fields.has("report") ? parseReportFormat(fields, problems) : undefined;
  const coverage = fields.has("coverage") ? parseCoverageFormat(fields, problems) : undefined;
  const expect = fields.oneOf("expect", CHECK_EXPECTATIONS) ?? "exit-zero";
  const min_score = fields.number("min_score", -1_000, 1_000);
  if ((expect === "min-score") !== (min_score !== undefined))
    fields.problem("min_score", "is given exactly where expect is min-score");
  const variables = parseCheckVariables(fields);
  const when = parseFolderConditions(fields.raw("when"), fields.place("when"), problems);
  const otherwise = fields.isTrue("otherwise");
  const timeout_s = fields.number("timeout_s", 1, LONGEST_CHECK_LIMIT_S) ?? DEFAULT_CHECK_LIMITS.timeout_s;
  const silence_s = fields.number("silence_s", 1, LONGEST_CHECK_LIMIT_S) ?? DEFAULT_CHECK_LIMITS.silence_s;
  const blanks = run ? listCommandPlaceholders(run) : [];
  if (run && "argv" in run) {
    if (report?.from === "file" && !blanks.includes("report")) fields.problem("argv", "must say {report} somewhere");
    if (coverage && !blanks.includes("coverage")) fields.problem("argv", "must say {coverage} somewhere");
  }
  if (kind === "coverage" && !coverage) fields.problem("coverage", "is missing: its format");
  if (problems.length > before || !kind || !tool || !run) return undefined;
  return {
    kind,
    tool,
    run,
    expect,
    ...(min_score === undefined ? {} : { min_score }),
    timeout_s,
    silence_s,
    ...(fix ? { fix } : {}),
    ...(report ? { report } : {}),
    ...(coverage ? { coverage } : {}),
    ...(variables ? { variables } : {}),
    when,
    otherwise,
  };
}

function parseCheckInvocation(fields: ProfileFields, problems: string[], place: string): CommandInvocation | undefined {
  const argv = fields.texts("argv");
  const shell = fields.text("shell");
  if (fields.has("argv") === fields.has("shell")) {
    problems.push(`${place} must have either argv or shell`);
    return undefined;
  }
  if (shell !== undefined) {
    if (/\{(?:report|coverage|files)\}/.test(shell))
      fields.problem("shell", "finds its files in TENON_REPORT, TENON_COVERAGE and TENON_FILES");
    return { shell };
  }
  if (!argv || !Array.isArray(fields.raw("argv"))) {
    if (argv) fields.problem("argv", "must be a list of texts");
    return undefined;
  }
  const unknown = listCommandPlaceholders({ argv }).filter((blank) => !KNOWN_PLACEHOLDERS.has(blank));
  for (const blank of unknown) fields.problem("argv", `has {${blank}}; there are {report}, {coverage} and {files}`);
  if (/\{/.test(argv[0] ?? "")) fields.problem("argv", "must begin with the name of a program");
  return { argv };
}

export function listCommandPlaceholders(run: CommandInvocation): string[] {
  if (!("argv" in run)) return [];
  return run.argv.flatMap((word) => [...word.matchAll(/\{(\w+)\}/g)].map(([, blank = ""]) => blank));
}

function parseFixCommand(fields: ProfileFields, problems: string[]): CommandInvocation | undefined {
  const place = fields.place("fix");
  const inner = new ProfileFields(fields.raw("fix"), place, ["argv", "shell"], problems);
  const fix = parseCheckInvocation(inner, problems, place);
  if (fix && !canTakeFiles(fix)) {
    const [key, files] = "shell" in fix ? (["shell", "TENON_FILES"] as const) : (["argv", "{files}"] as const);
    inner.problem(key, `must say ${files}: what is not told which files to touch could touch anybody's`);
  }
  return fix;
}

function parseReportFormat(fields: ProfileFields, problems: string[]): ProfileCheck["report"] {
  const inner = new ProfileFields(fields.raw("report"), fields.place("report"), ["format", "from"], problems);
  const format = inner.oneOf("format", TEST_FORMATS);
  if (!inner.has("format")) inner.problem("format", "is missing");
  const from = inner.oneOf("from", ["file", "output"]) ?? "file";
  return format && { format, from };
}

function parseCoverageFormat(fields: ProfileFields, problems: string[]): ProfileCheck["coverage"] {
  const inner = new ProfileFields(fields.raw("coverage"), fields.place("coverage"), ["format"], problems);
  const format = inner.oneOf("format", COVERAGE_FORMATS);
  if (!inner.has("format")) inner.problem("format", "is missing");
  return format && { format };
}

function parseCheckVariables(fields: ProfileFields): Readonly<Record<string, string>> | undefined {
  const table = fields.table("variables", 100);
  const strange = Object.keys(table ?? {}).filter((name) => !SETTABLE_VARIABLES.includes(name));
  if (strange.length > 0) fields.problem("variables", `may set only ${SETTABLE_VARIABLES.join(", ")}`);
  return table;
}

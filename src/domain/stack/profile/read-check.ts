import { COVERAGE_FORMATS } from "../../report/coverage.ts";
import { TEST_FORMATS } from "../../report/tests.ts";
import { CHECK_KINDS, CHECK_EXPECTATIONS, type CommandInvocation } from "../check.ts";
import { canTakeFiles } from "../fill.ts";
import { ProfileFields } from "./fields.ts";
import type { ProfileCheck } from "./profile.ts";
import { parseFolderConditions } from "./read-condition.ts";

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

export function parseProfileCheck(value: unknown, place: string, problems: string[]): ProfileCheck | undefined {
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

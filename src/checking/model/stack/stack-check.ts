import * as z from "zod/mini";
import type { CommandInvocation } from "#kernel/model/shell-command.ts";
import { COVERAGE_FORMATS, TEST_FORMATS } from "../report/test-report.ts";
import { Conditions } from "./profile-condition.ts";
import {
  createChoice,
  createMapping,
  createNumber,
  createText,
  createTextArray,
  createTextTable,
} from "./profile-values.ts";

export const CHECK_KINDS = ["test", "lint", "types", "format", "build", "coverage"] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];

/** How a check passes, apart from its report. */
const CHECK_EXPECTATIONS = ["exit-zero", "no-output", "no-matches", "min-score"] as const;
const KNOWN_PLACEHOLDERS = new Set(["report", "coverage", "files"]);
const LONGEST_CHECK_LIMIT_S = 3_600;
/** The only variables that a profile may set. None of them makes a program load another. */
const SETTABLE_VARIABLES = ["CI", "NO_COLOR", "TZ", "RUSTC_BOOTSTRAP", "CARGO_TERM_COLOR"];

export const listCommandPlaceholders = (run: CommandInvocation): string[] =>
  "argv" in run ? run.argv.flatMap((word) => [...word.matchAll(/\{(\w+)\}/g)].map(([, blank = ""]) => blank)) : [];

const listUnknownPlaceholders = (argv: readonly string[]): string[] =>
  listCommandPlaceholders({ argv }).filter((blank) => !KNOWN_PLACEHOLDERS.has(blank));

const Argv = createTextArray().check(
  z.refine((argv) => listUnknownPlaceholders(argv).length === 0, {
    error: ({ input }) =>
      `has {${listUnknownPlaceholders(input as readonly string[])[0]}}; there are {report}, {coverage} and {files}`,
  }),
  z.refine(([program = ""]) => !program.includes("{"), "must begin with the name of a program"),
);
const Shell = createText().check(
  z.refine(
    (line) => !/\{(?:report|coverage|files)\}/.test(line),
    "finds its files in TENON_REPORT, TENON_COVERAGE and TENON_FILES",
  ),
);

const hasOneCommand = z.refine<{ argv?: unknown; shell?: unknown }>(
  ({ argv, shell }) => (argv === undefined) !== (shell === undefined),
  { error: "must have either argv or shell", when: ({ value }) => typeof value === "object" && value !== null },
);
const createInvocation = (argv: readonly string[] | undefined, shell = ""): CommandInvocation =>
  argv ? { argv } : { shell };

/** A command without a file list could change any file. */
const FILES_NEEDED = "what is not told which files to touch could touch anybody's";
const FixCommand = z.pipe(
  createMapping({
    argv: z.exactOptional(
      Argv.check(z.refine((argv) => argv.includes("{files}"), `must say {files}: ${FILES_NEEDED}`)),
    ),
    shell: z.exactOptional(
      Shell.check(z.refine((line) => line.includes("TENON_FILES"), `must say TENON_FILES: ${FILES_NEEDED}`)),
    ),
  }).check(hasOneCommand),
  z.transform(({ argv, shell }) => createInvocation(argv, shell)),
);

const namesFile = (argv: readonly string[] | undefined, blank: string): boolean =>
  argv === undefined || listCommandPlaceholders({ argv }).includes(blank);

export const ProfileCheck = z.pipe(
  createMapping({
    kind: createChoice(CHECK_KINDS),
    tool: createText(60),
    when: z._default(Conditions, []),
    /** Whether it runs only if no other check of its kind does. */
    otherwise: z._default(z.boolean("must be true or false"), false),
    argv: z.exactOptional(Argv),
    shell: z.exactOptional(Shell),
    expect: z._default(createChoice(CHECK_EXPECTATIONS), "exit-zero"),
    min_score: z.exactOptional(createNumber(-1_000, 1_000)),
    /** Limits in seconds, for the whole run and for a time without output. */
    timeout_s: z._default(createNumber(1, LONGEST_CHECK_LIMIT_S), 600),
    silence_s: z._default(createNumber(1, LONGEST_CHECK_LIMIT_S), 180),
    fix: z.exactOptional(FixCommand),
    /** The format of the test report, in the file `{report}` or in the output. */
    report: z.exactOptional(
      createMapping({
        format: createChoice(TEST_FORMATS),
        from: z._default(createChoice(["file", "output"]), "file"),
      }),
    ),
    /** The format of the coverage report, in the file or folder `{coverage}`. */
    coverage: z.exactOptional(createMapping({ format: createChoice(COVERAGE_FORMATS) })),
    variables: z.exactOptional(
      createTextTable(100).check(
        z.refine(
          (table) => Object.keys(table).every((name) => SETTABLE_VARIABLES.includes(name)),
          `may set only ${SETTABLE_VARIABLES.join(", ")}`,
        ),
      ),
    ),
  }).check(
    hasOneCommand,
    z.refine(({ expect, min_score }) => (expect === "min-score") === (min_score !== undefined), {
      error: "is given exactly where expect is min-score",
      path: ["min_score"],
    }),
    z.refine(({ argv, report }) => report?.from !== "file" || namesFile(argv, "report"), {
      error: "must say {report} somewhere",
      path: ["argv"],
    }),
    z.refine(({ argv, coverage }) => !coverage || namesFile(argv, "coverage"), {
      error: "must say {coverage} somewhere",
      path: ["argv"],
    }),
    z.refine(({ kind, coverage }) => kind !== "coverage" || coverage !== undefined, {
      error: "is missing: its format",
      path: ["coverage"],
    }),
  ),
  z.transform(({ argv, shell, ...check }) => ({ ...check, run: createInvocation(argv, shell) })),
);
export type ProfileCheck = z.output<typeof ProfileCheck>;
export type StackCheck = Readonly<Omit<ProfileCheck, "when" | "otherwise">>;

export interface FolderStack {
  /** Relative to the workspace; `.` for itself. */
  readonly directory: string;
  readonly profile: string;
  readonly checks: readonly StackCheck[];
  /** Globs of test files, relative to the directory. */
  readonly test_files: readonly string[];
  readonly source_files: readonly string[];
  /**
   * Folders that git ignores and a check needs, such as `node_modules` or `../node_modules`; a temporary worktree
   * borrows them.
   */
  readonly borrowed: readonly string[];
  /** Kinds that another kind covers: a build that checks types makes a separate type check unnecessary. */
  readonly instead: Readonly<Partial<Record<CheckKind, CheckKind>>>;
  /** Kinds without a check, each with a way to get one. */
  readonly missing: readonly { readonly kind: CheckKind; readonly how: string }[];
}

/** Only a check with a report lists single tests. */
export const findTestCheck = ({ checks }: Pick<FolderStack, "checks">): StackCheck | undefined =>
  checks.find(({ kind, report }) => kind === "test" && report !== undefined);

/** A shell line gets the values as variables instead of spliced text. */
export function fillCommandPlaceholders(
  run: CommandInvocation,
  variables: StackCheck["variables"],
  {
    report,
    coverage,
    files,
  }: { readonly report: string; readonly coverage: string; readonly files: readonly string[] },
): { readonly run: CommandInvocation; readonly variables: Readonly<Record<string, string>> } {
  const fill = (word: string): string => word.replaceAll("{report}", report).replaceAll("{coverage}", coverage);
  const own = Object.fromEntries(Object.entries(variables ?? {}).map(([name, value]) => [name, fill(value)]));
  if ("shell" in run) {
    const told = { TENON_REPORT: report, TENON_COVERAGE: coverage, TENON_FILES: files.join("\n") };
    return { run, variables: { ...own, ...told } };
  }
  return { run: { argv: run.argv.flatMap((word) => (word === "{files}" ? files : [fill(word)])) }, variables: own };
}

import * as z from "zod/mini";
import type { CommandInvocation } from "#kernel/model/shell-command.ts";
import { getPathFolder, joinFolderAndPath, resolveFolderPath } from "#kernel/model/folder-path.ts";
import { COVERAGE_FORMATS, TEST_FORMATS } from "../report/test-report.ts";
import { Conditions } from "./profile-condition.ts";
import {
  createChoice,
  createMapping,
  createNumber,
  createText,
  createTextArray,
  createTextList,
  createTextTable,
} from "./profile-values.ts";

export const CHECK_KINDS = ["test", "lint", "types", "format", "build", "coverage"] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];
/** A project may do without these. Gates give them the same names. */
export const OPTIONAL_CHECKS: ReadonlySet<string> = new Set(["format", "build"] satisfies CheckKind[]);

/** How a check passes, apart from its report. */
const CHECK_EXPECTATIONS = ["exit-zero", "no-output", "no-matches", "min-score"] as const;
/** `args` and `options` are filled in from the project's script when the check is planned, the others when it runs. */
const KNOWN_PLACEHOLDERS = [
  "report",
  "coverage",
  "files",
  "reporter",
  "tests",
  "folders",
  "names",
  "pattern",
  "targets",
  "class",
  "classes",
  "args",
  "options",
];
/** Placeholders that choose tests. */
const CHOICE_PLACEHOLDERS = ["tests", "folders", "targets", "class", "classes"];
/** Reporters of Tenon's own, for runners that write no report or one that leaves out too much. */
export const OWN_REPORTERS = ["mocha", "node-test", "playwright", "unittest", "minitest"] as const;
const LONGEST_CHECK_LIMIT_S = 3_600;
/** The only variables that a profile may set. None of them makes a program load another. */
const SETTABLE_VARIABLES = [
  "CI",
  "NO_COLOR",
  "TZ",
  "RUSTC_BOOTSTRAP",
  "CARGO_TERM_COLOR",
  "MT_CPU",
  "N",
  "TAP_DISABLE_COVERAGE",
  "TAP_ALLOW_EMPTY_COVERAGE",
];

/** `{tests:,}` puts all values into one word, with a comma between them. */
const PLACEHOLDER = /\{(\w+)(?::([^\w{}]{1,3}))?\}/g;

export const listCommandPlaceholders = (run: CommandInvocation): string[] =>
  "argv" in run ? run.argv.flatMap((word) => [...word.matchAll(PLACEHOLDER)].map(([, blank = ""]) => blank)) : [];

const listUnknownPlaceholders = (argv: readonly string[]): string[] =>
  listCommandPlaceholders({ argv }).filter((blank) => !KNOWN_PLACEHOLDERS.includes(blank));

const Argv = createTextArray().check(
  z.refine((argv) => listUnknownPlaceholders(argv).length === 0, {
    error: ({ input }) =>
      `has {${listUnknownPlaceholders(input as readonly string[])[0]}}; there are ${KNOWN_PLACEHOLDERS.map((each) => `{${each}}`).join(", ")}`,
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
const FILES_NEEDED = "a fix without {files} could change unrelated files";
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
    /** How to install the tool, if the project's own installation does not bring it. */
    install: z.exactOptional(createText(200)),
    /** A command of the project whose options replace `{args}`. */
    follows: z.exactOptional(
      createMapping({
        commands: createTextList(100),
        options: z._default(createTextList(60), []),
        paths: z._default(z.boolean("must be true or false"), false),
      }),
    ),
    otherwise: z._default(z.boolean("must be true or false"), false),
    argv: z.exactOptional(Argv),
    shell: z.exactOptional(Shell),
    expect: z._default(createChoice(CHECK_EXPECTATIONS), "exit-zero"),
    min_score: z.exactOptional(createNumber(-1_000, 1_000)),
    /** Limits in seconds, for the whole run and for a time without output. */
    timeout_s: z._default(createNumber(1, LONGEST_CHECK_LIMIT_S), 600),
    silence_s: z._default(createNumber(1, LONGEST_CHECK_LIMIT_S), 180),
    fix: z.exactOptional(FixCommand),
    /**
     * The command that runs some tests alone: their files `{tests}`, folders `{folders}`, classes `{classes}` or Cargo's
     * options for them, `{targets}`. A word with `{class}` is repeated for each class. Within these, `{names}` are the
     * names of the tests, and `{pattern}` is a regular expression of the outermost names.
     */
    only: z.exactOptional(
      Argv.check(
        z.refine(
          (argv) => listCommandPlaceholders({ argv }).some((blank) => CHOICE_PLACEHOLDERS.includes(blank)),
          `must have one of ${CHOICE_PLACEHOLDERS.map((blank) => `{${blank}}`).join(", ")}`,
        ),
      ),
    ),
    /**
     * Where `{args}` come from: the call of this program in the test script. `drop` lists options to leave out, with a
     * `=` if they take a value, and `values` lists the others that do.
     */
    script: z.exactOptional(
      createMapping({
        program: createText(60),
        drop: z._default(createTextList(60), []),
        values: z._default(createTextList(60), []),
      }),
    ),
    /** The format of the test report: in the file or folder `{report}`, in the output, or in files that it writes. */
    report: z.exactOptional(
      createMapping({
        format: createChoice(TEST_FORMATS),
        from: z._default(createChoice(["file", "output", "files"]), "file"),
        /** Globs of those files, below the folder of the stack. */
        at: z.exactOptional(createTextList(200)),
        /** A reporter of Tenon's own: the file `{reporter}`, which writes to `TENON_REPORT`. */
        reporter: z.exactOptional(createChoice(OWN_REPORTERS)),
      }).check(
        z.refine(({ from, at }) => (from === "files") === (at !== undefined), {
          error: "is needed if from is files, and only then",
          path: ["at"],
        }),
      ),
    ),
    /** The format of the coverage report, in the file or folder `{coverage}`, or in files that it writes. */
    coverage: z.exactOptional(
      createMapping({ format: createChoice(COVERAGE_FORMATS), at: z.exactOptional(createTextList(200)) }),
    ),
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
      error: "is needed if expect is min-score, and only then",
      path: ["min_score"],
    }),
    z.refine(({ argv, report }) => report?.from !== "file" || report.reporter || namesFile(argv, "report"), {
      error: "must say {report} somewhere",
      path: ["argv"],
    }),
    z.refine(({ argv, coverage }) => !coverage || coverage.at !== undefined || namesFile(argv, "coverage"), {
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
export type StackCheck = Readonly<Omit<ProfileCheck, "when" | "otherwise" | "script" | "follows">>;

export interface CleanInstall {
  /** The folder of the lock file, relative to the workspace. */
  readonly directory: string;
  readonly commands: readonly string[];
  readonly isLocked: boolean;
}

export interface FolderStack {
  /** Relative to the workspace; `.` for itself. */
  readonly directory: string;
  readonly profile: string;
  readonly checks: readonly StackCheck[];
  /** Globs of test files, relative to the directory. */
  readonly test_files: readonly string[];
  readonly source_files: readonly string[];
  /** Ignored folders such as `node_modules` or `../node_modules`; a temporary checkout borrows them. */
  readonly borrowed: readonly string[];
  /** Kinds that another kind covers: a build that checks types makes a separate type check unnecessary. */
  readonly instead: Readonly<Partial<Record<CheckKind, CheckKind>>>;
  /** The command that installs the project's tools. */
  readonly install?: string | undefined;
  /** How a clean clone gets the packages. Undefined if the profile knows no way. */
  readonly clean?: CleanInstall | undefined;
  /** Kinds without a check, each with a way to get one. */
  readonly missing: readonly { readonly kind: CheckKind; readonly how: string }[];
}

/** Only a check with a report lists single tests. */
export const findTestCheck = ({ checks }: Pick<FolderStack, "checks">): StackCheck | undefined =>
  checks.find(({ kind, report }) => kind === "test" && report !== undefined);

/** Relative to the workspace. A package of a monorepo also borrows from parent folders. */
export function listBorrowedFolders(stacks: readonly FolderStack[]): string[] {
  const folders = stacks.flatMap(({ directory, borrowed }) =>
    borrowed.flatMap((folder) => resolveFolderPath(joinFolderAndPath(directory, folder)) ?? []),
  );
  return [...new Set(folders)];
}

export function describeMissingTool(
  { directory, missing, profile }: FolderStack,
  kind: CheckKind | undefined,
  otherwise: string,
): string {
  const how = missing.find((each) => each.kind === kind)?.how ?? otherwise;
  return `${directory === "." ? profile : `${directory} (${profile})`}: ${how}`;
}

interface CommandValues {
  readonly report: string;
  readonly coverage: string;
  readonly reporter?: string | undefined;
  readonly files?: readonly string[];
  /** Tests to run alone. The file is relative to the folder of the stack. */
  readonly tests?: readonly ChosenTest[];
}

export interface ChosenTest {
  readonly file: string;
  /** With the suites around it: `TestLogin > wrong code`. Empty for all tests of the file. */
  readonly name: string;
}

const listUnique = (words: readonly string[]): string[] => [...new Set(words)];

/** An integration test is a target of its own, so that others need not compile. */
function listCargoTargets(files: readonly string[]): string[] {
  const names = files.map((path) => /(?:^|\/)tests\/([^/]+?)(?:\/main)?\.rs$/.exec(path)?.[1]);
  if (names.includes(undefined)) return ["--tests"];
  return listUnique(names.flatMap((name) => name ?? [])).flatMap((name) => ["--test", name]);
}

/** A shell line gets the values as variables instead of spliced text. */
export function fillCommandPlaceholders(
  run: CommandInvocation,
  variables: StackCheck["variables"],
  { report, coverage, reporter = "", files = [], tests = [] }: CommandValues,
): { readonly run: CommandInvocation; readonly variables: Readonly<Record<string, string>> } {
  const paths = listUnique(tests.map(({ file }) => file));
  // Without a name, all tests of a file are meant.
  const named = tests.every(({ name }) => name !== "") ? tests : [];
  const outermost = listUnique(named.map(({ name }) => name.split(" > ")[0] ?? name));
  const choice = outermost.map((name) => name.replaceAll(/[^\w]/g, ".")).join("|");
  const pattern = named.length > 0 ? `^(?:${choice})$` : ".";
  const fill = (word: string): string =>
    word
      .replaceAll("{report}", report)
      .replaceAll("{coverage}", coverage)
      .replaceAll("{reporter}", reporter)
      .replaceAll("{pattern}", pattern);
  const own = Object.fromEntries(Object.entries(variables ?? {}).map(([name, value]) => [name, fill(value)]));
  if ("shell" in run) {
    const told = { TENON_REPORT: report, TENON_COVERAGE: coverage, TENON_FILES: files.join("\n") };
    return { run, variables: { ...own, ...told } };
  }
  const classes = listUnique(paths.map((path) => path.replace(/^.*\//, "").replace(/\.\w+$/, "")));
  const lists: Readonly<Record<string, readonly string[]>> = {
    files,
    tests: paths,
    classes,
    folders: listUnique(paths.map((path) => `./${getPathFolder(path)}`)),
    targets: listCargoTargets(paths),
    names: listUnique(named.map(({ name }) => name.split(/ > |::/).at(-1) ?? name)),
  };
  const fillWord = (word: string): readonly string[] => {
    const list = /^\{(\w+)\}$/.exec(word)?.[1];
    if (list !== undefined && lists[list]) return lists[list];
    if (word.includes("{class}")) return classes.map((name) => word.replaceAll("{class}", name));
    return [fill(word.replaceAll(PLACEHOLDER, (all, name: string, mark) => (mark && lists[name]?.join(mark)) ?? all))];
  };
  const told: Readonly<Record<string, string>> = reporter === "" ? {} : { TENON_REPORT: report };
  return { run: { argv: run.argv.flatMap(fillWord) }, variables: { ...own, ...told } };
}

/** A class is guessed from the name of its file, so a run of chosen classes may miss a test. */
export const isChoiceGuessed = ({ only }: Pick<StackCheck, "only">): boolean =>
  only !== undefined && listCommandPlaceholders({ argv: only }).some((blank) => blank.startsWith("class"));

/** Whether it is a coverage run that reports its tests. */
export const hasTestReport = ({ kind, report }: StackCheck): boolean => kind === "coverage" && report !== undefined;

import type { CommandInvocation } from "#kernel/model/shell-command.ts";
import type { CoverageFormat, TestFormat } from "../report/test-report.ts";

export const CHECK_KINDS = ["test", "lint", "types", "format", "build", "coverage"] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];

/** How a check passes, apart from its report. */
export const CHECK_EXPECTATIONS = ["exit-zero", "no-output", "no-matches", "min-score"] as const;
type CheckExpectation = (typeof CHECK_EXPECTATIONS)[number];

export interface StackCheck {
  readonly kind: CheckKind;
  readonly tool: string;
  readonly run: CommandInvocation;
  readonly expect: CheckExpectation;
  readonly min_score?: number;
  /** Limits in seconds, for the whole run and for a time without output. */
  readonly timeout_s: number;
  readonly silence_s: number;
  readonly fix?: CommandInvocation;
  /** The format of the test report, in the file `{report}` or in the output. */
  readonly report?: { readonly format: TestFormat; readonly from: "file" | "output" };
  /** The format of the coverage report, in the file or folder `{coverage}`. */
  readonly coverage?: { readonly format: CoverageFormat };
  readonly variables?: Readonly<Record<string, string>>;
}

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
  readonly missing: readonly MissingCheck[];
}

/** Only a check with a report lists single tests. */
export const findTestCheck = ({ checks }: Pick<FolderStack, "checks">): StackCheck | undefined =>
  checks.find(({ kind, report }) => kind === "test" && report !== undefined);

export interface MissingCheck {
  readonly kind: CheckKind;
  readonly how: string;
}

export interface PlaceholderValues {
  readonly report: string;
  readonly coverage: string;
  readonly files: readonly string[];
}

/** A shell line gets the values as variables instead of spliced text. */
export function fillCommandPlaceholders(
  run: CommandInvocation,
  variables: StackCheck["variables"],
  { report, coverage, files }: PlaceholderValues,
): { readonly run: CommandInvocation; readonly variables: Readonly<Record<string, string>> } {
  const fill = (word: string): string => word.replaceAll("{report}", report).replaceAll("{coverage}", coverage);
  const own = Object.fromEntries(Object.entries(variables ?? {}).map(([name, value]) => [name, fill(value)]));
  if ("shell" in run) {
    const told = { TENON_REPORT: report, TENON_COVERAGE: coverage, TENON_FILES: files.join("\n") };
    return { run, variables: { ...own, ...told } };
  }
  return { run: { argv: run.argv.flatMap((word) => (word === "{files}" ? files : [fill(word)])) }, variables: own };
}

/** A command without a file list could change any file. */
export const canTakeFiles = (run: CommandInvocation): boolean =>
  "shell" in run ? run.shell.includes("TENON_FILES") : run.argv.includes("{files}");

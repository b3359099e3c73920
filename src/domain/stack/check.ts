import type { CoverageFormat } from "../report/coverage.ts";
import type { TestFormat } from "../report/tests.ts";

export const CHECK_KINDS = ["test", "lint", "types", "format", "build", "coverage"] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];

/** How a check passes, apart from its report. */
export const CHECK_EXPECTATIONS = ["exit-zero", "no-output", "no-matches", "min-score"] as const;
type CheckExpectation = (typeof CHECK_EXPECTATIONS)[number];

/**
 * A program with its arguments, or a shell line if the profile declares one. `{report}` and `{coverage}` in an argument
 * become paths of files to write; `{files}` becomes one argument per file. A shell line reads them from the variables
 * `TENON_REPORT`, `TENON_COVERAGE` and `TENON_FILES` (one path per line), so that nothing is ever spliced into the
 * line.
 */
export type CommandInvocation = { readonly argv: readonly string[] } | { readonly shell: string };

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

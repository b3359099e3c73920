import type { CoverageFormat } from "../report/coverage.ts";
import type { TestFormat } from "../report/tests.ts";

/** What a stack's checks are for. */
export const CHECK_KINDS = ["test", "lint", "types", "format", "build", "coverage"] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];

/** What tells that a check passed, besides the report where it writes one. */
export const EXPECTATIONS = ["exit-zero", "no-output", "no-matches", "min-score"] as const;
type Expectation = (typeof EXPECTATIONS)[number];

/**
 * A program with its arguments, or a line for a shell where somebody declared one. `{report}` and `{coverage}` in an
 * argument are the paths of files to write, `{files}` becomes one argument a file; a shell finds them as variables
 * `TENON_REPORT`, `TENON_COVERAGE` and, one a line, `TENON_FILES`, so that nothing is ever spliced into its line.
 */
export type Invocation = { readonly argv: readonly string[] } | { readonly shell: string };

/** A check as a profile has it, once it is known that the project has its tool. */
export interface Check {
  readonly kind: CheckKind;
  /** What runs: `vitest`, `ruff`, `clippy`. */
  readonly tool: string;
  readonly run: Invocation;
  readonly expect: Expectation;
  /** The least that passes where a score is expected, in the tool's own scale. */
  readonly min_score?: number;
  /** Seconds that the whole may take, and that it may be silent. */
  readonly timeout_s: number;
  readonly silence_s: number;
  /** What mends what it complains of, on the files that it is given. */
  readonly fix?: Invocation;
  /** How it tells of each test, and whether in the file `{report}` or in what it prints. */
  readonly report?: { readonly format: TestFormat; readonly from: "file" | "output" };
  /** How it tells of the lines that were run, in the file or folder `{coverage}`. */
  readonly coverage?: { readonly format: CoverageFormat };
  /** Variables that it is started with, of the few that a profile may set. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A stack in a folder of the workspace, with the checks that are really run there. */
export interface StackUse {
  /** Relative to the workspace; `.` for itself. */
  readonly directory: string;
  readonly profile: string;
  readonly checks: readonly Check[];
  /** Globs, relative to the directory, of files that are tests or belong to them. */
  readonly test_files: readonly string[];
  /** Globs of files that are code. */
  readonly source_files: readonly string[];
  /** Folders that git ignores and a check needs, as `node_modules` or `../node_modules`; a temporary worktree borrows them. */
  readonly borrowed: readonly string[];
  /** Kinds that another kind answers for: where the build tells of wrong types, nothing else has to. */
  readonly instead: Readonly<Partial<Record<CheckKind, CheckKind>>>;
  /** Kinds that nothing answers for here, each with what would make one run. */
  readonly missing: readonly Missing[];
}

/** The check that tells of each test; others leave nobody the wiser. */
export const testCheck = ({ checks }: Pick<StackUse, "checks">): Check | undefined =>
  checks.find(({ kind, report }) => kind === "test" && report !== undefined);

export interface Missing {
  readonly kind: CheckKind;
  readonly how: string;
}

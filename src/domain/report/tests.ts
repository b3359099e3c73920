export const TEST_FORMATS = ["vitest-json", "jest-json", "junit-xml", "go-json", "libtest-json"] as const;
export type TestFormat = (typeof TEST_FORMATS)[number];

/** What became of one test, as its runner tells it. */
export interface TestOutcome {
  /** The file where the runner names it, relative to the workspace, else the package or module. */
  readonly file: string;
  /** The whole name, with the suites around it, as `login > refuses a wrong password`. */
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped";
  readonly ms?: number;
  /** What it said when it failed, at most some 2,000 characters. */
  readonly message?: string;
}

/** What kept a file or a package from being tested at all: it does not load, it does not compile. */
export interface LoadFailure {
  readonly file: string;
  readonly message: string;
}

export interface TestReport {
  readonly tests: readonly TestOutcome[];
  readonly failures: readonly LoadFailure[];
}

export const TEST_FORMATS = ["vitest-json", "jest-json", "junit-xml", "go-json", "libtest-json"] as const;
export type TestFormat = (typeof TEST_FORMATS)[number];

export interface TestOutcome {
  /** The file relative to the workspace. Runners that do not name files give a package or module. */
  readonly file: string;
  /** Full name with its suites, as `login > refuses a wrong password`. */
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped";
  readonly ms?: number;
  readonly message?: string;
}

/** A file or package whose tests could not run because it does not load or compile. */
export interface LoadFailure {
  readonly file: string;
  readonly message: string;
}

export interface TestReport {
  readonly tests: readonly TestOutcome[];
  readonly failures: readonly LoadFailure[];
}

/** What a syntax tree shows of a file, as far as gates ask. Lines count from 1. */
export interface Look {
  readonly language: string;
  readonly comments: readonly Span[];
  /** Calls by what is called, written as in the code: `console.log`, `print`, `t.Skip`. */
  readonly calls: readonly Span[];
  /** Test cases: their names, and whether they are told to be skipped, expected to fail or the only ones to run. */
  readonly tests: readonly TestCase[];
}

export interface Span {
  readonly line: number;
  readonly lastLine: number;
  readonly text: string;
}

export interface TestCase {
  readonly name: string;
  readonly line: number;
  readonly lastLine: number;
  /** `.skip`, `@pytest.mark.skip`, `#[ignore]`, `t.Skip`; `.only` keeps others from running. */
  readonly mark?: "skipped" | "only" | "expected-to-fail";
}

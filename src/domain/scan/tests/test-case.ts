export interface TestCase {
  /** Includes the suites around it: `login > rejects a wrong password`. A computed name stays as written. */
  readonly name: string;
  readonly line: number;
  readonly lastLine: number;
  /** `.skip`, `@pytest.mark.skip`, `#[ignore]`, `t.Skip`; `.only` keeps others from running. */
  readonly mark?: TestMark;
}

export type TestMark = "skipped" | "only" | "expected-to-fail";

const SUITE_SEPARATOR = " > ";

export function createTestCase(
  names: readonly string[],
  { line, lastLine }: { readonly line: number; readonly lastLine: number },
  mark: TestMark | undefined,
): TestCase {
  return { name: names.join(SUITE_SEPARATOR), line, lastLine, ...(mark === undefined ? {} : { mark }) };
}

export function parseStringLiteral(code: string | undefined): string | undefined {
  const match = /^(["'`])([\s\S]*)\1$/.exec(code ?? "");
  if (match === null) return undefined;
  const [, quote, inner = ""] = match;
  return quote === "`" ? inner : inner.replace(/\\(.)/g, "$1");
}

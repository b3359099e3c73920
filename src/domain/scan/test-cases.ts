import type { Look } from "./look.ts";
import { cppTests, cTests } from "./tests/cpp.ts";
import { goTests } from "./tests/go.ts";
import { javascriptTests } from "./tests/javascript.ts";
import { csharpTests, javaTests } from "./tests/junit.ts";
import { phpTests } from "./tests/php.ts";
import { pythonTests } from "./tests/python.ts";
import { rubyTests } from "./tests/ruby.ts";
import { rustTests } from "./tests/rust.ts";
import type { Mark, TestCase } from "./tests/test-case.ts";

const READERS: Readonly<Partial<Record<string, (look: Look) => TestCase[]>>> = {
  javascript: javascriptTests,
  typescript: javascriptTests,
  tsx: javascriptTests,
  python: pythonTests,
  go: goTests,
  rust: rustTests,
  java: javaTests,
  csharp: csharpTests,
  ruby: rubyTests,
  php: phpTests,
  c: cTests,
  cpp: cppTests,
};

export const testCasesIn = (look: Look): TestCase[] => READERS[look.language]?.(look) ?? [];

/** A file at one point in time; without a scan it does not exist. */
export interface LookedAt {
  readonly path: string;
  readonly look: Look | undefined;
}

export interface LostTest {
  readonly path: string;
  readonly name: string;
  readonly line: number;
  readonly how: "removed" | Mark;
}

/**
 * Compares the tests of files. A test that moved to another of these files under the same name is kept. A new mark
 * counts as a loss, and so does a new test that would be the only one to run.
 */
export function lostTests(before: readonly LookedAt[], after: readonly LookedAt[]): LostTest[] {
  const left = Map.groupBy(placed(after), ({ test }) => test.name);
  const lost = placed(before).flatMap((old): LostTest[] => {
    const same = left.get(old.test.name) ?? [];
    const at = same.findIndex(({ path }) => path === old.path);
    const [now] = same.splice(Math.max(at, 0), 1);
    if (now === undefined) return [{ path: old.path, name: old.test.name, line: old.test.line, how: "removed" }];
    const { mark } = now.test;
    return mark === undefined || mark === old.test.mark ? [] : [told(now, mark)];
  });
  const fresh = [...left.values()].flat().filter(({ test }) => test.mark === "only");
  return [...lost, ...fresh.map((now) => told(now, "only"))];
}

interface Placed {
  readonly path: string;
  readonly test: TestCase;
}

const placed = (files: readonly LookedAt[]): Placed[] =>
  files.flatMap(({ path, look }) => (look === undefined ? [] : testCasesIn(look).map((test) => ({ path, test }))));

const told = ({ path, test }: Placed, how: Mark): LostTest => ({ path, name: test.name, line: test.line, how });

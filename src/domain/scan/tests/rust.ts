import type { CodeScan } from "../look.ts";
import { pairEnclosingSpans } from "../nesting.ts";
import { isRustTest } from "../test-files.ts";
import { createTestCase, type TestCase } from "./test-case.ts";

export function findRustTests(look: CodeScan): TestCase[] {
  return pairEnclosingSpans(look.definitions).flatMap(({ one, around }) => {
    if (one.kind !== "function" || !one.marks.some(isRustTest)) return [];
    const all = [...around.filter(({ kind }) => kind === "module"), one];
    const isSkipped = all.some(({ marks }) => marks.some((mark) => RUST_DISABLED_MARK.test(mark)));
    return [
      createTestCase(
        all.map(({ text }) => text),
        one,
        isSkipped ? "skipped" : undefined,
      ),
    ];
  });
}

/** Ignored, or not compiled for tests. */
const RUST_DISABLED_MARK = /^#\[ignore\b|^#!?\[cfg\((?:any\(\)|not\(test\)|false)\)\]/;

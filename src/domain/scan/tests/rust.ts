import type { Look } from "../look.ts";
import { nested } from "../nesting.ts";
import { isRustTest } from "../test-files.ts";
import { testCase, type TestCase } from "./test-case.ts";

export function rustTests(look: Look): TestCase[] {
  return nested(look.definitions).flatMap(({ one, around }) => {
    if (one.kind !== "function" || !one.marks.some(isRustTest)) return [];
    const all = [...around.filter(({ kind }) => kind === "module"), one];
    const isSkipped = all.some(({ marks }) => marks.some((mark) => NEVER.test(mark)));
    return [
      testCase(
        all.map(({ text }) => text),
        one,
        isSkipped ? "skipped" : undefined,
      ),
    ];
  });
}

/** Ignored, or not compiled for tests. */
const NEVER = /^#\[ignore\b|^#!?\[cfg\((?:any\(\)|not\(test\)|false)\)\]/;

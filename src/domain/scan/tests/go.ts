import type { CodeScan, ScanSpan } from "../look.ts";
import { findInnermostSpans, pairEnclosingSpans } from "../nesting.ts";
import { parseStringLiteral, createTestCase, type TestCase } from "./test-case.ts";

export function findGoTests(look: CodeScan): TestCase[] {
  const isLeftOut = look.comments.some(({ text }) => /^\/\/(?:go:build|\s*\+build)\s+ignore\b/.test(text));
  const skips = look.calls.filter(({ text, isConditional }) => /^\w+\.Skip(?:f|Now)?$/.test(text) && !isConditional);
  const named = [...listGoFunctions(look), ...listGoSubtests(look)].toSorted((one, other) => one.start - other.start);
  const skipped = new Set(findInnermostSpans(skips, named).values());
  return pairEnclosingSpans(named).flatMap(({ one, around }) => {
    const all = [...around, one];
    if (!/^(?:Test|Fuzz|Example)(?![a-z])/.test(all[0]?.text ?? "")) return [];
    const isSkipped = isLeftOut || all.some((each) => skipped.has(each));
    return [
      createTestCase(
        all.map(({ text }) => text),
        one,
        isSkipped ? "skipped" : undefined,
      ),
    ];
  });
}

const listGoFunctions = (look: CodeScan): ScanSpan[] => look.definitions.filter(({ kind }) => kind === "function");

function listGoSubtests(look: CodeScan): ScanSpan[] {
  return look.calls.flatMap((call) => {
    const name = /^\w+\.Run$/.test(call.text) ? parseStringLiteral(call.argument) : undefined;
    return name === undefined ? [] : [{ ...call, text: name }];
  });
}

import type { Look, Span } from "../look.ts";
import { innermost, nested } from "../nesting.ts";
import { literal, testCase, type TestCase } from "./test-case.ts";

export function goTests(look: Look): TestCase[] {
  const isLeftOut = look.comments.some(({ text }) => /^\/\/(?:go:build|\s*\+build)\s+ignore\b/.test(text));
  const skips = look.calls.filter(({ text, isConditional }) => /^\w+\.Skip(?:f|Now)?$/.test(text) && !isConditional);
  const named = [...functions(look), ...runs(look)].toSorted((one, other) => one.start - other.start);
  const skipped = new Set(innermost(skips, named).values());
  return nested(named).flatMap(({ one, around }) => {
    const all = [...around, one];
    if (!/^(?:Test|Fuzz|Example)(?![a-z])/.test(all[0]?.text ?? "")) return [];
    const isSkipped = isLeftOut || all.some((each) => skipped.has(each));
    return [
      testCase(
        all.map(({ text }) => text),
        one,
        isSkipped ? "skipped" : undefined,
      ),
    ];
  });
}

const functions = (look: Look): Span[] => look.definitions.filter(({ kind }) => kind === "function");

function runs(look: Look): Span[] {
  return look.calls.flatMap((call) => {
    const name = /^\w+\.Run$/.test(call.text) ? literal(call.argument) : undefined;
    return name === undefined ? [] : [{ ...call, text: name }];
  });
}

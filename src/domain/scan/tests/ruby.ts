import type { Look, Span } from "../look.ts";
import { innermost, nested } from "../nesting.ts";
import { literal, type Mark, testCase, type TestCase } from "./test-case.ts";

const WORD = /^(?:RSpec\.)?([xf]?)(describe|context|feature|it|specify|example|scenario|test|should)$/;
const SUITE = /^(?:describe|context|feature)$/;

interface Part extends Span {
  readonly name: string;
  readonly isSuite: boolean;
  readonly mark: Mark | undefined;
}

export function rubyTests(look: Look): TestCase[] {
  const parts = [...declared(look), ...methods(look)].toSorted((one, other) => one.start - other.start);
  const skips = look.calls.filter(({ text, isConditional }) => /^(?:skip|pending)$/.test(text) && !isConditional);
  const skipped = new Set(innermost(skips, parts).values());
  return nested(parts).flatMap(({ one, around }) => {
    if (one.isSuite) return [];
    const all = [...around.filter(({ isSuite }) => isSuite), one];
    const mark = all.map((each) => each.mark ?? (skipped.has(each) ? "skipped" : undefined)).find(Boolean);
    const names = all.map(({ name }) => name);
    return [testCase(names, one, mark)];
  });
}

function declared(look: Look): Part[] {
  return look.calls.flatMap((call): Part[] => {
    const [, letter, word = ""] = WORD.exec(call.text) ?? [];
    const isSuite = SUITE.test(word);
    const name = literal(call.argument) ?? (isSuite ? call.argument : undefined);
    if (letter === undefined || name === undefined) return [];
    return [{ ...call, name, isSuite, mark: letter === "x" ? "skipped" : letter === "f" ? "only" : undefined }];
  });
}

function methods(look: Look): Part[] {
  return nested(look.definitions).flatMap(({ one, around }): Part[] => {
    const isSuite = one.kind === "class" && IS_SUITE.test(one.text);
    const owner = around.findLast(({ kind }) => kind === "class");
    const isCase = one.kind === "function" && one.text.startsWith("test_") && IS_SUITE.test(owner?.text ?? "");
    return isSuite || isCase ? [{ ...one, name: one.text, isSuite, mark: undefined }] : [];
  });
}

const IS_SUITE = /(?:Test|TestCase|Spec)$|^Test/;

import { readAllowanceReason } from "#code/model/scan/code-shortcuts.ts";
import { findTestCases } from "#code/model/scan/test-cases.ts";
import { isSameTest, type NewTestCase } from "../../model/gate/test-evidence.ts";
import { findTargetTests } from "../../model/mutation/mutation-check.ts";
import { compareChangedTests } from "./kept-tests.ts";
import type { ChangedFile } from "./static-checks.ts";

/** With its whole file, or for an inline test only the test itself. An edited test needs new evidence. */
export interface NewTestText extends NewTestCase {
  readonly text: string;
}

/** A test that only moved or got a new name is not new. */
export function findNewTests(files: readonly ChangedFile[], { moved } = compareChangedTests(files)): NewTestText[] {
  const isMoved = (file: string, name: string): boolean =>
    moved.some(({ to }) => isSameTest({ file: to.path, name: to.name }, { file, name }));
  return files.flatMap(({ path, look, before, isTest, text = "" }) => {
    if (!look) return [];
    const known = new Set(before ? findTestCases(before).map(({ name }) => name) : []);
    const lines = text.split("\n");
    return findTestCases(look)
      .filter(({ name }) => !known.has(name) && !isMoved(path, name))
      .map(({ name, line, lastLine }) => ({
        file: path,
        name,
        line,
        text: isTest ? text : lines.slice(line - 1, lastLine).join("\n"),
        allowed: look.comments
          .filter((comment) => comment.line >= line - 1 && comment.lastLine <= lastLine)
          .map((comment) => readAllowanceReason(comment.text))
          .find((reason) => reason !== undefined),
      }));
  });
}

/** The tests that can prove the work: new ones, with `tag` those that name it, or else earlier ones that it extends. */
export function chooseProvingTests(files: readonly ChangedFile[], tag?: string) {
  const isTagged = (test: NewTestText): boolean => tag === undefined || isTestTagged(files, test, tag);
  const cases = findNewTests(files).filter(isTagged);
  return cases.length > 0
    ? { cases, isExtended: false }
    : { cases: findExtendedTests(files).filter(isTagged), isExtended: true };
}

/** The tag may be in the test, directly above it, or apply to the whole file. */
export function isTestTagged(
  files: readonly ChangedFile[],
  { file, name }: Pick<NewTestText, "file" | "name">,
  spec: string,
): boolean {
  const found = files.find(({ path }) => path === file);
  if (!found?.look) return false;
  const targets = findTargetTests(file, found.look, { spec }, found.isTest);
  return targets.some((target) => target.name === undefined || target.name === name);
}

/** The changed files that are not code. A test that fails without one of these says nothing about the code. */
export function listOtherPaths(work: readonly { readonly path: string }[], files: readonly ChangedFile[]): string[] {
  const code = new Set(files.flatMap(({ path, isTest }) => (isTest ? [] : [path])));
  return work.flatMap(({ path }) => (code.has(path) ? [] : [path]));
}

/**
 * Earlier tests to which the work only adds lines, such as a row of a table. A row may be outside of its test, in a
 * decorator or a variable: then each test of the file may use it.
 */
export function findExtendedTests(files: readonly ChangedFile[]): NewTestText[] {
  return files.flatMap(({ path, isTest, wasTest, look, before, text, oldText, change }) => {
    if (!isTest || !wasTest || !look || !before || text === undefined || oldText === undefined) return [];
    const earlier = findTestCases(before);
    const kept = findTestCases(look).filter(({ name, mark }) => !mark && earlier.some((each) => each.name === name));
    const read = (all: string, { line, lastLine } = WHOLE_FILE): string[] => listPlainLines(all, line, lastLine);
    const isInside = (n: number): boolean => kept.some(({ line, lastLine }) => line <= n && n <= lastLine);
    const isWhole = change.added.some(({ number }) => !isInside(number)) && hasLines(read(text), read(oldText));
    return kept.flatMap((test) => {
      const from = earlier.find(({ name }) => name === test.name);
      const own = read(text, test);
      const was = from ? read(oldText, from) : [];
      const isExtended = isWhole || (own.length > was.length && hasLines(own, was));
      return isExtended ? [{ file: path, name: test.name, line: test.line, text }] : [];
    });
  });
}

const WHOLE_FILE = { line: 1, lastLine: Infinity };

/** Formatters align rows and add commas. */
const listPlainLines = (text: string, line: number, lastLine: number): string[] =>
  text
    .split("\n")
    .slice(line - 1, lastLine)
    .map((each) => each.replaceAll(/\s+/g, "").replace(/,$/, ""))
    .filter((each) => each !== "");

/** Whether `all` has the lines of `some` in their order. */
function hasLines(all: readonly string[], some: readonly string[]): boolean {
  let found = 0;
  for (const line of all) if (line === some[found]) found++;
  return found === some.length;
}

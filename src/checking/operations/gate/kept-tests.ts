import { readAllowanceReason } from "#code/model/scan/code-shortcuts.ts";
import { compareTestFiles, findTestCases, type TestComparison } from "#code/model/scan/test-cases.ts";
import { findTestSections } from "#code/model/scan/test-files.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { TestRemoval } from "#planning/model/workflow/workflow-record.ts";
import { describeLostTest } from "../../model/gate/gate-fixes.ts";
import type { ChangedFile } from "./static-checks.ts";

/** A test that no longer counts, with the reason if there is one. */
export interface LostTestFinding {
  readonly file: string;
  readonly name: string;
  readonly problem: string;
  readonly allowed?: string | undefined;
}

/** All tests of the work, before and now. */
export const compareChangedTests = (files: readonly ChangedFile[]): TestComparison =>
  compareTestFiles(
    files.flatMap(({ path, change, before, wasTest, oldText }) =>
      wasTest || hasTestSections(before) ? [{ path: change.from ?? path, look: before, text: oldText }] : [],
    ),
    files.flatMap(({ path, look, isTest, text }) => (isTest || hasTestSections(look) ? [{ path, look, text }] : [])),
  );

const hasTestSections = (look: ChangedFile["look"]): boolean => look !== undefined && findTestSections(look).length > 0;

export function findLostTestProblems(
  files: readonly ChangedFile[],
  { lost }: TestComparison,
  removals: readonly TestRemoval[],
): LostTestFinding[] {
  const comments = files.flatMap(({ path, look }) =>
    (look?.comments ?? []).flatMap(({ text, line, lastLine }) => {
      const reason = readAllowanceReason(text);
      return reason === undefined ? [] : [{ path, reason, line, lastLine }];
    }),
  );
  return lost.map(({ path, name, how }) => {
    // A removed test has no line any more, so its comment must name it.
    const span = files
      .filter((file) => file.path === path)
      .flatMap(({ look }) => (look ? findTestCases(look) : []))
      .find((test) => test.name === name);
    const comment = comments.find((each) =>
      how === "removed"
        ? each.reason.includes(getOwnTestName(name))
        : each.path === path && span && each.line >= span.line - 1 && each.lastLine <= span.lastLine,
    )?.reason;
    return {
      file: path,
      name,
      problem: describeLostTest(path, name, how),
      allowed: how === "only" ? undefined : (findRemovalReason({ file: path, name }, removals) ?? comment),
    };
  });
}

const getOwnTestName = (name: string): string => name.split(" > ").at(-1) ?? name;

export const findRemovalReason = (
  { file, name }: { readonly file: string; readonly name: string },
  removals: readonly TestRemoval[],
): string | undefined =>
  removals.find(({ test }) => [name, getOwnTestName(name), file, `${file}: ${name}`].includes(test))?.reason;

export const describeUnusedRemovals = (
  removals: readonly TestRemoval[],
  lost: readonly Pick<LostTestFinding, "file" | "name">[],
): string[] =>
  removals
    .filter((removal) => !lost.some((each) => findRemovalReason(each, [removal]) !== undefined))
    .map(({ test }) => `tests_removed names ${quote(test, 120)}, but no test of that name was removed.`);

/** A reviewer has to read these. */
export const describeChangedTests = ({ moved, edited }: TestComparison): string[] => [
  ...moved
    .filter(({ from, to }) => from.name !== to.name)
    .map(({ from, to }) => `Renamed test: ${to.path}: ${quote(from.name, 120)} is ${quote(to.name, 120)} now.`),
  ...edited.map(({ to }) => `Edited test: ${to.path}: ${quote(to.name, 120)}`).slice(0, MOST_SHOWN_EDITS),
];

const MOST_SHOWN_EDITS = 10;

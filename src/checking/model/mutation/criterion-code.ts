import {
  type ScannedDefinition,
  type CodeScan,
  type ScanSpan,
  findInnermostSpans,
} from "#code/model/scan/code-scan.ts";
import { type SpecTag, findSpecTags } from "#code/model/scan/spec-tags.ts";
import { findTestCases } from "#code/model/scan/test-cases.ts";
import { isTestLine, findTestSections } from "#code/model/scan/test-files.ts";

/** An acceptance criterion, or the code and tests of a spec that name no criterion. */
export interface CriterionTarget {
  readonly spec: string;
  readonly criterion?: string | undefined;
}

export const formatCriterionTarget = ({ spec, criterion }: CriterionTarget): string =>
  criterion === undefined ? spec : `${spec}.${criterion}`;

export interface LineRange {
  readonly line: number;
  readonly lastLine: number;
}

/** The criteria named in the file's code; the spec itself for a tag without a criterion. */
export const listCriterionTargets = (look: CodeScan, spec: string): CriterionTarget[] => {
  const tags = listCodeTags(look).filter((tag) => tag.spec === spec);
  return [...new Set(tags.map(({ criterion }) => criterion))].map((criterion) => ({ spec, criterion }));
};

/**
 * The code tagged for exactly this criterion: the function or class below the tag, else the one around it, else the
 * whole file. Tests are excluded.
 */
export function findCriterionLines(look: CodeScan, aim: CriterionTarget): LineRange[] {
  const parts = findTestSections(look);
  return listCodeTags(look)
    .filter(({ spec, criterion }) => spec === aim.spec && criterion === aim.criterion)
    .flatMap((tag) => subtractLineRanges(findTaggedPart(look, tag.line) ?? { line: 1, lastLine: Infinity }, parts));
}

function listCodeTags(look: CodeScan): SpecTag[] {
  const parts = findTestSections(look);
  return findSpecTags(look).filter(({ line }) => !isTestLine(parts, line));
}

function findTaggedPart(look: CodeScan, line: number): LineRange | undefined {
  const comment = findCommentAround(look, line);
  if (comment === undefined) return undefined;
  return findDefinitionBelow(look, comment) ?? findInnermostSpans([comment], look.definitions).get(comment);
}

const findCommentAround = (look: CodeScan, line: number): ScanSpan | undefined =>
  look.comments.find((each) => each.line <= line && line <= each.lastLine);

/** The definition on the same or the next line. Further comments may come between. */
function findDefinitionBelow(look: CodeScan, comment: ScanSpan): ScannedDefinition | undefined {
  const last = findCommentBlockEnd(look, comment);
  return look.definitions.find(({ start, line }) => start >= comment.end && line <= last + 1);
}

/** Comments on consecutive lines form one block. */
function findCommentBlockEnd(look: CodeScan, comment: ScanSpan): number {
  let last = comment.lastLine;
  for (const other of look.comments) {
    if (other.start > comment.start && other.line === last + 1) last = other.lastLine;
  }
  return last;
}

function subtractLineRanges(lines: LineRange, parts: readonly LineRange[]): LineRange[] {
  let rest = [lines];
  for (const part of parts) {
    rest = rest.flatMap(({ line, lastLine }) =>
      [
        { line, lastLine: Math.min(lastLine, part.line - 1) },
        { line: Math.max(line, part.lastLine + 1), lastLine },
      ].filter((piece) => piece.line <= piece.lastLine),
    );
  }
  return rest;
}

/** A test tagged with a spec; without a name, every test of the file. */
export interface TargetTest {
  readonly file: string;
  readonly name?: string;
}

/**
 * Tests of a criterion, or of a whole spec: those that contain the tag or follow it, else all tests of the file. In a
 * source file only its inline tests count.
 */
export function findTargetTests(file: string, look: CodeScan, aim: CriterionTarget, isTest: boolean): TargetTest[] {
  const cases = findTestCases(look);
  const parts = findTestSections(look);
  const tags = findSpecTags(look).filter(
    ({ spec, criterion, line }) =>
      spec === aim.spec &&
      (aim.criterion === undefined || criterion === aim.criterion) &&
      (isTest || isTestLine(parts, line)),
  );
  return tags.flatMap((tag): TargetTest[] => {
    const comment = findCommentAround(look, tag.line);
    const last = comment === undefined ? tag.line : findCommentBlockEnd(look, comment);
    const under = cases.filter(({ line }) => line > tag.line && line <= last + 1);
    const around = cases.filter(({ line, lastLine }) => line <= tag.line && tag.line <= lastLine).slice(-1);
    const named = under.length > 0 ? under : around;
    return named.length === 0 ? [{ file }] : named.map(({ name }) => ({ file, name }));
  });
}

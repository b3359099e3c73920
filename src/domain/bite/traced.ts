import type { ScannedDefinition, CodeScan, ScanSpan } from "../scan/look.ts";
import { findInnermostSpans } from "../scan/nesting.ts";
import { type SpecTag, findSpecTags } from "../scan/tags.ts";
import { findTestCases } from "../scan/test-cases.ts";
import { isTestLine, findTestSections } from "../scan/test-files.ts";

/** An acceptance criterion, or the code and tests of a spec that name no criterion. */
export interface Aim {
  readonly spec: string;
  readonly criterion?: string | undefined;
}

export const nameOfAim = ({ spec, criterion }: Aim): string =>
  criterion === undefined ? spec : `${spec}.${criterion}`;

export interface Lines {
  readonly line: number;
  readonly lastLine: number;
}

/** The criteria named in the file's code; the spec itself for a tag without a criterion. */
export const aimsIn = (look: CodeScan, spec: string): Aim[] => {
  const tags = codeTags(look).filter((tag) => tag.spec === spec);
  return [...new Set(tags.map(({ criterion }) => criterion))].map((criterion) => ({ spec, criterion }));
};

/**
 * The code tagged for exactly this criterion: the function or class below the tag, else the one around it, else the
 * whole file. Tests are excluded.
 */
export function tracedLines(look: CodeScan, aim: Aim): Lines[] {
  const parts = findTestSections(look);
  return codeTags(look)
    .filter(({ spec, criterion }) => spec === aim.spec && criterion === aim.criterion)
    .flatMap((tag) => without(partOf(look, tag.line) ?? { line: 1, lastLine: Infinity }, parts));
}

function codeTags(look: CodeScan): SpecTag[] {
  const parts = findTestSections(look);
  return findSpecTags(look).filter(({ line }) => !isTestLine(parts, line));
}

function partOf(look: CodeScan, line: number): Lines | undefined {
  const comment = commentAt(look, line);
  if (comment === undefined) return undefined;
  return below(look, comment) ?? findInnermostSpans([comment], look.definitions).get(comment);
}

const commentAt = (look: CodeScan, line: number): ScanSpan | undefined =>
  look.comments.find((each) => each.line <= line && line <= each.lastLine);

/** The definition on the same or the next line. Further comments may come between. */
function below(look: CodeScan, comment: ScanSpan): ScannedDefinition | undefined {
  const last = lastOfBlock(look, comment);
  return look.definitions.find(({ start, line }) => start >= comment.end && line <= last + 1);
}

/** Comments on consecutive lines form one block. */
function lastOfBlock(look: CodeScan, comment: ScanSpan): number {
  let last = comment.lastLine;
  for (const other of look.comments) {
    if (other.start > comment.start && other.line === last + 1) last = other.lastLine;
  }
  return last;
}

function without(lines: Lines, parts: readonly Lines[]): Lines[] {
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
export interface Target {
  readonly file: string;
  readonly name?: string;
}

/**
 * Tests of a criterion, or of a whole spec: those that contain the tag or follow it, else all tests of the file. In a
 * source file only its inline tests count.
 */
export function targetsIn(file: string, look: CodeScan, aim: Aim, isTest: boolean): Target[] {
  const cases = findTestCases(look);
  const parts = findTestSections(look);
  const tags = findSpecTags(look).filter(
    ({ spec, criterion, line }) =>
      spec === aim.spec &&
      (aim.criterion === undefined || criterion === aim.criterion) &&
      (isTest || isTestLine(parts, line)),
  );
  return tags.flatMap((tag): Target[] => {
    const comment = commentAt(look, tag.line);
    const last = comment === undefined ? tag.line : lastOfBlock(look, comment);
    const under = cases.filter(({ line }) => line > tag.line && line <= last + 1);
    const around = cases.filter(({ line, lastLine }) => line <= tag.line && tag.line <= lastLine).slice(-1);
    const named = under.length > 0 ? under : around;
    return named.length === 0 ? [{ file }] : named.map(({ name }) => ({ file, name }));
  });
}

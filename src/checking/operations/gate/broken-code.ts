import type { MutationKind } from "#code/model/mutation-site.ts";
import type { CodeScan } from "#code/model/scan/code-scan.ts";
import { findSpecTags } from "#code/model/scan/spec-tags.ts";
import { findTestSections } from "#code/model/scan/test-files.ts";
import type { TemporaryCheckout } from "#git/operations/ports/git-files.ts";
import {
  applyAllMutations,
  createMutations,
  findCriterionLines,
  type LineRange,
  subtractLineRanges,
} from "../../model/mutation/mutation-check.ts";
import type { CheckingEngine } from "../engine.ts";
import type { ChangedFile } from "./static-checks.ts";

export interface BreakableCode {
  readonly path: string;
  /** Undefined for the whole file. */
  readonly lines?: readonly LineRange[];
}

/** Makes the code wrong in a temporary checkout, at every place of these kinds, or only those with such a text, at once. Gives the files that changed. */
export async function breakCode(
  { source, syntax }: Pick<CheckingEngine, "source" | "syntax">,
  lent: Pick<TemporaryCheckout, "put">,
  code: readonly BreakableCode[],
  kinds?: readonly MutationKind[],
  only = /^/,
): Promise<string[]> {
  const broken: string[] = [];
  for (const { path, lines = [{ line: 1, lastLine: Infinity }] } of code) {
    const text = await source.text(path);
    const look = text === undefined ? undefined : await syntax.look(path, text);
    if (text === undefined || !look) continue;
    const tests = findTestSections(look);
    const ranges = lines.flatMap((range) => subtractLineRanges(range, tests));
    const { language } = look;
    const sites = (await syntax.sites(path, text)).filter((site) => only.test(site.text));
    const all = createMutations({ path, text, language }, sites, ranges, kinds);
    await lent.put(path, applyAllMutations(text, all));
    if (all.length > 0) broken.push(path);
  }
  return broken;
}

interface TaggedWork {
  readonly spec: string;
  readonly files: readonly ChangedFile[];
  /** Whether a requirement of this id exists. */
  readonly isKnown: (id: string) => boolean;
}

/** The changed lines with the functions around them, and definitions that name a criterion. Not deleted code. */
export function listWorkCode({ spec, files, isKnown }: TaggedWork, isOwnOnly = false): BreakableCode[] {
  return files.flatMap(({ path, isTest, change, look }) => {
    if (isTest || !look) return [];
    if (change.status === "added") return [{ path }];
    const changed = change.added.map(({ number }): LineRange => ({ line: number, lastLine: number }));
    const around = changed.flatMap(({ line }) => {
      const own = look.definitions.filter(
        (each) => each.kind === "function" && each.line <= line && line <= each.lastLine,
      );
      return own.toSorted((one, other) => one.lastLine - one.line - (other.lastLine - other.line)).slice(0, 1);
    });
    const traced = findCriterionLines(look, { spec }).filter(isBounded);
    const all = [...changed, ...around.map(({ line, lastLine }) => ({ line, lastLine })), ...traced];
    const others = isOwnOnly ? listLinesOfOthers(look, spec, isKnown) : [];
    const lines = all.flatMap((range) => subtractLineRanges(range, others));
    return lines.length > 0 ? [{ path, lines }] : [];
  });
}

const isBounded = ({ lastLine }: LineRange): boolean => lastLine !== Infinity;

/** Definitions that name only other requirements: another workflow may have changed them in the same file. */
function listLinesOfOthers(look: CodeScan, spec: string, isKnown: TaggedWork["isKnown"]): LineRange[] {
  const tags = findSpecTags(look);
  const list = (isWanted: (id: string) => boolean): LineRange[] =>
    tags.filter((tag) => isWanted(tag.spec)).flatMap((tag) => findCriterionLines(look, tag).filter(isBounded));
  const own = list((id) => id === spec);
  return list((id) => id !== spec && isKnown(id)).filter(
    ({ line, lastLine }) => !own.some((each) => each.line <= lastLine && line <= each.lastLine),
  );
}

/** Empties the lines in a temporary checkout. For code that has nothing to break, such as types. */
export async function blankCode(
  { source }: Pick<CheckingEngine, "source">,
  lent: Pick<TemporaryCheckout, "put">,
  code: readonly BreakableCode[],
): Promise<string[]> {
  for (const { path, lines = [{ line: 1, lastLine: Infinity }] } of code) {
    const text = (await source.text(path)) ?? "";
    const isInside = (at: number): boolean => lines.some(({ line, lastLine }) => line <= at && at <= lastLine);
    const left = text.split("\n").map((line, at) => (isInside(at + 1) ? "" : line));
    await lent.put(path, left.join("\n"));
  }
  return code.map(({ path }) => path);
}

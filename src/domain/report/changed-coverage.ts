import type { LineCoverage } from "./coverage.ts";

/** Text of added or changed lines by file and line number. */
export type ChangedLines = ReadonlyMap<string, ReadonlyMap<number, string>>;

export interface ChangedCoverage {
  readonly covered: number;
  /** Executable lines. If there are none, coverage is 100 %. */
  readonly coverable: number;
  /** Rounded down to a tenth, so that rounding never reaches the minimum. */
  readonly percent: number;
  readonly uncovered: readonly UncoveredFile[];
}

interface UncoveredFile {
  readonly file: string;
  readonly lines: readonly number[];
  readonly isUnknown: boolean;
}

/**
 * Ignores lines that cannot run. In a file missing from the coverage report, every line that looks like code counts as
 * not run: no test loaded the file, or the report excludes it.
 */
export function measureChangedCoverage(coverage: LineCoverage, changed: ChangedLines): ChangedCoverage {
  let covered = 0;
  let coverable = 0;
  const uncovered: UncoveredFile[] = [];
  for (const [file, texts] of changed) {
    const known = coverage.get(file);
    const lines: number[] = [];
    for (const [line, text] of texts) {
      const isRun = known ? known.get(line) : false;
      if (isRun === undefined || (hasLooseCoverage(file, known) && !isCodeLine(text))) continue;
      coverable += 1;
      if (isRun) covered += 1;
      else lines.push(line);
    }
    if (lines.length > 0) uncovered.push({ file, lines: lines.toSorted((a, b) => a - b), isUnknown: !known });
  }
  const percent = coverable === 0 ? 100 : Math.floor((1000 * covered) / coverable) / 10;
  return { covered, coverable, percent, uncovered };
}

/** Go reports blocks from first to last line, including comments and blank lines. */
const hasLooseCoverage = (file: string, known: unknown): boolean => known === undefined || file.endsWith(".go");

function isCodeLine(text: string): boolean {
  const line = text.trim();
  return /[\p{L}\p{N}]/u.test(line) && !/^(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?![[!\w]))/.test(line);
}

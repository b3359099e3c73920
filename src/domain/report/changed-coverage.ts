import type { Coverage } from "./coverage.ts";

/** The lines that were added or changed, with what is in them, by file. */
export type ChangedLines = ReadonlyMap<string, ReadonlyMap<number, string>>;

export interface ChangedCoverage {
  readonly covered: number;
  /** Lines that can be run at all; of nothing, everything is covered. */
  readonly coverable: number;
  /** Rounded down to a tenth, so that nothing reaches a bar that it does not. */
  readonly percent: number;
  /** Only the files with lines that were not run. */
  readonly uncovered: readonly UncoveredFile[];
}

interface UncoveredFile {
  readonly file: string;
  readonly lines: readonly number[];
  /** The coverage does not know the file, so no line of it was run. */
  readonly isUnknown: boolean;
}

/**
 * How much of what was changed was run by tests. Lines that cannot be run do not count. Of a file that the coverage
 * does not know, every line that looks like code counts as not run: nothing was loaded of it, or it was left out.
 */
export function changedCoverage(coverage: Coverage, changed: ChangedLines): ChangedCoverage {
  let covered = 0;
  let coverable = 0;
  const uncovered: UncoveredFile[] = [];
  for (const [file, texts] of changed) {
    const known = coverage.get(file);
    const lines: number[] = [];
    for (const [line, text] of texts) {
      const isRun = known ? known.get(line) : false;
      if (isRun === undefined || (isLoose(file, known) && !looksLikeCode(text))) continue;
      coverable += 1;
      if (isRun) covered += 1;
      else lines.push(line);
    }
    if (lines.length > 0) uncovered.push({ file, lines: lines.toSorted((a, b) => a - b), isUnknown: !known });
  }
  const percent = coverable === 0 ? 100 : Math.floor((1000 * covered) / coverable) / 10;
  return { covered, coverable, percent, uncovered };
}

/** Go tells of blocks from their first line to their last, with the comments and blank lines between. */
const isLoose = (file: string, known: unknown): boolean => known === undefined || file.endsWith(".go");

function looksLikeCode(text: string): boolean {
  const line = text.trim();
  return /[\p{L}\p{N}]/u.test(line) && !/^(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?![[!\w]))/.test(line);
}

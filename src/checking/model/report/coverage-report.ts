import {
  type LineCoverage,
  type CoverageFormat,
  isReportObject,
  iterateReportLines,
  parseReportJson,
  resolveReportedPath,
  type RunLocation,
  type ReportReading,
  checkReportSize,
} from "./test-report.ts";

/** A line that ran once counts as run, whatever later records report. */
class CoverageLines {
  readonly files = new Map<string, Map<number, boolean>>();
  readonly place: RunLocation;
  #count = 0;

  constructor(place: RunLocation) {
    this.place = place;
  }

  of(reported: string): Map<number, boolean> | undefined {
    const path = resolveReportedPath(this.place, reported);
    if (path === undefined) return undefined;
    const known = this.files.get(path) ?? new Map<number, boolean>();
    this.files.set(path, known);
    return known;
  }

  add(file: Map<number, boolean> | undefined, line: number, isRun: boolean): void {
    if (!Number.isSafeInteger(line) || line < 1)
      throw new CoverageSyntaxError("The coverage names a line that is no number.");
    if ((this.#count += 1) > MAX_COVERAGE_LINES) throw new CoverageSyntaxError("The coverage tells of too many lines.");
    file?.set(line, isRun || file.get(line) === true);
  }
}

class CoverageSyntaxError extends Error {}

const MAX_COVERAGE_LINES = 2_000_000;

const COVERAGE_READERS: Readonly<Record<CoverageFormat, (text: string, lines: CoverageLines) => void>> = {
  lcov: readLcovCoverage,
  "istanbul-json": readIstanbulCoverage,
  "coverage-py-json": readPythonCoverage,
  "go-cover": readGoCoverage,
};

export function readCoverageReport(
  format: CoverageFormat,
  text: string,
  place: RunLocation,
): ReportReading<LineCoverage> {
  const problem = checkReportSize(text);
  if (problem !== undefined) return { problem };
  const lines = new CoverageLines(place);
  try {
    COVERAGE_READERS[format](text, lines);
  } catch (error) {
    if (error instanceof CoverageSyntaxError) return { problem: error.message };
    throw error;
  }
  return { value: lines.files };
}

function readLcovCoverage(text: string, lines: CoverageLines): void {
  let file: Map<number, boolean> | undefined;
  let isOpen = false;
  for (const [line, number] of iterateReportLines(text)) {
    if (line.startsWith("SF:")) {
      if (isOpen) throw new CoverageSyntaxError(`Line ${number} begins a file before the last one ended.`);
      file = lines.of(line.slice(3).trim());
      isOpen = true;
    } else if (line.startsWith("DA:")) {
      const found = /^DA:(\d{1,9}),(-?\d{1,20})(?:,|$)/.exec(line);
      if (!found || !isOpen) throw new CoverageSyntaxError(`Line ${number} is no line of lcov.`);
      lines.add(file, Number(found[1]), Number(found[2]) > 0);
    } else if (line.trim() === "end_of_record") isOpen = false;
  }
  if (isOpen) throw new CoverageSyntaxError("The coverage ends early.");
}

/** Counts lines as istanbul does: a statement belongs to its first line. */
function readIstanbulCoverage(text: string, lines: CoverageLines): void {
  const all = parseReportJson(text);
  if (!all) throw new CoverageSyntaxError("The coverage is no whole JSON object.");
  for (const [path, told] of Object.entries(all)) {
    const { statementMap, s: counts } = isReportObject(told) ? told : {};
    if (!isReportObject(statementMap) || !isReportObject(counts))
      throw new CoverageSyntaxError("The coverage is not istanbul's.");
    const file = lines.of(path);
    for (const [id, statement] of Object.entries(statementMap)) {
      const start =
        isReportObject(statement) && isReportObject(statement["start"]) ? statement["start"]["line"] : undefined;
      const count = Object.hasOwn(counts, id) ? counts[id] : undefined;
      if (typeof start !== "number" || typeof count !== "number")
        throw new CoverageSyntaxError("The coverage is not istanbul's.");
      lines.add(file, start, count > 0);
    }
  }
}

function readPythonCoverage(text: string, lines: CoverageLines): void {
  const files = parseReportJson(text)?.["files"];
  if (!isReportObject(files)) throw new CoverageSyntaxError("The coverage is no whole JSON object with `files`.");
  for (const [path, told] of Object.entries(files)) {
    const { executed_lines: run, missing_lines: missed } = isReportObject(told) ? told : {};
    if (!Array.isArray(run) || !Array.isArray(missed))
      throw new CoverageSyntaxError("The coverage is not coverage.py's.");
    const file = lines.of(path);
    for (const line of run as unknown[]) lines.add(file, Number(line), true);
    for (const line of missed as unknown[]) lines.add(file, Number(line), false);
  }
}

const MAX_GO_COVER_BLOCK = 50_000;
const GO_COVER_BLOCK = /^(.{1,4000}):(\d{1,7})\.\d{1,7},(\d{1,7})\.\d{1,7} \d{1,7} (\d{1,20})$/;

function readGoCoverage(text: string, lines: CoverageLines): void {
  const { module } = lines.place;
  if (module === undefined)
    throw new CoverageSyntaxError("Go's coverage names packages, and the module in go.mod is not known.");
  for (const [line, number] of iterateReportLines(text)) {
    if (number === 1 ? /^mode: \w+$/.test(line) : line === "") continue;
    const [, path = "", first, last, count] = (number > 1 && GO_COVER_BLOCK.exec(line)) || [];
    if (path === "") throw new CoverageSyntaxError(`Line ${number} is no line of a Go cover profile.`);
    if (Number(last) - Number(first) > MAX_GO_COVER_BLOCK)
      throw new CoverageSyntaxError(`Line ${number} tells of too long a block.`);
    const file = path.startsWith(`${module}/`) ? lines.of(path.slice(module.length + 1)) : undefined;
    for (let at = Number(first); at <= Number(last); at += 1) lines.add(file, at, Number(count) > 0);
  }
}

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

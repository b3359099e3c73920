import * as z from "zod/mini";
import { joinFolderAndPath } from "#kernel/model/folder-path.ts";
import { parseXml } from "./xml-parser.ts";
import type { LineCoverage, CoverageFormat, RunLocation, ReportReading } from "./test-report.ts";
import { iterateReportLines, parseReportJson, resolveReportedPath, checkReportSize } from "./test-report.ts";

/** Yields lines of one file with whether they ran, and returns the problem that stops it. */
type CoverageReader = (
  text: string,
  place: RunLocation,
) => Generator<readonly [path: string, lines: Iterable<readonly [number, boolean]>], string | undefined>;

const MAX_COVERAGE_LINES = 2_000_000;

const COVERAGE_READERS: Readonly<Record<CoverageFormat, CoverageReader>> = {
  lcov: readLcovCoverage,
  "istanbul-json": readIstanbulCoverage,
  "coverage-py-json": readPythonCoverage,
  "go-cover": readGoCoverage,
  "jacoco-xml": readJacocoCoverage,
  "simplecov-json": readSimplecovCoverage,
  "clover-xml": readCloverCoverage,
};

/** A line that ran once counts as run, whatever later records report. */
export function readCoverageReport(
  format: CoverageFormat,
  text: string,
  place: RunLocation,
): ReportReading<LineCoverage> {
  const problem = checkReportSize(text);
  if (problem !== undefined) return { problem };
  const files = new Map<string, Map<number, boolean>>();
  let count = 0;
  const reader = COVERAGE_READERS[format](text, place);
  for (let next = reader.next(); ; next = reader.next()) {
    if (next.done) return next.value === undefined ? { value: files } : { problem: next.value };
    const [reported, lines] = next.value;
    const path = resolveReportedPath(place, reported);
    const known = files.get(path ?? "") ?? new Map<number, boolean>();
    if (path !== undefined) files.set(path, known);
    for (const [line, isRun] of lines) {
      if (!Number.isSafeInteger(line) || line < 1)
        return { problem: "The coverage report has a line that is not a number." };
      if ((count += 1) > MAX_COVERAGE_LINES) return { problem: "The coverage report has too many lines." };
      known.set(line, isRun || known.get(line) === true);
    }
  }
}

/** Joins the coverage of several modules. Undefined if a report is missing or cannot be read. */
export function readCoverageReports(
  format: CoverageFormat,
  reports: readonly { readonly path: string; readonly text: string | undefined }[],
  place: RunLocation,
): LineCoverage | undefined {
  const all = new Map<string, ReadonlyMap<number, boolean>>();
  for (const { path, text } of reports) {
    // Maven and Gradle write the report of a module into its build folder.
    const module = /^(.+?)\/(?:target|build)\//.exec(path)?.[1];
    const own = module === undefined ? place : { ...place, directory: joinFolderAndPath(place.directory, module) };
    const read = text === undefined ? undefined : readCoverageReport(format, text, own);
    if (!read || "problem" in read) return undefined;
    for (const [file, lines] of read.value) all.set(file, lines);
  }
  return reports.length === 0 ? undefined : all;
}

function* readLcovCoverage(text: string): ReturnType<CoverageReader> {
  let open: { path: string; lines: [number, boolean][] } | undefined;
  for (const [line, number] of iterateReportLines(text)) {
    if (line.startsWith("SF:")) {
      if (open) return `Line ${number} starts a file before the last one ended.`;
      open = { path: line.slice(3).trim(), lines: [] };
    } else if (line.startsWith("DA:")) {
      const found = /^DA:(\d{1,9}),(-?\d{1,20})(?:,|$)/.exec(line);
      if (!found || !open) return `Line ${number} is not a line of lcov.`;
      open.lines.push([Number(found[1]), Number(found[2]) > 0]);
    } else if (line.trim() === "end_of_record" && open) {
      yield [open.path, open.lines];
      open = undefined;
    }
  }
  return open && "The coverage report is cut off.";
}

const FilesByPath = z.record(z.string(), z.unknown());
const IstanbulFile = z.object({
  statementMap: z.record(z.string(), z.object({ start: z.object({ line: z.number() }) })),
  s: z.record(z.string(), z.number()),
});

/** Counts lines as istanbul does: a statement belongs to its first line. */
function* readIstanbulCoverage(text: string): ReturnType<CoverageReader> {
  const files = parseReportJson(text, FilesByPath);
  if (!files) return "The coverage is not a complete JSON object.";
  for (const [path, file] of Object.entries(files)) {
    const { data } = z.safeParse(IstanbulFile, file);
    const counts = new Map(Object.entries(data?.s ?? {}));
    const lines = Object.entries(data?.statementMap ?? {}).map(
      ([id, { start }]) => [start.line, counts.get(id)] as const,
    );
    if (!data || lines.some(([, count]) => count === undefined)) return "The coverage is not istanbul's.";
    yield [path, lines.map(([line, count = 0]) => [line, count > 0] as const)];
  }
  return undefined;
}

const PythonFile = z.object({ executed_lines: z.array(z.unknown()), missing_lines: z.array(z.unknown()) });

function* readPythonCoverage(text: string): ReturnType<CoverageReader> {
  const report = parseReportJson(text, z.object({ files: FilesByPath }));
  if (!report) return "The coverage is not a complete JSON object with `files`.";
  for (const [path, file] of Object.entries(report.files)) {
    const { data } = z.safeParse(PythonFile, file);
    if (!data) return "The coverage is not coverage.py's.";
    const listLines = (lines: readonly unknown[], isRun: boolean) =>
      lines.map((line) => [Number(line), isRun] as const);
    yield [path, [...listLines(data.executed_lines, true), ...listLines(data.missing_lines, false)]];
  }
  return undefined;
}

const MAX_GO_COVER_BLOCK = 50_000;
const GO_COVER_BLOCK = /^(.{1,4000}):(\d{1,7})\.\d{1,7},(\d{1,7})\.\d{1,7} \d{1,7} (\d{1,20})$/;

function* readGoCoverage(text: string, { module }: RunLocation): ReturnType<CoverageReader> {
  if (module === undefined) return "Go's coverage names packages, and the module in go.mod is not known.";
  for (const [line, number] of iterateReportLines(text)) {
    if (number === 1 ? /^mode: \w+$/.test(line) : line === "") continue;
    const [, path = "", first, last, count] = (number > 1 && GO_COVER_BLOCK.exec(line)) || [];
    if (path === "") return `Line ${number} is not a line of a Go cover profile.`;
    const length = Number(last) - Number(first) + 1;
    if (length > MAX_GO_COVER_BLOCK + 1) return `Line ${number} has a block that is too long.`;
    if (!path.startsWith(`${module}/`)) continue;
    const lines = Array.from(
      { length: Math.max(0, length) },
      (_, at) => [Number(first) + at, Number(count) > 0] as const,
    );
    yield [path.slice(module.length + 1), lines];
  }
  return undefined;
}

/** JaCoCo names a package and a file, but no source folder. Tries the usual ones; a wrong path matches nothing. */
function* readJacocoCoverage(text: string): ReturnType<CoverageReader> {
  const files = new Map<string, [number, boolean][]>();
  let [folder, module, lines]: [string, string, [number, boolean][]] = ["", "", []];
  const problem = parseXml(text.replace(/<!DOCTYPE[^>]*>/, ""), {
    open(name, attributes) {
      if (name === "group") module = `${attributes.get("name") ?? ""}/`;
      if (name === "package") folder = attributes.get("name") ?? "";
      if (name === "sourcefile") {
        lines = [];
        files.set(`${module} ${folder}/${attributes.get("name") ?? ""}`, lines);
      }
      if (name === "line") lines.push([Number(attributes.get("nr")), Number(attributes.get("ci")) > 0]);
    },
    close() {},
    text() {},
  });
  if (problem !== undefined) return problem;
  for (const [key, covered] of files) {
    const [below = "", path = ""] = key.split(" ");
    for (const source of ["src/main/java", "src/main/kotlin", "src"]) yield [`${below}${source}/${path}`, covered];
  }
  return undefined;
}

function* readCloverCoverage(text: string): ReturnType<CoverageReader> {
  const files = new Map<string, [number, boolean][]>();
  let lines: [number, boolean][] = [];
  const problem = parseXml(text, {
    open(name, attributes) {
      if (name === "file") files.set(attributes.get("name") ?? "", (lines = []));
      if (name === "line" && attributes.get("type") === "stmt")
        lines.push([Number(attributes.get("num")), Number(attributes.get("count")) > 0]);
    },
    close() {},
    text() {},
  });
  if (problem !== undefined) return problem;
  yield* files;
  return undefined;
}

const SimplecovLines = z.array(z.nullable(z.number()));

function* readSimplecovCoverage(text: string): ReturnType<CoverageReader> {
  const runs = parseReportJson(text, z.record(z.string(), z.object({ coverage: FilesByPath })));
  if (!runs) return "The coverage is not SimpleCov's.";
  for (const { coverage } of Object.values(runs)) {
    for (const [path, file] of Object.entries(coverage)) {
      const { data } = z.safeParse(z.union([SimplecovLines, z.object({ lines: SimplecovLines })]), file);
      if (!data) return "The coverage is not SimpleCov's.";
      const counts = Array.isArray(data) ? data : data.lines;
      yield [path, counts.flatMap((count, at) => (count === null ? [] : [[at + 1, count > 0] as const]))];
    }
  }
  return undefined;
}

/** In a file that the report lacks, every line that looks like code counts as not run. */
export function measureChangedCoverage(
  coverage: LineCoverage,
  /** Text of added or changed lines by file and line number. */
  changed: ReadonlyMap<string, ReadonlyMap<number, string>>,
) {
  let covered = 0;
  let coverable = 0;
  const uncovered: { file: string; lines: number[]; isUnknown: boolean }[] = [];
  for (const [file, texts] of changed) {
    const known = coverage.get(file);
    const lines: number[] = [];
    for (const [line, text] of texts) {
      const isRun = known ? known.get(line) : false;
      // Go reports blocks from first to last line, including comments and blank lines.
      const isLoose = known === undefined || file.endsWith(".go");
      if (isRun === undefined || (isLoose && !isCodeLine(text))) continue;
      coverable += 1;
      if (isRun) covered += 1;
      else lines.push(line);
    }
    if (lines.length > 0) uncovered.push({ file, lines: lines.toSorted((a, b) => a - b), isUnknown: !known });
  }
  // Rounded down to a tenth, so that rounding never reaches the minimum.
  const percent = coverable === 0 ? 100 : Math.floor((1000 * covered) / coverable) / 10;
  return { covered, coverable, percent, uncovered };
}

function isCodeLine(text: string): boolean {
  const line = text.trim();
  return /[\p{L}\p{N}]/u.test(line) && !/^(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?![[!\w]))/.test(line);
}

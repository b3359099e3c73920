import * as z from "zod/mini";
import { getPathBelowFolder, resolveFolderPath } from "#kernel/model/folder-path.ts";

export const TEST_FORMATS = [
  "vitest-json",
  "jest-json",
  "junit-xml",
  "go-json",
  "libtest-json",
  "junit-java",
  "phpunit-xml",
  "trx",
  "rspec-json",
  "minitest",
  "tap",
] as const;
export type TestFormat = (typeof TEST_FORMATS)[number];

export interface TestOutcome {
  /** The file relative to the workspace. Runners that do not name files give a package or module. */
  readonly file: string;
  /** Full name with its suites, as `login > refuses a wrong password`. */
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped";
  readonly ms?: number | undefined;
  readonly message?: string | undefined;
}

export interface LoadFailure {
  readonly file: string;
  readonly message: string;
}

export interface TestReport {
  readonly tests: readonly TestOutcome[];
  readonly failures: readonly LoadFailure[];
}

export const COVERAGE_FORMATS = [
  "lcov",
  "istanbul-json",
  "coverage-py-json",
  "go-cover",
  "jacoco-xml",
  "simplecov-json",
  "clover-xml",
] as const;
export type CoverageFormat = (typeof COVERAGE_FORMATS)[number];

/** By file relative to the workspace: every executable line, and whether a test ran it. */
export type LineCoverage = ReadonlyMap<string, ReadonlyMap<number, boolean>>;

export type ReportReading<T> = { readonly value: T } | { readonly problem: string };

/** Where a runner ran. Its paths are resolved against this. */
export interface RunLocation {
  readonly folder: string;
  /** The same folder relative to the workspace; `.` for the workspace itself. */
  readonly directory: string;
  /** The module path of `go.mod`: Go names import paths instead of files. */
  readonly module?: string | undefined;
}

const MAX_TEST_REPORT_LENGTH = 32 * 1024 * 1024;
const MAX_FAILURE_MESSAGE = 2_000;

/** A working runner does not write that much. */
export function checkReportSize(text: string): string | undefined {
  return text.length > MAX_TEST_REPORT_LENGTH
    ? `The report is larger than ${MAX_TEST_REPORT_LENGTH / 1024 / 1024} MB.`
    : undefined;
}

/** The path relative to the workspace; undefined for a path outside. */
export function resolveReportedPath(place: RunLocation, reported: string): string | undefined {
  const path = normalizeSlashes(reported.replace(/^file:\/\/(?:\/(?=[A-Za-z]:))?/, ""));
  if (!/^(?:[A-Za-z]:)?\//.test(path)) return resolveFolderPath(`${place.directory}/${path}`);
  const folder = normalizeSlashes(place.folder);
  const isBelow = place.directory !== "." && folder.endsWith(`/${place.directory}`);
  const root = isBelow ? folder.slice(0, -place.directory.length - 1) : folder;
  if (path.startsWith(`${root}/`)) return resolveFolderPath(path.slice(root.length + 1));
  return path.startsWith(`${folder}/`)
    ? resolveFolderPath(`${place.directory}/${path.slice(folder.length + 1)}`)
    : undefined;
}

const normalizeSlashes = (path: string): string => path.replaceAll("\\", "/");

export const formatReportedFile = (place: RunLocation, reported: string): string =>
  resolveReportedPath(place, reported) ?? reported;

// oxlint-disable-next-line no-control-regex -- it removes colours.
const TERMINAL_COLOUR = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;

export const stripTerminalColours = (said: string): string => said.replace(TERMINAL_COLOUR, "");

export function cleanRunnerMessage(place: RunLocation, said: string): string {
  return stripTerminalColours(said.slice(0, 10 * MAX_FAILURE_MESSAGE))
    .replaceAll(`${place.folder}/`, "")
    .trim()
    .slice(0, MAX_FAILURE_MESSAGE)
    .toWellFormed();
}

/** The error in the output of a runner that could not load a test file; the first if none names the file. */
export function findLoadError(place: RunLocation, said: string, file: string): string | undefined {
  const text = stripTerminalColours(said).replaceAll(`${place.folder}/`, "");
  const starts = [...text.matchAll(/\b(\w*(?:Error|Exception))(?: \[\w+\])?: (?=\S)/g)];
  const errors = starts.map((start, i) => {
    const rest = text.slice(start.index + start[0].length, starts[i + 1]?.index);
    return `${start[1] ?? "Error"}: ${rest}`;
  });
  const name = getPathBelowFolder(place.directory, file) ?? file;
  const error = errors.find((each) => each.includes(name)) ?? errors[0];
  return error === undefined ? undefined : cleanRunnerMessage(place, error);
}

export const createTestOutcome = (
  place: RunLocation,
  { ms, said = "", ...test }: Omit<TestOutcome, "message"> & { readonly said?: string | undefined },
): TestOutcome => ({
  ...test,
  ms: ms !== undefined && ms >= 0 ? Math.round(ms) : undefined,
  message: test.status === "failed" ? cleanRunnerMessage(place, said) : undefined,
});

/** Reads a value, or the given one in its place if it is of another type. */
export const replaceInvalid = z.catch;

/** A field of another type counts as missing. */
export const lenient = <Schema extends z.core.$ZodType>(schema: Schema) =>
  replaceInvalid(z.optional(schema), undefined);

export function parseReportJson<Schema extends z.core.$ZodType>(
  text: string,
  schema: Schema,
): z.output<Schema> | undefined {
  try {
    return z.safeParse(schema, JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Yields lines one by one, so that a large report is not held twice. */
export function* iterateReportLines(text: string): Generator<readonly [line: string, number: number]> {
  let number = 1;
  for (let start = 0; start < text.length; number += 1) {
    const end = text.indexOf("\n", start);
    const stop = end === -1 ? text.length : end;
    yield [text.slice(start, stop).replace(/\r$/, ""), number];
    start = stop + 1;
  }
}

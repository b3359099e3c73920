import {
  cleanRunnerMessage,
  createTestOutcome,
  formatReportedFile,
  iterateReportLines,
  type LoadFailure,
  type ReportReading,
  type RunLocation,
  type TestOutcome,
  type TestReport,
} from "./test-report.ts";

interface TapPoint {
  readonly name: string;
  readonly isOk: boolean;
  readonly isSkipped: boolean;
  readonly details: string[];
  readonly points: readonly TapPoint[];
}

const MAX_TAP_DEPTH = 12;
const MAX_TAP_DETAILS = 200;
const TAP_POINT = /^( *)(not )?ok\b(?: +\d+)?(?: +- ?| +|$)(.*)$/;
const TAP_DIRECTIVE = /(?:^|\s)# (SKIP|TODO|time=)(.*)$/i;
const TEST_FILE_NAME = /\.[cm]?[jt]sx?$/;

/** TAP of AVA, whose names begin with a short form of the file, and of tap, which nests tests in their file. */
export function readTapReport(output: string, place: RunLocation): ReportReading<TestReport> {
  const points = parseTapPoints(output);
  if (!points) return { problem: "The output is not TAP, or it is cut off." };
  const tests: TestOutcome[] = [];
  const failures: LoadFailure[] = [];
  const add = (file: string, around: readonly string[], point: TapPoint): void => {
    const names = [...around, ...point.name.split(" › ")];
    const status = point.isSkipped ? "skipped" : point.isOk ? "passed" : "failed";
    tests.push(createTestOutcome(place, { file, name: names.join(" > "), status, said: describeTapFailure(point) }));
    for (const inner of point.points) add(file, names, inner);
  };
  let uncaught = "";
  for (const point of points) {
    const [, exited] = /^(.+) exited (?:with a non-zero exit code|due to)\b/.exec(point.name) ?? [];
    if (!point.isOk && exited !== undefined) {
      failures.push({ file: formatReportedFile(place, exited), message: cleanRunnerMessage(place, uncaught) });
      uncaught = "";
    } else if (!point.isOk && /^\w*Error(?: \[\w+\])?: /.test(point.name)) {
      uncaught = point.name.replace(/^(\w+) \[\w+\]: /, "$1: ");
    } else if (TEST_FILE_NAME.test(point.name)) {
      const file = formatReportedFile(place, point.name);
      for (const inner of point.points) add(file, [], inner);
      // The cause of a file that does not load is in the output.
      if (!point.isOk && point.points.every(({ isOk }) => isOk)) failures.push({ file, message: "" });
    } else add("", [], point);
  }
  return { value: { tests, failures } };
}

/** Undefined without a plan: the runner was ended before it wrote one. */
function parseTapPoints(output: string): TapPoint[] | undefined {
  const open: TapPoint[][] = [[]];
  let details: { readonly indent: string; readonly point: TapPoint } | undefined;
  let last: { readonly indent: string; readonly point: TapPoint } | undefined;
  let hasPlan = false;
  for (const [line] of iterateReportLines(output)) {
    if (details) {
      if (line === `${details.indent}  ...`) details = undefined;
      else if (details.point.details.length < MAX_TAP_DETAILS) details.point.details.push(line);
      continue;
    }
    if (last && line === `${last.indent}  ---`) {
      details = last;
      continue;
    }
    hasPlan ||= /^1\.\.\d+/.test(line);
    const [, indent = "", not, text = ""] = TAP_POINT.exec(line) ?? [];
    const depth = indent.length / 4;
    if (!TAP_POINT.test(line) || !Number.isInteger(depth) || depth > MAX_TAP_DEPTH) continue;
    const directive = TAP_DIRECTIVE.exec(text);
    const isSkipped = directive !== null && !/^time/i.test(directive[1] ?? "");
    const name = text
      .slice(0, directive?.index ?? text.length)
      .replace(/ \{$/, "")
      .trim();
    const point = { name, isOk: not === undefined, isSkipped, details: [], points: open[depth + 1] ?? [] };
    open.length = depth + 1;
    (open[depth] ??= []).push(point);
    last = { indent, point };
  }
  return hasPlan ? open[0] : undefined;
}

/** A thrown error begins with its type, a failed assertion with `AssertionError`. */
function describeTapFailure(point: TapPoint): string {
  const inner = point.points.find(({ isOk, isSkipped }) => !isOk && !isSkipped);
  if (inner) return describeTapFailure(inner);
  const text = point.details.join("\n");
  // AVA wraps an error that a test throws.
  const thrown = /'(?:Error thrown in test|Rejected promise returned by test[^']*):': \|-?\n([^]*)/.exec(text)?.[1];
  if (thrown !== undefined) {
    const kind = /^\s*(\w+)(?: \[\w+\])? \{/.exec(thrown)?.[1] ?? "Error";
    const message = /^\s*message: (['"`])([^]*?)\1,?$/m.exec(thrown)?.[2] ?? "";
    return `${kind}: ${message.replace(/\\(['"`])/g, "$1")}${listFrames(text)}`;
  }
  // Deeper lines describe the place: tap 16 names the type of its test there.
  const [indent = ""] = /^ */.exec(text) ?? [];
  const type = new RegExp(`^${indent}type: (\\w+)$`, "m").exec(text)?.[1];
  const isCaught = /^\s*tapCaught: /m.test(text);
  const message = /^\s*message: (.*)$/m.exec(text)?.[1]?.replace(/^(['"])(.*)\1$/, "$2");
  const thrower = isCaught ? listFrames(text) : "";
  return `${type ?? (isCaught ? "Error" : "AssertionError")}: ${message || point.name}${thrower}`;
}

/** AVA gives them as `at`, tap as `stack`. */
const listFrames = (text: string): string =>
  [...text.matchAll(/^\s*(?:at: )?['"]?((?:[\w$.<>]+ )?\(?[^\s('"]+:\d+:\d+\)?)['"]?$/gm)]
    .map(([, frame]) => `\n    at ${frame}`)
    .join("");
